import { toEmailAddress } from '../../../domain/email-addresses.ts'
import { MAX_ATTACHMENTS, MAX_BODY, MAX_RECIPIENTS, MAX_REFERENCES, MAX_SUBJECT, messageIdsIn, threadIn } from './emails.ts'
import { isAutomatic, isBulk } from './mail-headers.ts'
import { contentIdIn, fileNameFor } from './mail-parts.ts'

/** An attachment as it was posted: `content` is in base64. */
export type PostedAttachment = { name: string; content_type: string; content_id: string | null; content: string }
/** An email that the mail provider has received. */
export type InboundEmail = {
  from_email: string
  from_name: string | null
  reply_to: string | null
  to: string[]
  cc: string[]
  subject: string
  text: string
  /** The text without the messages that the provider has recognised as quoted. */
  stripped_text: string
  html: string | null
  /** The Message-ID without its angle brackets. */
  internet_id: string
  in_reply_to: string | null
  references: string[]
  /** The thread that the address names to which it was sent. */
  named_thread_id: string | null
  attachments: PostedAttachment[]
  /** ISO 8601; null for an email that does not say when it was sent. */
  sent_at: string | null
  /** Whether it was sent by no person, such as an out-of-office reply (RFC 3834). */
  is_automatic: boolean
  /** Whether it is from a list, or from an address that nobody reads. */
  is_bulk: boolean
}

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** Text that the database can store. */
const textOf = (value: unknown, max: number): string =>
  typeof value === 'string' ? value.slice(0, max).replaceAll('\u0000', '').toWellFormed() : ''
const lineOf = (value: unknown, max: number): string =>
  textOf(value, max * 2)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, max)
    .toWellFormed()
const addressOf = (value: unknown): string | undefined => (typeof value === 'string' ? toEmailAddress(value.trim()) : undefined)
const addressesOf = (value: unknown): string[] =>
  objects(value)
    .slice(0, MAX_RECIPIENTS)
    .flatMap(({ Email }) => addressOf(Email) ?? [])

function attachmentOf(name: unknown, content: string, type: unknown, contentId: unknown): PostedAttachment {
  const content_type = lineOf(type, 120) || 'application/octet-stream'
  const mediaType = content_type.split(';')[0]?.trim().toLowerCase() ?? ''
  return { name: fileNameFor(lineOf(name, 300), mediaType), content_type, content_id: contentIdIn(contentId), content }
}

const timeOf = (value: unknown): string | null => {
  const time = Date.parse(textOf(value, 100).replace(/(?<!\s)\s*\([^()]*\)\s*$/, ''))
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

/** Within this time a Date header is that of the arrival: it has no fractions of a second, and clocks differ. */
const SAME_TIME_MS = 60_000
/** An email that says it is older has a wrong clock. */
const OLDEST_MS = 30 * 86_400_000

/** When an email was sent, as far as its Date header can be believed: an email that was held up is older than its arrival. */
export function timeOfEmail(sent_at: string | null, arrived: Date): string {
  const age = sent_at === null ? 0 : arrived.getTime() - Date.parse(sent_at)
  return sent_at !== null && age > SAME_TIME_MS && age <= OLDEST_MS ? sent_at : arrived.toISOString()
}

/**
 * Reads what Postmark posts for an email that it has received (https://postmarkapp.com/developer/webhooks/inbound-webhook). Undefined
 * without a sender, to whom nothing could be attributed.
 */
export function readInbound(posted: unknown): InboundEmail | undefined {
  if (!isObject(posted)) return undefined
  const sender = isObject(posted.FromFull) ? posted.FromFull : {}
  const from_email = addressOf(sender.Email) ?? addressOf(posted.From)
  if (from_email === undefined) return undefined
  const header = (name: string) => textOf(objects(posted.Headers).find(({ Name }) => String(Name).toLowerCase() === name)?.Value, 100_000)
  const [in_reply_to = null] = messageIdsIn(header('in-reply-to'))
  const [internet_id = `${lineOf(posted.MessageID, 100)}@inbound.postmarkapp.com`] = messageIdsIn(header('message-id'))
  const hashes = [posted.MailboxHash, ...objects(posted.ToFull).map(({ MailboxHash }) => MailboxHash)]
  const reply_to = addressOf(/<([^<>]+)>/.exec(textOf(posted.ReplyTo, 1000))?.[1] ?? posted.ReplyTo) ?? null
  const text = textOf(posted.TextBody, MAX_BODY)
  return {
    from_email,
    from_name: lineOf(sender.Name, 120) || null,
    reply_to,
    to: addressesOf(posted.ToFull),
    cc: addressesOf(posted.CcFull),
    subject: lineOf(posted.Subject, MAX_SUBJECT) || '(no subject)',
    text,
    stripped_text: textOf(posted.StrippedTextReply, MAX_BODY) || text,
    html: textOf(posted.HtmlBody, MAX_BODY) || null,
    internet_id,
    in_reply_to,
    references: messageIdsIn(header('references')).slice(-MAX_REFERENCES),
    named_thread_id: hashes.flatMap((hash) => (typeof hash === 'string' ? (threadIn(hash) ?? []) : []))[0] ?? null,
    attachments: objects(posted.Attachments)
      .slice(0, MAX_ATTACHMENTS)
      .flatMap(({ Name, Content, ContentType, ContentID }) =>
        typeof Content === 'string' ? [attachmentOf(Name, Content, ContentType, ContentID)] : [],
      ),
    sent_at: timeOf(posted.Date) ?? timeOf(header('date')),
    is_automatic: isAutomatic(header, from_email),
    is_bulk: isBulk(header, [from_email, ...(reply_to ? [reply_to] : [])]),
  }
}
