import Stripe from 'stripe'
import { startStripeEmulator } from '../../../dev/stripe-emulator.ts'
import { heard, type Provider, typed, withEmulator } from './recorded.ts'

/** The emulator of Stripe answers with those fields of a page that the product reads, and no others. */
const PAGE = [
  ...['id', 'object', 'status', 'payment_status', 'amount_total', 'currency', 'client_reference_id', 'customer_email', 'metadata', 'url'],
  ...['customer_details', 'payment_intent', 'success_url', 'cancel_url'],
]

export const payments: Provider = {
  declarations: `import type Stripe from 'stripe'\n`,
  types: 1,
  record: () =>
    withEmulator(startStripeEmulator, async ({ key, port }) => {
      const price_data = { currency: 'aud', unit_amount: 4950, product_data: { name: 'Inspection' } }
      const sessions = await heard((fetch) => {
        const at = { host: '127.0.0.1', port, protocol: 'http' as const, httpClient: Stripe.createFetchHttpClient(fetch) }
        return new Stripe(key, at).checkout.sessions.create({
          mode: 'payment',
          line_items: [{ quantity: 2, price_data }],
          success_url: 'https://example.com/done',
          metadata: { order_id: 'o1' },
        })
      })
      const fields = PAGE.map((name) => `'${name}'`).join(' | ')
      return typed(`Pick<Stripe.Checkout.Session, ${fields}>`, 'payment_status', sessions)
    }),
}
