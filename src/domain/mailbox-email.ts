import { toEmailAddress } from './email-addresses.ts'
import { MAX_ATTACHMENTS, MAX_BODY, MAX_RECIPIENTS, MAX_REFERENCES, MAX_SUBJECT, messageIdsIn } from './emails.ts'
import type { InboundEmail } from './inbound-email.ts'

export type Header = { name: string; value: string }
/** A part of an email. Its content is in base64url, or is fetched by `attachment_id`. */
export type MailPart = {
  mime_type: string
  filename: string
  headers: Header[]
  data: string | null
  attachment_id: string | null
  size: number
  parts: MailPart[]
}
/** An email as a mailbox has it; `labels` say where it is. */
export type MailHead = { id: string; thread_id: string; labels: string[]; headers: Header[]; received_at: string }
export type MailboxEmail = MailHead & { payload: MailPart }

/** Where emails are that were neither received nor sent: those that the member is writing or has deleted, chats, and those that the provider keeps away. */
const NEITHER = new Set(['DRAFT', 'SPAM', 'TRASH', 'CHAT'])
/** The headers by which it is decided whether an email is read. */
export const DECIDING_HEADERS = ['From', 'To', 'Cc', 'Bcc', 'Message-ID']

const headerIn = (headers: Header[], name: string): string =>
  headers
    .find((one) => one.name.toLowerCase() === name)
    ?.value.slice(0, 100_000)
    .replaceAll('\u0000', '')
    .toWellFormed() ?? ''

function decoded(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/** A header with its encoded words read (RFC 2047), on one line. */
export function readHeader(value: string, most: number): string {
  const words = value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?([\w-]+)(?:\*[\w-]*)?\?([BbQq])\?([^?\s]*)\?=/g, (_, charset, kind, text) => {
      const quoted = () =>
        text.replaceAll('_', ' ').replace(/=([0-9A-Fa-f]{2})/g, (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      return decoded(kind.toUpperCase() === 'B' ? Buffer.from(text, 'base64') : Buffer.from(quoted(), 'latin1'), charset)
    })
  return words
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, most)
    .toWellFormed()
}

type Address = { email: string; name: string | null }
/** The addresses in a header such as `"Lee, Ana" <ana@example.com>, ben@example.com`. */
function addressesIn(header: string): Address[] {
  return mailboxesIn(header).flatMap(({ address, name }) => {
    const email = toEmailAddress(address)
    return email === undefined ? [] : [{ email, name: readHeader(name, 120) || null }]
  })
}

/** The addresses with what stands before each. The header is read once, whatever a stranger has written into it. */
function mailboxesIn(header: string): { address: string; name: string }[] {
  const found: { address: string; name: string }[] = []
  const last = header.lastIndexOf('"')
  let [text, bracket, isQuoted] = ['', -1, false]
  const end = () => {
    const angled = bracket < 0 ? undefined : text.slice(bracket).trim()
    const bare = angled === undefined ? text.split(/\s+/).filter((word) => word.includes('@')) : []
    if (angled !== undefined) found.push({ address: angled, name: text.slice(0, bracket).trim() })
    for (const address of bare) found.push({ address, name: '' })
    ;[text, bracket] = ['', -1]
  }
  for (let at = 0; at < header.length && found.length < MAX_RECIPIENTS; at++) {
    const sign = header[at] as string
    // A quotation mark without another one is part of the text.
    if (sign === '"' && (isQuoted || at < last)) isQuoted = !isQuoted
    else if (isQuoted) text += sign === '\\' ? header[++at] : sign
    else if (sign === '<') bracket = text.length
    else if (sign === ',' || sign === ';' || sign === '>') end()
    else text += sign
  }
  end()
  return found.slice(0, MAX_RECIPIENTS)
}

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

const partsOf = (part: MailPart): MailPart[] => [part, ...part.parts.flatMap(partsOf)]
const isFile = ({ filename, headers }: MailPart) => filename !== '' || /^\s*attachment/i.test(headerIn(headers, 'content-disposition'))

/** The parts with the text and the HTML of an email, and its files. */
export function contentParts({ payload }: MailboxEmail): { text: MailPart | undefined; html: MailPart | undefined; files: MailPart[] } {
  const parts = partsOf(payload)
  const shown = parts.filter((part) => !isFile(part))
  const of = (type: string) => shown.find(({ mime_type }) => mime_type === type)
  return { text: of('text/plain'), html: of('text/html'), files: parts.filter(isFile).slice(0, MAX_ATTACHMENTS) }
}

export const fileNameOf = ({ filename }: MailPart): string => readHeader(filename, 150) || 'file'
export const fileTypeOf = ({ mime_type }: MailPart): string => readHeader(mime_type, 120) || 'application/octet-stream'

/** The text of a part, whose content is in base64url. */
export function textOfPart({ headers }: MailPart, data: string): string {
  const charset = /charset="?([^";\s]+)/i.exec(headerIn(headers, 'content-type'))?.[1] ?? 'utf-8'
  return decoded(Buffer.from(data, 'base64url'), charset).replaceAll('\u0000', '').slice(0, MAX_BODY).toWellFormed()
}

/** What the sender wrote, without the quoted messages below. */
function withoutQuotes(text: string): string {
  const lines = text.split('\n')
  const end = lines.findIndex(
    (line, n) => /^\s*(?:On\b.{0,300}\bwrote:|-{2,}\s*Original Message\s*-{2,})\s*$/i.test(line) || (n > 0 && line.startsWith('>')),
  )
  return lines
    .slice(0, end < 0 ? undefined : end)
    .join('\n')
    .trim()
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
    ...{ ...sides, from_name: from?.name ?? null, reply_to: emails('reply-to')[0] ?? null, to: emails('to'), cc: emails('cc') },
    ...{ subject: readHeader(header('subject'), MAX_SUBJECT) || '(no subject)', text, stripped_text: withoutQuotes(text) || text, html },
    ...{ in_reply_to, references: messageIdsIn(header('references')).slice(-MAX_REFERENCES), named_thread_id: null, attachments: [] },
  }
}
