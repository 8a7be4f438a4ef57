import { sql } from 'drizzle-orm'
import { Hono } from 'hono'
import * as v from 'valibot'
import { type Received, raw } from '../src/http/modes.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { receivePayment } from '../src/services/orders/payments.ts'

const router = new Hono<App>()
const api = endpoints(router, { base: '', path: '/payment-events', tag: 'Order Forms' })

/** Whoever knows the address of a workspace's webhook: reaches the workspace, and proves by a signature that it is the provider. */
const provider = ({ url }: Received) => {
  const token = new URL(url).pathname.split('/')[3] ?? ''
  return { kind: 'provider_callback' as const, id: `payments ${token}`, grant: sql`select payment_grant(${token}::text)` }
}
const signed = ({ bytes, headers }: Received) => ({ bytes, signature: headers.get('stripe-signature') })

api.post(
  '/stripe/:token',
  {
    id: 'receivePaymentEvent',
    summary: 'Receive a report of the payment provider',
    access: { scopes: [], principal: provider },
    params: v.object({ token: v.pipe(v.string(), v.maxLength(100)) }),
    body: raw(signed),
    returns: v.object({ received: v.literal(true) }),
    limits: { body: 1_000_000 },
  },
  ({ ctx, body }) => receivePayment(ctx, body),
)

/** What the payment provider reports. It is not documented among the endpoints, because only the provider calls it. */
export const paymentEvents = new Hono<App>().route('/payment-events', router)
