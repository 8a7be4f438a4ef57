import type { StripeEmulator } from '../stripe-emulator.ts'
import type { Session } from '../stripe-world.ts'
import { Refusal } from './web.ts'

/** What the buyer, the bank and the seller can do with a payment, by the state that it is in. */
const ACTS = {
  open: ['pay', 'delay', 'expire'],
  'waiting for the bank': ['confirm', 'fail'],
  paid: ['refund', 'dispute'],
  'partly refunded': ['refund', 'dispute'],
  refunded: [],
  disputed: ['win', 'lose'],
  failed: [],
  expired: [],
} as const satisfies Record<string, readonly string[]>
type State = keyof typeof ACTS

const moneyOf = (minor: number, currency: string) => `${(minor / 100).toFixed(2)} ${currency.toUpperCase()}`

/** The payments of the emulated Stripe, as the inbox shows them. */
export function paymentsOf(emulator: StripeEmulator | undefined) {
  const world = emulator?.world
  const stateOf = (session: Session): State => {
    if (session.status !== 'complete') return session.status
    const charge = world?.chargeOf(session)
    if (!charge)
      return world?.events.some(({ type, body }) => type.endsWith('_failed') && body.includes(session.id))
        ? 'failed'
        : 'waiting for the bank'
    const dispute = world?.disputes.find((one) => one.charge === charge.id)
    if (dispute && dispute.status !== 'won') return dispute.status === 'lost' ? 'refunded' : 'disputed'
    return charge.refunded ? 'refunded' : charge.amount_refunded > 0 ? 'partly refunded' : 'paid'
  }
  const shown = (session: Session) => ({
    id: session.id,
    title: session.customer_details?.name ?? session.customer_email ?? session.id,
    total: moneyOf(session.amount_total, session.currency),
    state: stateOf(session),
    acts: ACTS[stateOf(session)],
    url: session.url,
    lines: session.line_items.map(
      ({ name, quantity, unit_amount }) => `${quantity} × ${name}: ${moneyOf(unit_amount * quantity, session.currency)}`,
    ),
  })
  return {
    count: () => world?.sessions.length ?? 0,
    list: () => ({ payments: world?.sessions.toReversed().map(shown) ?? [] }),
    act(id: string, action: string): void {
      const session = world?.session(id)
      if (!world || !session) throw new Refusal(404, 'No such payment')
      const allowed: readonly string[] = ACTS[stateOf(session)]
      if (!allowed.includes(action))
        throw new Refusal(409, `This payment is ${stateOf(session)}: ${allowed.join(', ') || 'nothing'} is possible`)
      if (action === 'pay' || action === 'delay') world.pay(session, undefined, action === 'delay')
      else if (action === 'expire') world.expire(session)
      else if (action === 'confirm' || action === 'fail') world.confirm(session, action === 'confirm')
      else if (action === 'refund') world.refund(world.chargeOf(session))
      else world.dispute(world.chargeOf(session), action === 'dispute' ? undefined : action === 'win' ? 'won' : 'lost')
    },
  }
}
