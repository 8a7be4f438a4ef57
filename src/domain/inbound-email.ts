import { toEmailAddress } from './email-addresses.ts'
import { MAX_ATTACHMENTS, MAX_BODY, MAX_RECIPIENTS, MAX_REFERENCES, MAX_SUBJECT, messageIdsIn, threadIn } from './emails.ts'

/** An attachment as it was posted: `content` is in base64. */
export type PostedAttachment = { name: string; content_type: string; content: string }
/** An email that the mail provider has received. */
export type InboundEmail = {
  from_email: string
  from_name: string | null
  reply_to: string | null
  to: string[]
  cc: string[]
  subject: string
  text: string
  /** What the sender wrote, without the quoted messages. */
  stripped_text: string
  html: string | null
  /** The Message-ID without its angle brackets. */
  internet_id: string
  in_reply_to: string | null
  references: string[]
  /** The thread that the address names to which it was sent. */
  named_thread_id: string | null
  attachments: PostedAttachment[]
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

/**
 * Reads what Postmark posts for an email that it has received (https://postmarkapp.com/developer/webhooks/inbound-webhook). Undefined without a sender, to whom nothing
 * could be attributed.
 */
export function readInbound(posted: unknown): InboundEmail | undefined {
  if (!isObject(posted)) return undefined
  const sender = isObject(posted.FromFull) ? posted.FromFull : {}
  const from_email = addressOf(sender.Email) ?? addressOf(posted.From)
  if (from_email === undefined) return undefined
  const header = (name: string) =>
    objects(posted.Headers).find(({ Name }) => String(Name).toLowerCase() === name)?.Value as string | undefined
  const [in_reply_to = null] = messageIdsIn(header('in-reply-to'))
  const [internet_id = `${lineOf(posted.MessageID, 100)}@inbound.postmarkapp.com`] = messageIdsIn(header('message-id'))
  const hashes = [posted.MailboxHash, ...objects(posted.ToFull).map(({ MailboxHash }) => MailboxHash)]
  const text = textOf(posted.TextBody, MAX_BODY)
  return {
    from_email,
    from_name: lineOf(sender.Name, 120) || null,
    reply_to: addressOf(/<([^<>]+)>/.exec(textOf(posted.ReplyTo, 1000))?.[1] ?? posted.ReplyTo) ?? null,
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
      .flatMap(({ Name, Content, ContentType }) =>
        typeof Content === 'string'
          ? [{ name: lineOf(Name, 150) || 'file', content_type: lineOf(ContentType, 120) || 'application/octet-stream', content: Content }]
          : [],
      ),
  }
}
