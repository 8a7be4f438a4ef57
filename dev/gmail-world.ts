import { randomUUID } from 'node:crypto'
import { type MimeEmail, toMime } from '../src/features/mailboxes/rules/mime.ts'
import { decodedHeader, type MimePart, readMime, textOfMime } from './mime-reader.ts'

export interface GmailMessage {
  id: string
  threadId: string
  labelIds: string[]
  receivedAt: number
  mime: MimePart
}
export type GmailAlias = { sendAsEmail: string; displayName: string; isPrimary: boolean; verificationStatus?: string }

export interface GmailBox {
  email: string
  aliases: GmailAlias[]
  messages: Map<string, GmailMessage>
  /** The messages that were added, or that lost labels, each with the number of the change. */
  history: { at: number; id: string; removed?: string[] }[]
  changes: number
  /** Changes before it are forgotten. */
  oldest: number
  /** `labels`: those of the messages that are reported; none for all. */
  watch: { topic: string; labels: string[]; expiration: number } | undefined
}

/** What Pub/Sub posts about a change (https://developers.google.com/gmail/api/guides/push). */
export type GmailPush = { message: { data: string; messageId: string; publishTime: string }; subscription: string }
type MailFields = Partial<MimeEmail> & { from: string; to: string; messageId?: string; inReplyTo?: string }
export type Received = Omit<MailFields, 'to'> & { to?: string; labels?: string[] }
export type Composed = Omit<MailFields, 'from'> & { from?: string; labels?: string[] }

export const headerOf = ({ mime }: GmailMessage, name: string): string =>
  decodedHeader(mime.headers.find((one) => one.name.toLowerCase() === name.toLowerCase())?.value ?? '')
/** The text of the first part of a type. */
export function textIn(part: MimePart, type: string): string {
  if (part.type === type && part.filename === '') return textOfMime(part)
  for (const inner of part.parts) {
    const found = textIn(inner, type)
    if (found !== '') return found
  }
  return ''
}

/** The mailboxes of the emulated Gmail, and what their owners and correspondents do. */
export class GmailWorld {
  readonly boxes = new Map<string, GmailBox>()
  /** Serves headers as they were written, and texts apart from their message: as the documentation allows, and Gmail mostly does not. */
  isLenient = false
  /** The most entries of a page, which may be fewer than requested. */
  pageSize = Number.POSITIVE_INFINITY
  readonly #push: (push: GmailPush) => void

  constructor(push: (push: GmailPush) => void) {
    this.#push = push
  }

  box(email: string): GmailBox {
    const known = this.boxes.get(email)
    if (known) return known
    const aliases = [{ sendAsEmail: email, displayName: '', isPrimary: true }]
    const box: GmailBox = { email, aliases, messages: new Map(), history: [], changes: 1000, oldest: 0, watch: undefined }
    this.boxes.set(email, box)
    return box
  }

  addAlias(email: string, sendAsEmail: string, displayName = '', verificationStatus = 'accepted'): void {
    this.box(email).aliases.push({ sendAsEmail, displayName, isPrimary: false, verificationStatus })
  }

  /** An email arrives. A reply belongs to the conversation of what it answers. */
  receive(email: string, { labels = ['INBOX', 'UNREAD'], ...fields }: Received): GmailMessage {
    return this.#write(email, { to: email, ...fields }, labels)
  }

  /** An email arrives as another program has written it. */
  receiveRaw(email: string, raw: Buffer, labels = ['INBOX', 'UNREAD']): GmailMessage {
    return this.#add(email, raw, undefined, labels)
  }

  /** The owner sends an email from Gmail itself, or with other labels writes a draft. */
  compose(email: string, { labels = ['SENT'], ...fields }: Composed): GmailMessage {
    return this.#write(email, { from: email, ...fields }, labels)
  }

  #write(
    email: string,
    { messageId = `${randomUUID()}@outside.example`, inReplyTo, ...fields }: MailFields,
    labels: string[],
  ): GmailMessage {
    const reply = inReplyTo === undefined ? undefined : `<${inReplyTo}>`
    const raw = toMime({
      cc: [],
      bcc: [],
      replyTo: null,
      subject: 'Hello',
      text: 'Hello',
      html: '<p>Hello</p>',
      date: new Date(),
      attachments: [],
      ...fields,
      headers: { 'Message-ID': `<${messageId}>`, ...(reply && { 'In-Reply-To': reply, References: reply }), ...fields.headers },
    })
    const answered = [...this.box(email).messages.values()].find((one) => headerOf(one, 'Message-ID') === reply)
    return this.#add(email, raw, answered?.threadId, labels)
  }

  /** The recipient answers an email that was sent from the mailbox, to the address that it was sent as. */
  answer(email: string, sent: GmailMessage, text: string): GmailMessage {
    const messageId = headerOf(sent, 'Message-ID')
    return this.receive(email, {
      from: headerOf(sent, 'To'),
      to: headerOf(sent, 'Reply-To') || headerOf(sent, 'From'),
      subject: `Re: ${headerOf(sent, 'Subject').replace(/^(Re:\s*)+/i, '')}`,
      text,
      html: `<p>${text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`).replaceAll('\n', '<br>')}</p>`,
      inReplyTo: messageId.replace(/[<>]/g, ''),
      headers: { References: `${headerOf(sent, 'References')} ${messageId}`.trim() },
    })
  }

  /** The recipient answers the email that was sent last. */
  answerLast(email: string, text: string): GmailMessage {
    const last = this.sent(email).at(-1)
    if (!last) throw new Error(`Nothing was sent from ${email}`)
    return this.answer(email, last, text)
  }

  /** The owner moves an email: from the spam to the inbox, or with other labels elsewhere. */
  move(email: string, message: GmailMessage, labels = ['INBOX']): void {
    const box = this.box(email)
    const removed = message.labelIds.filter((label) => !labels.includes(label))
    message.labelIds = labels
    box.history.push({ at: ++box.changes, id: message.id, removed })
    this.#report(email, message)
  }

  /** What is in the mailboxes, oldest first. */
  shown(): object[] {
    return [...this.boxes.values()].flatMap(({ email, messages }) =>
      [...messages.values()].map((one) => ({
        mailbox: email,
        id: one.id,
        thread: one.threadId,
        labels: one.labelIds,
        from: headerOf(one, 'From'),
        to: headerOf(one, 'To'),
        subject: headerOf(one, 'Subject'),
        text: textIn(one.mime, 'text/plain'),
        html: textIn(one.mime, 'text/html'),
      })),
    )
  }

  /** `users.messages.send`; undefined for a conversation that does not exist. */
  send(email: string, raw: string, threadId: string | undefined): GmailMessage | undefined {
    if (threadId !== undefined && ![...this.box(email).messages.values()].some((one) => one.threadId === threadId)) return undefined
    return this.#add(email, raw, threadId, ['SENT'])
  }

  /** What was sent from a mailbox, oldest first. */
  sent(email: string): GmailMessage[] {
    return [...this.box(email).messages.values()].filter(({ labelIds }) => labelIds.includes('SENT'))
  }

  /** Forgets the changes until now, as Gmail does after about a week. */
  forget(email: string): void {
    const box = this.box(email)
    box.oldest = ++box.changes
  }

  /** What Pub/Sub posts about the last change of a mailbox. */
  push(email: string): GmailPush {
    const data = Buffer.from(JSON.stringify({ emailAddress: email, historyId: this.box(email).changes })).toString('base64')
    return {
      message: { data, messageId: String(Date.now()), publishTime: new Date().toISOString() },
      subscription: 'projects/crm/subscriptions/gmail',
    }
  }

  clear(): void {
    this.boxes.clear()
    this.isLenient = false
    this.pageSize = Number.POSITIVE_INFINITY
  }

  #add(email: string, raw: string | Buffer, threadId: string | undefined, labelIds: string[]): GmailMessage {
    const box = this.box(email)
    const id = randomUUID().replaceAll('-', '').slice(0, 16)
    const message = { id, threadId: threadId ?? id, labelIds, receivedAt: Date.now(), mime: readMime(raw) }
    box.messages.set(id, message)
    box.history.push({ at: ++box.changes, id })
    this.#report(email, message)
    return message
  }

  #report(email: string, { labelIds }: GmailMessage): void {
    const { labels = [], expiration = 0 } = this.box(email).watch ?? {}
    const isReported = labels.length === 0 || labelIds.some((label) => labels.includes(label))
    if (isReported && expiration > Date.now()) this.#push(this.push(email))
  }
}
