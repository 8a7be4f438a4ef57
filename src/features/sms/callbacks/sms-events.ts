import { AppError } from '../../../errors.ts'
import type { Posted } from '../../../http/posted.ts'
import { bodyOf, utf8In } from '../../../http/receive.ts'
import { isTwilioSigned } from '../../../lib/provider-signatures.ts'
import { type SmsEvent, smsReceivedOf, smsReportOf } from '../schemas/sms-events.ts'

const MAX_POSTED = 100_000

/**
 * Takes what the SMS provider posts: a message that was received, or a report about one that was sent. Its signature is checked over the
 * address and the form; then it is handed to the queue, and answered at once. @throws NOT_FOUND when this deployment has no account,
 * UNAUTHENTICATED for a wrong signature, UNAVAILABLE when it could not be handed over.
 */
export async function receiveSmsEvent({ env, request, now }: Posted): Promise<Response> {
  const { SMS_AUTH_TOKEN: token } = env
  if (!token) throw new AppError('NOT_FOUND', 'No such path')
  const { pathname, search } = new URL(request.url)
  const form = new URLSearchParams(utf8In(await bodyOf(request, MAX_POSTED)))
  const signature = request.headers.get('x-twilio-signature') ?? ''
  // The provider signs the address that it was given, which may differ from that behind a proxy.
  const address = new URL(pathname + search, env.API_URL).href
  if (!isTwilioSigned(token, address, form, signature)) throw new AppError('UNAUTHENTICATED', 'The signature is missing or wrong')
  const event = eventOf(pathname, Object.fromEntries(form), now)
  if (!event) return heard()
  try {
    await env.DELIVERIES.send(event)
  } catch {
    throw new AppError('UNAVAILABLE', 'The message could not be stored: send it again', undefined, 10)
  }
  return heard()
}

const heard = () => new Response('<?xml version="1.0" encoding="UTF-8"?><Response/>', { headers: { 'Content-Type': 'text/xml' } })

type Queued = { type: 'sms.event'; workspace_id: string; event: SmsEvent }

/** Undefined for what says nothing about a message, which is accepted, because the provider would repeat it. */
function eventOf(pathname: string, form: Record<string, string>, now: Date): Queued | undefined {
  const [, , workspace_id = '', message_id] = pathname.split('/')
  const event = message_id === undefined ? smsReceivedOf(form, now) : smsReportOf(message_id, form)
  return event && UUID.test(workspace_id) ? { type: 'sms.event', workspace_id, event } : undefined
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
