import { GrantEnded } from '../../accounts/plans/grants.ts'
import { AccountFailure } from '../../accounts/provider/port.ts'
import type { Attached, Delivery } from '../../email/provider/port.ts'
import { senderHeader } from '../../email/rules/emails.ts'
import type { ClaimedMessage } from '../../messages/plans/outcomes.ts'
import { toMime } from '../rules/mime.ts'
import { type MailboxAccess, type MailboxRef, withMailbox } from './access.ts'

const refOf = (workspace_id: string, { mailbox_id, provider }: ClaimedMessage): MailboxRef | undefined =>
  mailbox_id === null ? undefined : { workspace_id, mailbox_id, provider: provider ?? '' }
const GONE = 'The mailbox is no longer connected'

/** Hands an email to the mailbox that it is sent from. Never throws. */
export async function sendFromMailbox(
  access: MailboxAccess,
  workspaceId: string,
  message: ClaimedMessage,
  headers: Record<string, string>,
  attachments: Attached[],
): Promise<Delivery> {
  const ref = refOf(workspaceId, message)
  if (!ref) return { outcome: 'refused', reason: GONE }
  const { recipient: to, cc, bcc, reply_to: replyTo, body_text: text, body_html } = message
  const raw = toMime({
    from: senderHeader(message.sender_name, message.sender_email ?? ''),
    to,
    cc,
    bcc,
    replyTo,
    headers,
    text,
    attachments,
    subject: message.subject ?? '',
    html: body_html ?? '',
    date: new Date(),
  })
  try {
    return await withMailbox(access, ref, ({ mailbox }, token) => mailbox.send(token, { raw, thread_id: message.outside_thread_id }))
  } catch (error) {
    if (error instanceof GrantEnded) return { outcome: 'refused', reason: `The mailbox must be connected again: ${error.message}` }
    // What has failed was before the email was handed over.
    return { outcome: 'unavailable', reason: error instanceof AccountFailure ? error.message : String(error) }
  }
}

/**
 * Finds an email that may have been sent, by its Message-ID. @throws GrantEnded while its mailbox is not connected, Error when there is no
 * response
 */
export async function findInMailbox(access: MailboxAccess, workspaceId: string, message: ClaimedMessage): Promise<string | undefined> {
  const ref = refOf(workspaceId, message)
  if (!ref || !message.threading) throw new GrantEnded(null)
  const { internet_id } = message.threading
  const found = await withMailbox(access, ref, ({ mailbox }, token) => mailbox.find(token, internet_id))
  return found?.id
}
