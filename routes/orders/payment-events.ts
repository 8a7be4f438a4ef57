import { Hono } from 'hono'
import * as v from 'valibot'
import { paymentProvider, readSigned, receivePayment } from '../../src/features/orders/plans/payments.ts'
import { raw } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'

const router = new Hono<App>()
const api = endpoints(router, { base: '', path: '/payment-events', tag: 'Order Forms' })

api.post(
  '/stripe/:token',
  {
    id: 'receivePaymentEvent',
    summary: 'Receive a report of the payment provider',
    access: { scopes: [], principal: paymentProvider },
    params: v.object({ token: v.pipe(v.string(), v.maxLength(100)) }),
    body: raw(readSigned),
    returns: v.object({ received: v.literal(true) }),
    limits: { body: 1_000_000 },
  },
  ({ ctx, body }) => receivePayment(ctx, body),
)

/** What the payment provider reports. It is not documented among the endpoints, because only the provider calls it. */
export const paymentEvents = new Hono<App>().route('/payment-events', router)
