import { randomUUID } from 'node:crypto'
import type { SentEmail } from './email-emulator.ts'
import { decodedHeader, type MimePart, readMime, textOfMime } from './mime-reader.ts'

/** What a person sends: the parts of a reply or of a new email. */
export interface EmailParts {
  from: string
  name?: string
  to?: string
  cc?: string[]
  subject?: string
  text?: string
  html?: string
  attachments?: { Name: string; Content: string; ContentType: string; ContentID?: string }[]
  headers?: { Name: string; Value: string }[]
  messageId?: string
}

const headerOf = (sent: SentEmail, name: string) => sent.Headers?.find(({ Name }) => Name.toLowerCase() === name)?.Value
const bare = (address: string) => (/<([^<>]+)>\s*$/.exec(address)?.[1] ?? address).trim()

/** The address without the part after `+`, which Postmark calls the mailbox hash. */
function recipientOf(address: string) {
  const Email = bare(address)
  return { Email, Name: '', MailboxHash: /\+([^@]+)@/.exec(Email)?.[1] ?? '' }
}

/** An email in the format of Postmark's inbound webhook (https://postmarkapp.com/developer/webhooks/inbound-webhook). */
export function inboundEmail({ from, name = '', to = '', cc = [], subject = '', text = '', html = '', ...written }: EmailParts) {
  const recipient = recipientOf(to)
  const { attachments = [], headers = [], messageId = `${randomUUID()}@mail.example.com` } = written
  return {
    FromName: name,
    From: from,
    FromFull: { Email: from, Name: name, MailboxHash: '' },
    To: to,
    ToFull: [recipient],
    Cc: cc.join(', '),
    CcFull: cc.map(recipientOf),
    Bcc: '',
    BccFull: [],
    OriginalRecipient: recipient.Email,
    Subject: subject,
    MessageID: randomUUID(),
    ReplyTo: '',
    MailboxHash: recipient.MailboxHash,
    Date: new Date().toUTCString(),
    TextBody: text,
    HtmlBody: html,
    StrippedTextReply: text.split(/\n(?=On .* wrote:)/)[0] ?? '',
    Tag: '',
    MessageStream: 'inbound',
    Headers: [{ Name: 'Message-ID', Value: `<${messageId}>` }, ...headers],
    Attachments: attachments.map((attachment) => ({
      ContentID: '',
      ...attachment,
      ContentLength: Buffer.from(attachment.Content, 'base64').length,
    })),
  }
}

/** What the recipient of an email sends when they reply to it. */
export function replyTo(sent: SentEmail, written: Partial<EmailParts>) {
  const id = headerOf(sent, 'message-id') ?? `<${sent.MessageID}@mtasv.net>`
  const references = [headerOf(sent, 'references'), id].filter(Boolean).join(' ')
  return inboundEmail({
    from: bare(sent.To ?? ''),
    to: sent.ReplyTo ?? sent.From ?? '',
    subject: `Re: ${(sent.Subject ?? '').replace(/^(Re:\s*)+/i, '')}`,
    ...written,
    headers: [{ Name: 'In-Reply-To', Value: id }, { Name: 'References', Value: references }, ...(written.headers ?? [])],
  })
}

const header = ({ headers }: MimePart, name: string) => decodedHeader(headers.find((one) => one.name.toLowerCase() === name)?.value ?? '')
/** The parts of an email that have content. An email within an email is one of them. */
const leavesOf = (part: MimePart): MimePart[] =>
  part.parts.length > 0 && part.type !== 'message/rfc822' ? part.parts.flatMap(leavesOf) : [part]
const isBody = (part: MimePart, type: string) =>
  part.type === type && part.filename === '' && !/^\s*attachment/i.test(header(part, 'content-disposition'))

/** What Gmail calls an email within an email that has no name. */
const GMAILS_NAME = /^noname\.eml$/

/**
 * An email that a mail program has written, as Postmark posts it to an address. Of several texts, its documentation does not say which are
 * in the body: all of them (strict), or the first one, so that the others are files, without any field that may be missing, and with the
 * whole email (lenient).
 */
export function foreignEmail(raw: Buffer, to: string, isLenient: boolean) {
  const mime = readMime(raw)
  const leaves = leavesOf(mime)
  const bodies = (type: string) => leaves.filter((part) => isBody(part, type)).slice(0, isLenient ? 1 : undefined)
  const [texts, htmls] = [bodies('text/plain'), bodies('text/html')]
  const sender = header(mime, 'from')
  const files = leaves.filter((part) => ![...texts, ...htmls].includes(part))
  const { StrippedTextReply, Tag, FromName, ...posted } = inboundEmail({
    from: bare(sender.replace(/\(.*\)/, '')),
    name: /^\s*"?(.*?)"?\s*</.exec(sender)?.[1] ?? '',
    to,
    subject: header(mime, 'subject'),
    text: texts.map(textOfMime).join('\n'),
    html: htmls.map(textOfMime).join(''),
    headers: mime.headers
      .filter(({ name }) => name.toLowerCase() !== 'message-id')
      .map(({ name, value }) => ({ Name: name, Value: value })),
    messageId: header(mime, 'message-id').replace(/[<>]/g, ''),
    attachments: files.map((part) => ({
      Name: part.filename.replace(GMAILS_NAME, ''),
      Content: part.content.toString('base64'),
      ContentType: part.type,
      ContentID: header(part, 'content-id').replace(/[<>]/g, ''),
    })),
  })
  const optional = { HtmlBody: posted.HtmlBody || null, TextBody: posted.TextBody || null, ReplyTo: null, MailboxHash: null }
  return isLenient ? { ...posted, ...optional, RawEmail: raw.toString('latin1') } : { ...posted, StrippedTextReply, Tag, FromName }
}
