import Stripe from 'stripe'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Inbox, startInbox } from '../../dev/inbox/server.ts'
import { readBytes, startLocalServer } from '../../dev/local-server.ts'
import { type StripeEmulator, startStripeEmulator } from '../../dev/stripe-emulator.ts'
import { type Harness, start } from '../harness.ts'
import type { Row } from '../routes/crm.ts'

/** The official package of Stripe against the emulator, as against the real one. */
let emulator: StripeEmulator
let received: { id: string; type: string }[] = []
let secret = ''
const receiver = await startLocalServer(async (request, response) => {
  const event = Stripe.webhooks.constructEvent(await readBytes(request), request.headers['stripe-signature'] as string, secret)
  received.push({ id: event.id, type: event.type })
  response.writeHead(200).end()
})

beforeAll(async () => {
  emulator = await startStripeEmulator({ automatic: true })
})
afterAll(async () => {
  await emulator.close()
  await receiver.close()
})
beforeEach(() => {
  emulator.clear()
  received = []
})

const clientOf = (key = emulator.key) =>
  new Stripe(key, { host: '127.0.0.1', port: emulator.port, protocol: 'http', maxNetworkRetries: 0, timeout: 2_000 })
const LINE = { quantity: 2, price_data: { currency: 'aud', unit_amount: 4950, product_data: { name: 'Inspection' } } }
const params = (more: Partial<Stripe.Checkout.SessionCreateParams> = {}): Stripe.Checkout.SessionCreateParams => ({
  mode: 'payment',
  line_items: [LINE],
  success_url: 'https://example.com/done',
  metadata: { order_id: 'o1' },
  payment_intent_data: { metadata: { order_id: 'o1' } },
  ...more,
})

describe('the official package is answered as by Stripe', () => {
  test('from the page to the refund', async () => {
    const stripe = clientOf()
    const session = await stripe.checkout.sessions.create(params())
    expect(session).toMatchObject({
      object: 'checkout.session',
      amount_total: 9900,
      currency: 'aud',
      status: 'open',
      payment_status: 'unpaid',
    })
    const page = await (await fetch(session.url as string)).text()
    expect(page).toContain('2 × Inspection: 99.00 AUD')
    const pay = (action: string) =>
      fetch(session.url as string, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ action }) })
    expect((await pay('decline')).status).toBe(402)
    expect((await pay('pay')).headers.get('location')).toBe('https://example.com/done')
    expect((await pay('pay')).status).toBe(409)
    const paid = await stripe.checkout.sessions.retrieve(session.id)
    expect(paid).toMatchObject({ status: 'complete', payment_status: 'paid', url: null, customer_details: { name: 'Ana Lee' } })
    const intent = await stripe.paymentIntents.retrieve(paid.payment_intent as string)
    expect(intent).toMatchObject({ status: 'succeeded', metadata: { order_id: 'o1' } })
    expect(await stripe.refunds.create({ payment_intent: intent.id, amount: 900 })).toMatchObject({ object: 'refund', amount: 900 })
    await expect(stripe.refunds.create({ payment_intent: intent.id, amount: 9900 })).rejects.toThrow('greater than')
  })

  test('keys of requests, accounts and errors', async () => {
    const stripe = clientOf()
    const idempotencyKey = 'order-1'
    const first = await stripe.checkout.sessions.create(params(), { idempotencyKey })
    expect((await stripe.checkout.sessions.create(params(), { idempotencyKey })).id).toBe(first.id)
    const changed = stripe.checkout.sessions.create(params({ success_url: 'https://example.com/' }), { idempotencyKey })
    await expect(changed).rejects.toBeInstanceOf(Stripe.errors.StripeIdempotencyError)
    await expect(clientOf('sk_test_wrong').checkout.sessions.create(params())).rejects.toBeInstanceOf(
      Stripe.errors.StripeAuthenticationError,
    )
    await expect(clientOf('sk_test_51AnotherAccount').checkout.sessions.retrieve(first.id)).rejects.toMatchObject({ statusCode: 404 })
    const two = [LINE, { ...LINE, price_data: { ...LINE.price_data, currency: 'eur' } }]
    for (const line_items of [two, [], [{ ...LINE, quantity: 0 }]])
      await expect(stripe.checkout.sessions.create(params({ line_items }))).rejects.toBeInstanceOf(Stripe.errors.StripeInvalidRequestError)
    expect(emulator.world.sessions).toHaveLength(1)
  })

  test.each([
    ['429', Stripe.errors.StripeRateLimitError],
    ['402', Stripe.errors.StripeCardError],
    ['500', Stripe.errors.StripeAPIError],
    ['drop', Stripe.errors.StripeConnectionError],
    ['timeout', Stripe.errors.StripeConnectionError],
  ] as const)('a failure by %s', async (mode, error) => {
    emulator.failures.always = { mode, accept: false }
    await expect(clientOf().checkout.sessions.create(params())).rejects.toBeInstanceOf(error)
    expect(emulator.world.sessions).toEqual([])
  })

  test('webhooks, which may come twice and in any order', async () => {
    const endpoint = await clientOf().webhookEndpoints.create({
      url: `${receiver.url}/`,
      enabled_events: ['checkout.session.completed', 'charge.refunded'],
    })
    secret = endpoint.secret as string
    emulator.reports.set('reordered', true)
    emulator.reports.set('duplicated', true)
    const { id } = await clientOf().checkout.sessions.create(params())
    const session = emulator.world.session(id) as NonNullable<ReturnType<typeof emulator.world.session>>
    emulator.world.pay(session)
    emulator.world.refund(emulator.world.chargeOf(session))
    emulator.world.dispute(emulator.world.chargeOf(session))
    await vi.waitFor(() => expect(received).toHaveLength(4), { timeout: 10_000 })
    expect(received.map(({ type }) => type)).toEqual([...Array(2).fill('charge.refunded'), ...Array(2).fill('checkout.session.completed')])
    expect(new Set(received.map(({ id }) => id)).size).toBe(2)
  })
})

describe('the inbox', () => {
  let app: Harness
  let inbox: Inbox
  beforeAll(async () => {
    app = await start()
    const { email, sms, whatsapp, google } = app
    inbox = await startInbox({ email, sms, whatsapp, google, stripe: emulator, apiUrl: 'http://api.test', emailToken: 'none' })
  }, 120_000)
  afterAll(async () => {
    await inbox.close()
    await app.close()
  })

  test('shows the payments, and acts as the buyer, the bank and the seller', async () => {
    const { id } = await clientOf().checkout.sessions.create(params({ customer_email: 'ana@example.com' }))
    const list = async () => ((await (await fetch(`${inbox.url}/api/payments`)).json()) as Row).payments
    const act = async (name: string) =>
      (
        await fetch(`${inbox.url}/api/payments/${id}/${name}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', origin: inbox.url },
          body: '{}',
        })
      ).status
    expect(await list()).toMatchObject([
      { id, title: 'ana@example.com', total: '99.00 AUD', state: 'open', lines: ['2 × Inspection: 99.00 AUD'] },
    ])
    expect([await act('refund'), await act('delay')]).toEqual([409, 200])
    expect(await list()).toMatchObject([{ title: 'Ana Lee', state: 'waiting for the bank' }])
    expect([await act('confirm'), await act('dispute'), await act('win')]).toEqual([200, 200, 200])
    expect(await list()).toMatchObject([{ state: 'paid' }])
    expect([await act('refund'), await act('pay')]).toEqual([200, 409])
    expect(await list()).toMatchObject([{ state: 'refunded', acts: [] }])
    const summary = (await (await fetch(`${inbox.url}/api/summary`)).json()) as Row
    expect(summary.payments).toBe(1)
    const faults = (await (await fetch(`${inbox.url}/api/faults`)).json()) as Row[]
    expect(faults.map(({ id }) => id)).toContain('payments')
  })
})
