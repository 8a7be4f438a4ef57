import { randomUUID } from 'node:crypto'
import type { SentEmail } from './email-emulator.ts'

/** What a person sends: the parts of a reply or of a new email. */
export interface EmailParts {
  from: string
  name?: string
  to?: string
  cc?: string[]
  subject?: string
  text?: string
  html?: string
  attachments?: { Name: string; Content: string; ContentType: string }[]
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
      ...attachment,
      ContentLength: Buffer.from(attachment.Content, 'base64').length,
      ContentID: '',
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
