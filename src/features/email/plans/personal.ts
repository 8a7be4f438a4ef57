import { type SQL, sql } from 'drizzle-orm'
import { AppError, invalid } from '../../../errors.ts'
import type { Sender } from './dispatch.ts'

/** A connected mailbox, as the sender of an email (mailbox_sender). */
export type MailboxFacts = {
  id: string
  user_id: string
  status: string
  account_email: string
  sender_email: string | null
  full_name: string | null
  aliases: { email: string; name: string | null }[]
}
/** From whose mailbox an email is sent. */
export type SendingMailbox = { id: string; user_id: string }

/** A JSON object with the facts about the mailbox of a member; null without one. */
export const mailboxFacts = (userId: string | undefined): SQL => (userId === undefined ? sql`null` : sql`mailbox_sender(${userId}::uuid)`)

type Sent = { mode: string; sender_user_id?: string | undefined }

/**
 * The sender of an email in personal mode; null in company mode. `alias`: the one of the email config that was named.
 * @throws MAILBOX_USER_REQUIRED, MAILBOX_NOT_CONNECTED, ALIAS_NOT_CONNECTED
 */
export function personalSender(
  { mode, sender_user_id }: Sent,
  mailbox: MailboxFacts | null,
  alias: string | null,
): { sender: Sender; mailbox: SendingMailbox } | null {
  if (mode === 'company') return null
  if (sender_user_id === undefined)
    throw new AppError('MAILBOX_USER_REQUIRED', 'Send sender_user_id: the member from whose mailbox the email is sent')
  if (mailbox?.status !== 'connected')
    throw new AppError('MAILBOX_NOT_CONNECTED', 'This member has not connected a mailbox: send in company mode')
  const email = alias ?? mailbox.sender_email ?? mailbox.account_email
  const chosen = mailbox.aliases.find((one) => one.email === email)
  if (!chosen && email !== mailbox.account_email)
    throw new AppError('ALIAS_NOT_CONNECTED', `${email} is none of the aliases of this member's mailbox`)
  return {
    sender: { from_email: email, from_name: chosen?.name ?? mailbox.full_name, staff_email: null, alias: null },
    mailbox: { id: mailbox.id, user_id: mailbox.user_id },
  }
}

/** Refuses to reply to a conversation of a mailbox from anywhere else. @throws VALIDATION_ERROR */
export function assertSameMailbox(privateTo: string | null, mailbox: SendingMailbox | null | undefined): void {
  if (privateTo === null || privateTo === mailbox?.user_id) return
  const message = `This conversation is in the mailbox of a member: reply with mode personal and sender_user_id ${privateTo}`
  throw invalid([{ path: mailbox ? 'sender_user_id' : 'mode', message }])
}
