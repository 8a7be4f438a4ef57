import { MAX_BODY, MAX_REFERENCES, MAX_SUBJECT, messageIdsIn } from '../../email/rules/emails.ts'
import type { InboundEmail } from '../../email/rules/inbound-email.ts'
import { addressesIn, decodeText, type Header, headerIn, isAutomatic, isBulk, readHeader } from '../../email/rules/mail-headers.ts'
import type { MailPart } from '../../email/rules/mail-parts.ts'

/** An email as a mailbox has it; `labels` say where it is. */
export type MailHead = { id: string; thread_id: string; labels: string[]; headers: Header[]; received_at: string }
export type MailboxEmail = MailHead & { payload: MailPart }

/**
 * Where emails are that were neither received nor sent: those that the member is writing or has deleted, chats, and those that the provider
 * keeps away.
 */
const NEITHER = new Set(['DRAFT', 'SPAM', 'TRASH', 'CHAT'])
/** The headers by which it is decided whether an email is read. */
export const DECIDING_HEADERS = ['From', 'To', 'Cc', 'Bcc', 'Message-ID']

/** Between whom an email is. `correspondents`: who has sent a received one, or to whom the member has sent one at the provider. */
type Sides = { direction: 'inbound' | 'outbound'; from_email: string; internet_id: string; correspondents: string[] }

/** Between whom an email is; undefined for one that was neither received nor sent, or that names nobody. */
export function sidesOf({ id, labels, headers }: MailHead): Sides | undefined {
  const [from] = addressesIn(headerIn(headers, 'from'))
  if (!from || labels.some((label) => NEITHER.has(label))) return undefined
  const [internet_id = `${id}@mail.gmail.com`] = messageIdsIn(headerIn(headers, 'message-id'))
  const of = { from_email: from.email, internet_id }
  if (!labels.includes('SENT')) return { ...of, direction: 'inbound', correspondents: [from.email] }
  const recipients = ['to', 'cc', 'bcc'].flatMap((name) => addressesIn(headerIn(headers, name)).map(({ email }) => email))
  return recipients.length === 0 ? undefined : { ...of, direction: 'outbound', correspondents: [...new Set(recipients)] }
}

/**
 * The text of a part, whose content is in base64url. Gmail serves texts in UTF-8, whatever charset their header names, and the content of
 * files as it was sent. A text that it serves as a file is in UTF-8 if it can be.
 */
export function textOfPart({ headers }: MailPart, data: string): string {
  const charset = /charset="?([^";\s]+)/i.exec(headerIn(headers, 'content-type'))?.[1] ?? 'utf-8'
  return readText(Buffer.from(data, 'base64url'), charset).replaceAll('\u0000', '').slice(0, MAX_BODY).toWellFormed()
}

const ESCAPE = 0x1b
function readText(bytes: Uint8Array, charset: string): string {
  // A text of ISO-2022 is valid UTF-8, too, and its escape sequences are in no other one.
  if (/^iso-2022/i.test(charset) && bytes.includes(ESCAPE)) return decodeText(bytes, charset)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    return decodeText(bytes, charset)
  }
}

/** An email with the text and the HTML of its parts. Its files are stored by themselves. */
export function readMailboxEmail(email: MailboxEmail, text: string, html: string | null): (InboundEmail & Sides) | undefined {
  const sides = sidesOf(email)
  if (!sides) return undefined
  const header = (name: string) => headerIn(email.headers, name)
  const [from] = addressesIn(header('from'))
  const emails = (name: string) => addressesIn(header(name)).map(({ email }) => email)
  const [in_reply_to = null] = messageIdsIn(header('in-reply-to'))
  return {
    ...sides,
    from_name: from?.name ?? null,
    reply_to: emails('reply-to')[0] ?? null,
    to: emails('to'),
    cc: emails('cc'),
    subject: readHeader(header('subject'), MAX_SUBJECT) || '(no subject)',
    text,
    stripped_text: text,
    html,
    in_reply_to,
    references: messageIdsIn(header('references')).slice(-MAX_REFERENCES),
    named_thread_id: null,
    attachments: [],
    sent_at: email.received_at,
    is_automatic: sides.direction === 'inbound' && isAutomatic(header, sides.from_email),
    is_bulk: isBulk(header, [sides.from_email]),
  }
}
