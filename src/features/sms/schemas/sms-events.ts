import * as v from 'valibot'
import { Id } from '../../../schemas/fields.ts'
import { MAX_MEDIA, mediaTypeOf } from '../../message-media/rules/message-media.ts'
import { DELIVERY_OF, MAX_SMS_CHARACTERS, SMS_KEYWORDS } from '../rules/sms.ts'

const sid = v.pipe(v.string(), v.regex(/^(SM|MM)[0-9a-zA-Z]{1,60}$/))
const phone = v.pipe(v.string(), v.regex(/^\+?[0-9]{2,20}$/))

/** What the SMS provider has posted, as the queue carries it. `keyword`: one that the provider has recognised, and replied to itself. */
export const SmsEvent = v.variant('kind', [
  v.object({
    kind: v.literal('received'),
    provider_message_id: sid,
    from: phone,
    to: phone,
    body: v.string(),
    media_count: v.number(),
    /** Its files: by what the provider knows them, or why they cannot be fetched. */
    media: v.optional(v.array(v.object({ source: v.string(), content_type: v.nullable(v.string()), error: v.nullable(v.string()) })), []),
    keyword: v.nullable(v.picklist(SMS_KEYWORDS)),
    /** When it was posted. The queue may deliver messages in another order. */
    received_at: v.optional(v.string()),
  }),
  v.object({
    kind: v.literal('report'),
    message_id: Id,
    provider_message_id: sid,
    /** Null: the provider has accepted the message. */
    status: v.nullable(v.picklist(['sent', 'undelivered', 'failed', 'delivered', 'read'])),
    error_code: v.nullable(v.string()),
  }),
])
export type SmsEvent = v.InferOutput<typeof SmsEvent>
export type SmsReceived = Extract<SmsEvent, { kind: 'received' }>
export type SmsReport = Extract<SmsEvent, { kind: 'report' }>

const Received = v.object({ MessageSid: sid, From: phone, To: phone, Body: v.optional(v.string(), '') })

/**
 * A message in the form of Twilio's webhook (https://www.twilio.com/docs/messaging/guides/webhook-request); undefined for any other form.
 */
export function smsReceivedOf(form: Record<string, string>, now: Date): SmsReceived | undefined {
  const found = v.safeParse(Received, form)
  if (!found.success) return undefined
  const { MessageSid, From, To, Body } = found.output
  const keyword = SMS_KEYWORDS.find((one) => one === form.OptOutType?.toLowerCase()) ?? null
  // PostgreSQL stores no null characters, and a lone surrogate is no text.
  const body = Body.replaceAll('\0', '').slice(0, MAX_SMS_CHARACTERS).toWellFormed()
  return {
    kind: 'received',
    provider_message_id: MessageSid,
    from: From,
    to: To,
    body,
    keyword,
    received_at: now.toISOString(),
    media_count: mediaCount(form),
    media: Array.from({ length: mediaCount(form) }, (_, n) => mediaOf(form[`MediaUrl${n}`] ?? '', form[`MediaContentType${n}`])),
  }
}

const mediaCount = (form: Record<string, string>) => Math.min(Number(/^\d{1,2}$/.exec(form.NumMedia ?? '')?.[0] ?? 0), MAX_MEDIA)

/** A file of a message. Only its ids are kept of the address, which is made again of that of the account. */
function mediaOf(url: string, type: string | undefined) {
  const [, source] = MEDIA_URL.exec(url) ?? []
  const content_type = mediaTypeOf(type)
  return source
    ? { source, content_type, error: null }
    : { source: '', content_type, error: 'The provider has named no address of the file' }
}
const MEDIA_URL = /\/Messages\/((?:SM|MM)[0-9a-zA-Z]{1,60}\/Media\/ME[0-9a-zA-Z]{1,60})$/

const Reported = v.object({ MessageSid: sid, MessageStatus: v.string() })

/** The outcome of a message (https://www.twilio.com/docs/messaging/guides/track-outbound-message-status); undefined for any other form. */
export function smsReportOf(message_id: string, form: Record<string, string>): SmsReport | undefined {
  const found = v.safeParse(Reported, form)
  if (!found.success || !v.is(Id, message_id)) return undefined
  const { MessageSid, MessageStatus } = found.output
  const error_code = /^\d{3,6}$/.exec(form.ErrorCode ?? '')?.[0] ?? null
  return { kind: 'report', message_id, provider_message_id: MessageSid, status: DELIVERY_OF[MessageStatus] ?? null, error_code }
}
