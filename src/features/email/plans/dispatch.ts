import { eq, sql } from 'drizzle-orm'
import { messages } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Plan, plan, withOutside } from '../../../data/plan.ts'
import { mapResult, oneOrThrow } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { AppError } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { mailboxAccessIn } from '../../mailboxes/plans/access.ts'
import { attempt } from '../../messages/plans/attempt.ts'
import type { ClaimedMessage, Outcome } from '../../messages/plans/outcomes.ts'
import { toReservation } from '../../messages/plans/send-message.ts'
import { MAX_PARTICIPANTS, MAX_THREAD_LINKS, parseSender, referencesOf, replyAddress, snippetOf } from '../rules/emails.ts'
import { EmailLog } from '../schemas/emails.ts'
import { assertReadable, attachmentRows, type StoredFile } from './attached.ts'
import type { Content } from './content.ts'
import type { SendingMailbox } from './personal.ts'

/** The seconds that a request has to send an email itself. After them its outcome is unclear, and the queue asks the provider. */
const LEASE = 60

/** Who sends: an email config, or the address of the deployment. */
export type Sender = {
  from_email: string
  from_name: string | null
  staff_email: string | null
  /** The send-as address of a mailbox that an email config names. */
  alias: string | null
}
/**
 * The place of an email in its conversation. `after`: the message that it replies to. `private_to`: the member whose mailbox the
 * conversation is in, at the provider `outside_thread_id`.
 */
export type Place = {
  thread_id: string
  is_new: boolean
  contact_id: string | null
  deal_id: string | null
  customer_id: string | null
  after: { internet_id: string; reference_ids: string[] } | null
  private_to: string | null
  outside_thread_id: string | null
}
export type Outgoing = {
  purpose: 'email' | 'reply'
  recipient: string
  subject: string
  content: Content
  files: StoredFile[]
  cc: string[]
  bcc: string[]
  sender: Sender
  /** The mailbox that sends it; null: the mail provider of the workspace does. */
  mailbox: SendingMailbox | null
  sender_user_id: string | null
  workspace_id: string
  has_inbox: boolean
  place: Place
}

const logColumns = {
  type: sql<EmailLog['type']>`messages.purpose`.as('type'),
  recipient_email: sql<string>`messages.recipient`.as('recipient_email'),
}
export const emailLogColumns = columnsFor(messages, EmailLog, logColumns)
export const logOf = (id: string) => oneOrThrow(db.select(emailLogColumns).from(messages).where(eq(messages.id, id)), 'email')

/** The sender of workspaces without an email config. */
export const defaultSender = (from: string): Sender => {
  const { name, address } = parseSender(from)
  return { from_email: address, from_name: name, staff_email: null, alias: null }
}

type Personal = { sender: Sender; mailbox: SendingMailbox } | null
type Company = { sender: Sender | null; user_id: string | null; workspace_id: string; has_inbox: boolean }

/** Who sends an email: a mailbox, or else an email config, or the address of the deployment (`from`). */
export const senderOf = (personal: Personal, { sender, user_id, workspace_id, has_inbox }: Company, from: string) => ({
  ...(personal ?? { sender: sender ?? defaultSender(from), mailbox: null }),
  sender_user_id: personal?.mailbox.user_id ?? user_id,
  workspace_id,
  has_inbox,
})

/**
 * The rows of an email (reserve_email), and what is handed to the provider. `key`: what makes it one email, however often it is reserved.
 */
export function toRows({ recipient, subject, content, cc, bcc, sender, mailbox, place, purpose, ...outgoing }: Outgoing, key: string) {
  const reserved = toReservation({
    channel: 'email',
    purpose,
    contact_id: place.contact_id,
    recipient,
    subject,
    text: content.text,
    html: content.html,
    dedupe_key: key,
  })
  if ('code' in reserved) throw new AppError(reserved.code, reserved.message)
  const internet_id = `${newId()}@${parseSender(sender.from_email).domain}`
  const references = place.after ? referencesOf(place.after.reference_ids, place.after.internet_id) : []
  const threading = { internet_id, in_reply_to: place.after?.internet_id ?? null, reference_ids: references }
  const reply_to = mailbox ? null : outgoing.has_inbox ? replyAddress(sender.from_email, place.thread_id) : sender.staff_email
  const of = { deal_id: place.deal_id, customer_id: place.customer_id, thread_id: place.thread_id }
  const message = {
    ...reserved,
    ...of,
    provider: mailbox ? 'gmail' : 'postmark',
    private_to: place.private_to,
    sender_email: sender.from_email,
    sender_name: sender.from_name,
    sender_user_id: outgoing.sender_user_id,
    reply_to,
    cc,
    bcc,
  }
  const email = {
    id: newId(),
    direction: 'outbound',
    message_id: reserved.id,
    ...threading,
    reply_to,
    from_email: sender.from_email,
    from_name: sender.from_name,
    to_emails: [recipient],
    cc_emails: cc,
  }
  const thread = { ...place, id: place.thread_id, subject: reserved.subject }
  const participants = [sender.from_email, recipient, ...cc]
  const attachments = attachmentRows(outgoing.files)
  return { rows: { message, attachments, email, thread, participants, snippet: snippetOf(content.text) }, threading }
}

/** What else a send does in its first transaction. */
type Around = { before: Statement[]; after: (messageId: string) => Statement[] }

/**
 * Sends an email: its rows are written first, then the provider gets it, then the outcome is stored. One that the provider does not take
 * now waits for the queue, and one whose outcome is unclear is looked up before anything is sent again. @throws PROVIDER_ERROR when the
 * provider refuses it, EMAIL_LOG_FAILED.
 */
export function dispatch(ctx: Ctx, outgoing: Outgoing, { before, after }: Around = { before: [], after: () => [] }): Plan<EmailLog> {
  const { rows, threading } = toRows(outgoing, ctx.effectKey)
  const is_auto_reply = ctx.effectKey.startsWith('step:auto_reply:')
  const { message, attachments } = rows
  const claimed: ClaimedMessage = {
    ...message,
    expires_at: null,
    threading,
    is_auto_reply,
    attachments,
    status: 'sending',
    attempts: 1,
    created_at: ctx.now.toISOString(),
    suppressed: false,
    notice: null,
    link: null,
    portal: null,
    review: null,
    contact: null,
    sender_phone: null,
    known_ids: [],
    quote: null,
    mailbox_id: outgoing.mailbox?.id ?? null,
    outside_thread_id: outgoing.mailbox ? outgoing.place.outside_thread_id : null,
  }
  const { mailer } = ctx.deployment
  const senders = { mailer, telephony: undefined, files: ctx.files, mailboxes: mailboxAccessIn(ctx.deployment) }
  const reserve = call('reserve_email', JSON.stringify(rows), LEASE, MAX_THREAD_LINKS, MAX_PARTICIPANTS)
  const allowed = outgoing.mailbox !== null && call('assert_mailbox_sender', outgoing.mailbox.user_id)
  return withOutside<EmailLog, Outcome, EmailLog>(
    plan([...before, allowed, assertReadable(outgoing.files), reserve, ...after(message.id)], logOf(message.id)),
    {
      call: () => attempt(senders, outgoing.workspace_id, claimed),
      settle: (_, called) => (called.ok ? [call('settle_email', JSON.stringify(called.value))] : []),
      result: ({ id }) => mapResult(logOf(id), accepted),
      unrecorded: (_, called, error) => (called.ok && called.value.status === 'sent' ? logFailed(called.value, error) : error),
    },
  )
}

export function accepted(log: EmailLog): EmailLog {
  if (log.status !== 'failed') return log
  const details = { provider: log.provider ?? 'email', message_id: log.id, reason: log.error ?? '' }
  throw new AppError('PROVIDER_ERROR', `The email was not sent: the provider refused it (${log.error})`, details)
}

const logFailed = ({ provider_message_id }: Outcome, error: unknown): unknown =>
  error instanceof AppError && error.code !== 'UNAVAILABLE' && error.code !== 'INTERNAL'
    ? error
    : new AppError('EMAIL_LOG_FAILED', 'The email was delivered, but that could not be recorded: do not send it again', {
        message_id: provider_message_id ?? '',
      })
