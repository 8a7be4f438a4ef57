import { escapeHtml } from '../src/lib/html.ts'
import type { Session } from './stripe-world.ts'

const moneyOf = (minor: number, currency: string) => `${(minor / 100).toFixed(2)} ${currency.toUpperCase()}`

/** The page of the emulator on which a visitor pays; with what went wrong, if anything did. */
export function checkoutPage(session: Session, fault = ''): string {
  const { line_items, amount_total, currency, customer_email, status } = session
  const lines = line_items.map(
    ({ name, quantity, unit_amount }) => `<li>${quantity} × ${escapeHtml(name)}: ${moneyOf(unit_amount * quantity, currency)}</li>`,
  )
  const form = `<form method="post">
<p><label>Name on the card <input name="name" value="Ana Lee"></label></p>
<p><button name="action" value="pay">Pay</button> <button name="action" value="delay">Pay, confirmed later by the bank</button>
<button name="action" value="decline">Pay with a card that is declined</button> <button name="action" value="cancel">Go back</button></p>
</form>`
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Checkout (emulated)</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:2rem auto;padding:0 1rem}button{min-height:2.75rem}</style></head>
<body><main><h1>Checkout (emulated)</h1>
${fault ? `<p role="alert">${escapeHtml(fault)}</p>` : ''}
<p>${escapeHtml(customer_email ?? '')}</p><ul>${lines.join('')}</ul><p><strong>Total: ${moneyOf(amount_total, currency)}</strong></p>
${status === 'open' ? form : `<p>This page is ${status}.</p>`}
</main></body></html>`
}
