import type { Stripe } from 'stripe'
import { isId } from '../../../lib/ids.ts'
import { fromMinor } from '../rules/amounts.ts'
import type { PaymentReport } from './port.ts'

/** What an event of Stripe says about an order. Undefined for one about something else, of which an account may have many. */
export function reportOf(event: Stripe.Event): PaymentReport | undefined {
  const base = { event_id: event.id, at: new Date(event.created * 1000).toISOString() }
  switch (event.type) {
    case 'checkout.session.completed':
      return ofSession(base, event.data.object, event.data.object.payment_status === 'unpaid' ? 'payment_pending' : 'paid')
    case 'checkout.session.async_payment_succeeded':
      return ofSession(base, event.data.object, 'paid')
    case 'checkout.session.async_payment_failed':
      return ofSession(base, event.data.object, 'payment_failed')
    case 'checkout.session.expired':
      return ofSession(base, event.data.object, 'checkout_expired')
    case 'charge.refunded':
      return ofCharge(base, event.data.object)
    case 'charge.dispute.created':
      return ofDispute(base, event.data.object, 'dispute_opened')
    case 'charge.dispute.updated':
      return ofDispute(base, event.data.object, 'dispute_updated')
    case 'charge.dispute.closed':
      return ofDispute(base, event.data.object, 'dispute_closed')
    default:
      return undefined
  }
}

type Base = Pick<PaymentReport, 'event_id' | 'at'>
const idOf = (linked: string | { id: string } | null | undefined): string | null =>
  typeof linked === 'string' ? linked : (linked?.id ?? null)
const orderIn = (metadata: Stripe.Metadata | null): string | null =>
  isId(metadata?.order_id ?? '') ? (metadata?.order_id as string) : null
const moneyOf = (minor: number | null | undefined, currency: string | null | undefined) => ({
  amount: typeof minor === 'number' ? fromMinor(minor, (currency ?? '').toUpperCase()) : null,
  currency: (currency ?? '').toUpperCase(),
})

function ofSession(base: Base, session: Stripe.Checkout.Session, event: PaymentReport['event']): PaymentReport | undefined {
  const order_id = orderIn(session.metadata)
  if (!order_id) return undefined
  const payment_id = idOf(session.payment_intent)
  const { customer_details: customer, amount_total, currency } = session
  const payer = { name: customer?.name ?? null, email: customer?.email ?? null }
  return { ...base, event, order_id, payment_id, provider_id: session.id, message: null, payer, ...moneyOf(amount_total, currency) }
}

/** `amount_refunded` is the sum of all refunds so far, so that an earlier report that comes later changes nothing. */
function ofCharge(base: Base, charge: Stripe.Charge): PaymentReport | undefined {
  const [order_id, payment_id] = [orderIn(charge.metadata), idOf(charge.payment_intent)]
  if (!order_id && !payment_id) return undefined
  const money = moneyOf(charge.amount_refunded, charge.currency)
  return { ...base, event: 'refunded', order_id, payment_id, provider_id: charge.id, message: null, ...money }
}

function ofDispute(base: Base, dispute: Stripe.Dispute, event: PaymentReport['event']): PaymentReport | undefined {
  const payment_id = idOf(dispute.payment_intent)
  if (!payment_id) return undefined
  const more = { message: dispute.reason, dispute_status: dispute.status, ...moneyOf(dispute.amount, dispute.currency) }
  return { ...base, event, order_id: orderIn(dispute.metadata), payment_id, provider_id: dispute.id, ...more }
}
