import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failures } from './failures.ts'
import { type LocalServer, readText, reply, startLocalServer } from './local-server.ts'
import { posted, ReportSender } from './report-sender.ts'
import { checkoutPage } from './stripe-page.ts'
import { type Endpoint, type StripeEvent, StripeWorld, shownOf, signatureOf } from './stripe-world.ts'

/** How calls fail: `401` is a wrong key, `402` a declined call, `slow` responds as usual after half a second. */
export const STRIPE_FAILURES = ['400', '401', '402', '429', '500', 'timeout', 'drop', 'slow'] as const
export type StripeFailMode = (typeof STRIPE_FAILURES)[number]

/** A request of Stripe to the Worker. */
export type SignedReport = { method: 'POST'; headers: Record<string, string>; body: string }

export interface StripeEmulator extends LocalServer {
  /** A secret key; each key that begins so is an account of its own. */
  key: string
  world: StripeWorld
  /** The accepted requests, such as `POST /v1/checkout/sessions`. */
  accepted: string[]
  failures: Failures<StripeFailMode>
  reports: ReportSender
  /** The signed report of an event to an endpoint; `secret` and `at` (in seconds) replace those of the endpoint and of now. */
  report(event: StripeEvent, endpoint: Pick<Endpoint, 'secret'>, at?: number): SignedReport
  clear(): void
}

const SLOW_MS = 500
const KEY = /^(sk|rk)_test_\w{8,}$/
/** Currencies whose amounts must be multiples of more than one of their smallest units. */
const STEPS: Record<string, number> = { bhd: 10, jod: 10, kwd: 10, omr: 10, tnd: 10, isk: 100, ugx: 100 }
const ERRORS: Record<string, [type: string, code: string | undefined, message: string]> = {
  400: ['invalid_request_error', 'parameter_invalid', 'Invalid request.'],
  401: ['invalid_request_error', undefined, 'Invalid API Key provided: sk_test_***'],
  402: ['card_error', 'card_declined', 'Your card was declined.'],
  429: ['invalid_request_error', 'rate_limit', 'Too many requests hit the API too quickly.'],
  500: ['api_error', undefined, 'An unknown error occurred.'],
}

type Outcome = { status: number; body: unknown }
type Stored = { fingerprint: string; outcome: Outcome }
// biome-ignore lint/suspicious/noExplicitAny: the fields of a form
type Form = Record<string, any>

/** With `automatic` events are posted to the endpoints of their account. Tests post the reports themselves. */
export async function startStripeEmulator(options: { port?: number; automatic?: boolean } = {}): Promise<StripeEmulator> {
  const stored = new Map<string, Stored>()
  const reports = new ReportSender()
  const world = new StripeWorld(deliver, () => emulator.url)
  const failures = new Failures<StripeFailMode>(STRIPE_FAILURES)

  function deliver(event: StripeEvent): void {
    if (!options.automatic) return
    const wanted = world.endpoints.filter(
      ({ account, enabled_events }) => account === event.account && (enabled_events.includes('*') || enabled_events.includes(event.type)),
    )
    for (const endpoint of wanted) reports.send(posted(endpoint.url, emulator.report(event, endpoint)))
  }

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname } = new URL(request.url ?? '/', 'http://local')
    const text = await readText(request)
    if (pathname.startsWith('/c/pay/'))
      return visit(request.method ?? 'GET', pathname.slice('/c/pay/'.length), new URLSearchParams(text), response)
    if (pathname.startsWith('/__')) return control(`${request.method} ${pathname}`, response, text)
    const key = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    if (!KEY.test(key)) return send(response, refusal('401'))
    const failure = failures.take()
    const isCarriedOut = !failure || failure.accept || failure.mode === 'slow'
    const outcome = isCarriedOut ? once(request, pathname, key, text) : undefined
    if (failure?.mode === 'slow') await sleep(SLOW_MS)
    if (outcome && (!failure || failure.mode === 'slow')) return send(response, outcome)
    if (failure?.mode === 'drop') return request.socket.destroy()
    if (failure && failure.mode !== 'timeout') send(response, refusal(failure.mode))
  }

  /** Carries a POST out once for each Idempotency-Key. */
  function once(request: IncomingMessage, path: string, account: string, text: string): Outcome {
    const route = `${request.method} ${path}`
    const sent = request.headers['idempotency-key']
    const name = `${account} ${sent}`
    const known = request.method === 'POST' && sent ? stored.get(name) : undefined
    if (known && known.fingerprint !== `${route} ${text}`)
      return refusal(
        '400',
        'Keys for idempotent requests can only be used with the same parameters they were first used with.',
        'idempotency_error',
      )
    if (known) return known.outcome
    const outcome = carryOut(request.method ?? 'GET', path, account, fieldsOf(text))
    if (outcome.status < 400) emulator.accepted.push(route)
    if (request.method === 'POST' && sent) stored.set(name, { fingerprint: `${route} ${text}`, outcome })
    return outcome
  }

  function carryOut(method: string, path: string, account: string, form: Form): Outcome {
    const [, , resource = '', second = '', id = ''] = path.split('/')
    if (method === 'POST' && path === '/v1/checkout/sessions') return openSession(account, form)
    if (method === 'POST' && path === '/v1/webhook_endpoints')
      return { status: 200, body: shownOf(world.addEndpoint(account, form.url, Object.values(form.enabled_events ?? ['*']))) }
    if (method === 'GET' && resource === 'checkout' && second === 'sessions') return found(world.sessions, account, id, 'checkout session')
    if (method === 'GET' && resource === 'payment_intents') {
      const session = world.sessions.find((one) => one.account === account && one.payment_intent === second)
      if (!session) return missing('payment_intent', second)
      const { amount_total: amount, currency, payment_metadata: metadata, payment_status } = session
      return {
        status: 200,
        body: {
          id: second,
          object: 'payment_intent',
          amount,
          currency,
          metadata,
          status: payment_status === 'paid' ? 'succeeded' : 'processing',
        },
      }
    }
    if (method === 'POST' && path === '/v1/refunds') {
      const charge = world.charges.find(
        (one) => one.account === account && [one.id, one.payment_intent].includes(form.charge ?? form.payment_intent),
      )
      if (!charge) return missing('charge', form.charge ?? form.payment_intent)
      const amount = form.amount === undefined ? charge.amount - charge.amount_refunded : Number(form.amount)
      if (amount > charge.amount - charge.amount_refunded)
        return refusal('400', 'Refund amount is greater than unrefunded amount on charge.')
      world.refund(charge, amount)
      return {
        status: 200,
        body: { id: `re_${charge.id}`, object: 'refund', amount, charge: charge.id, currency: charge.currency, status: 'succeeded' },
      }
    }
    return refusal('404', `Unrecognized request URL (${method}: ${path}).`)
  }

  function openSession(account: string, form: Form): Outcome {
    const lines = Object.values((form.line_items ?? {}) as Form)
    if (form.mode !== 'payment') return refusal('400', 'Invalid mode: must be one of payment, setup, or subscription')
    if (lines.length === 0) return refusal('400', 'You must provide line_items in payment mode.')
    if (!form.success_url) return refusal('400', 'Missing required param: success_url.')
    if (new Set(lines.map((line) => line.price_data?.currency)).size > 1)
      return refusal('400', 'All prices on a Checkout Session must have the same currency.')
    const bad = lines.find(
      ({ quantity, price_data: price }) =>
        !(Number(quantity) > 0) || !Number.isInteger(Number(price?.unit_amount)) || Number(price.unit_amount) < 0,
    )
    if (bad) return refusal('400', 'Invalid non-negative integer')
    if (lines.some(({ price_data: price }) => Number(price.unit_amount) % (STEPS[price.currency] ?? 1) !== 0))
      return refusal('400', 'Invalid amount: this currency does not have so many decimals')
    const total = lines.reduce((sum, { quantity, price_data }) => sum + Number(quantity) * Number(price_data.unit_amount), 0)
    if (total > 99_999_999) return refusal('400', 'Amount must be no more than 999,999.99')
    if (total < 50) return refusal('400', 'The Checkout Session’s total amount due must add up to at least $0.50')
    return { status: 200, body: shownOf(world.open(account, form)) }
  }

  /** The page on which the visitor pays. */
  async function visit(method: string, id: string, form: URLSearchParams, response: ServerResponse) {
    const session = world.session(id)
    if (!session) return page(response, 404, '<h1>This page does not exist</h1>')
    const action = form.get('action')
    if (method !== 'POST') return page(response, 200, checkoutPage(session))
    if (action === 'cancel') return response.writeHead(303, { location: session.cancel_url }).end()
    if (session.status !== 'open') return page(response, 409, checkoutPage(session))
    if (action === 'decline') return page(response, 402, checkoutPage(session, 'Your card was declined. Try another one.'))
    world.pay(session, form.get('name') || 'Ana Lee', action === 'delay')
    response.writeHead(303, { location: session.success_url }).end()
  }

  function control(route: string, response: ServerResponse, text: string) {
    const body = text ? JSON.parse(text) : {}
    const session = world.session(body.session_id ?? '')
    if (route === 'GET /__sessions') return send(response, { status: 200, body: world.sessions })
    if (route === 'POST /__pay' && session) return send(response, { status: 200, body: world.pay(session, body.name) })
    if (route === 'POST /__refund' && session)
      return send(response, { status: 200, body: world.refund(world.chargeOf(session), body.amount) })
    if (route === 'POST /__dispute' && session)
      return send(response, { status: 200, body: world.dispute(world.chargeOf(session), body.status) })
    if (route === 'POST /__faults') {
      for (const fault of ['duplicated', 'reordered', 'withheld'] as const) if (fault in body) reports.set(fault, body[fault] === true)
      return send(response, { status: 200, body: [...reports.faults] })
    }
    return send(response, { status: 404, body: { message: 'Not found: see dev/stripe-emulator.ts' } })
  }

  const server = await startLocalServer(answer, {
    port: options.port,
    onError: (response, error) => send(response, refusal('500', String(error))),
  })
  const emulator: StripeEmulator = {
    ...server,
    key: 'sk_test_51LocalLocalLocal',
    world,
    accepted: [],
    failures,
    reports,
    report: ({ body }, { secret }, at) => ({
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': signatureOf(secret, body, at) },
      body,
    }),
    clear() {
      world.clear()
      stored.clear()
      failures.clear()
      reports.clear()
      emulator.accepted.length = 0
    },
  }
  return emulator
}

const found = (list: { id: string; account: string }[], account: string, id: string, what: string): Outcome => {
  const one = list.find((each) => each.id === id && each.account === account)
  return one ? { status: 200, body: shownOf(one) } : missing(what, id)
}
const missing = (what: string, id: string): Outcome => refusal('404', `No such ${what}: '${id}'`)

function refusal(status: string, message?: string, type?: string): Outcome {
  const [usual = 'invalid_request_error', code, text] = ERRORS[status] ?? []
  return { status: Number(status), body: { error: { type: type ?? usual, ...(code && { code }), message: message ?? text } } }
}

/** `a[b][0]=c` as nested fields. */
function fieldsOf(text: string): Form {
  const form: Form = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.replaceAll(']', '').split('[')
    let at = form
    for (const part of path.slice(0, -1)) {
      at[part] ??= {}
      at = at[part]
    }
    at[path.at(-1) as string] = value
  }
  return form
}

const send = (response: ServerResponse, { status, body }: Outcome) =>
  reply(response, status, body, { 'request-id': `req_${randomBytes(7).toString('hex')}` })
const page = (response: ServerResponse, status: number, html: string) =>
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(html)
