import * as v from 'valibot'
import { type NumberRoute, routeOf } from '../../../data/number-routes.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { AppError } from '../../../errors.ts'
import type { Posted } from '../../../http/posted.ts'
import { bodyOf, utf8In } from '../../../http/receive.ts'
import { isRetellSigned, isTwilioSigned } from '../../../lib/provider-signatures.ts'
import { Id } from '../../../schemas/fields.ts'
import { type CallReport, calledNumberOf, retellReportOf, twilioReportOf } from '../schemas/call-events.ts'

/** A report has all that was said, several times over. */
const MAX_REPORT = 5_000_000
const MAX_FORM = 100_000

const XML = { headers: { 'Content-Type': 'text/xml' } }
const twiml = (content: string) => new Response(`<?xml version="1.0" encoding="UTF-8"?><Response>${content}</Response>`, XML)

/**
 * Takes what the providers of calls and numbers post: reports about calls, and their questions about a call that comes in. The signature is
 * checked over the exact bytes; then a report is handed to the queue, and answered at once. @throws NOT_FOUND when this deployment has no
 * account there, UNAUTHENTICATED for a wrong signature or one of another time, UNAVAILABLE when it could not be handed over.
 */
export async function receivePhoneEvent({ env, request }: Posted): Promise<Response> {
  const [, area, provider, ...rest] = new URL(request.url).pathname.split('/')
  if (area === 'bundle-events') return receiveBundleStatus(env, request, provider, rest[0])
  if (provider === 'retell' && rest.length === 0) return receiveRetell(env, request)
  if (provider === 'twilio' && (rest[1] === undefined || rest[1] === 'answer'))
    return receiveTwilio(env, request, rest[0], rest[1] === 'answer')
  throw new AppError('NOT_FOUND', 'No such path')
}

async function receiveRetell(env: Env, request: Request): Promise<Response> {
  if (!env.VOICE_API_KEY) throw new AppError('NOT_FOUND', 'No such path')
  const bytes = await bodyOf(request, MAX_REPORT)
  const signature = request.headers.get('x-retell-signature') ?? ''
  if (!(await isRetellSigned(env.VOICE_API_KEY, bytes, signature, Date.now()))) throw unsigned()
  const body = jsonIn(bytes)
  const called = calledNumberOf(body)
  if (called) return Response.json({ call_inbound: variablesOf(await routeOf(jobsDatabaseOf(env), called)) })
  const report = retellReportOf(body)
  const route = report && (await routeOf(jobsDatabaseOf(env), report.phone_number))
  if (route) await enqueue(env.DELIVERIES, { type: 'call.event', workspace_id: route.workspace_id, report })
  return new Response(null, { status: 204 })
}

async function receiveTwilio(env: Env, request: Request, workspace_id: string | undefined, isQuestion: boolean): Promise<Response> {
  const report = twilioReportOf(Object.fromEntries(await signedForm(env, request)))
  if (!report || !v.is(Id, workspace_id)) return twiml('')
  if (!isQuestion) {
    await enqueue(env.DELIVERIES, { type: 'call.event', workspace_id, report })
    return twiml('')
  }
  const transfer = (await routeOf(jobsDatabaseOf(env), report.phone_number))?.transfer_number
  // The call is put through even if its report is lost: the next one has all of it.
  await enqueue(env.DELIVERIES, { type: 'call.event', workspace_id, report }).catch(() => {})
  return twiml(transfer ? `<Dial timeout="30">${transfer}</Dial>` : '<Reject reason="busy"/>')
}

/** The status of a bundle is looked up, so that late and repeated reports do no harm. */
async function receiveBundleStatus(env: Env, request: Request, workspace_id?: string, phone_bundle_id?: string): Promise<Response> {
  await signedForm(env, request)
  if (v.is(Id, workspace_id) && v.is(Id, phone_bundle_id))
    await enqueue(env.MESSAGES, { type: 'phone.sync', workspace_id, phone_bundle_id })
  return new Response(null, { status: 204 })
}

/** The form that Twilio has posted. It signs the address that it was given, which may differ from that behind a proxy. */
async function signedForm({ SMS_AUTH_TOKEN: token, API_URL }: Env, request: Request): Promise<URLSearchParams> {
  if (!token) throw new AppError('NOT_FOUND', 'No such path')
  const { pathname, search } = new URL(request.url)
  const form = new URLSearchParams(utf8In(await bodyOf(request, MAX_FORM)))
  const signature = request.headers.get('x-twilio-signature') ?? ''
  if (!isTwilioSigned(token, new URL(pathname + search, API_URL).href, form, signature)) throw unsigned()
  return form
}

const unsigned = () => new AppError('UNAUTHENTICATED', 'The signature is missing, wrong, or older than five minutes')

const variablesOf = (route: NumberRoute | null) =>
  route?.transfer_number ? { dynamic_variables: { transfer_number: route.transfer_number } } : {}

type Message =
  | { type: 'call.event'; workspace_id: string; report: CallReport }
  | { type: 'phone.sync'; workspace_id: string; phone_bundle_id: string }

/** @throws UNAVAILABLE, for which the provider posts it again. */
async function enqueue(queue: Queue<unknown>, message: Message): Promise<void> {
  try {
    await queue.send(message)
  } catch {
    throw new AppError('UNAVAILABLE', 'The report could not be stored: send it again', undefined, 10)
  }
}

function jsonIn(bytes: Uint8Array<ArrayBuffer>): unknown {
  try {
    return JSON.parse(utf8In(bytes))
  } catch {
    return undefined
  }
}
