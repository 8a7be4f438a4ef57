import type { Files } from '../../../providers/files/port.ts'
import type { Mailer } from '../../email/provider/port.ts'
import { senderHeader } from '../../email/rules/emails.ts'
import type { MailboxAccess } from '../../mailboxes/plans/access.ts'
import { findInMailbox, sendFromMailbox } from '../../mailboxes/plans/attempt.ts'
import type { Telephony } from '../../sms/provider/port.ts'
import { attemptOnce } from './attempt-once.ts'
import { attemptSms } from './attempt-sms.ts'
import { filesToSend } from './files-to-send.ts'
import type { ClaimedMessage, Outcome } from './outcomes.ts'

/** What keeps an auto responder at the other side from answering (RFC 3834, 5; Exchange has a header of its own). */
const AUTO_REPLY = { 'Auto-Submitted': 'auto-replied', 'X-Auto-Response-Suppress': 'All' }

/** The headers of a conversation (RFC 5322, 3.6.4), and of an auto reply. */
function headersOf({ threading, is_auto_reply }: ClaimedMessage): Record<string, string> {
  if (!threading) return {}
  const { internet_id, in_reply_to, reference_ids } = threading
  return {
    ...(is_auto_reply && AUTO_REPLY),
    'Message-ID': `<${internet_id}>`,
    ...(in_reply_to && { 'In-Reply-To': `<${in_reply_to}>` }),
    ...(reference_ids.length > 0 && { References: reference_ids.map((id) => `<${id}>`).join(' ') }),
  }
}

/** One click ends such messages (RFC 2369, 3.2; RFC 8058, 3.1). */
const unsubscribeHeaders = ({ unsubscribe_url: url }: ClaimedMessage): Record<string, string> =>
  url === undefined ? {} : { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }

/** The providers of the deployment, by channel, and where files are stored. */
export type Senders = { mailer: Mailer; telephony: Telephony | undefined; files: Pick<Files, 'read'>; mailboxes: MailboxAccess }

/**
 * Hands a claimed message to the provider of its channel, or looks up one whose outcome is unclear. Never throws: every failure is an
 * outcome.
 */
export const attempt = (senders: Senders, workspaceId: string, message: ClaimedMessage): Promise<Outcome> =>
  message.channel === 'sms' ? attemptSms(senders.telephony, workspaceId, message) : attemptEmail(senders, workspaceId, message)

const attemptEmail = (senders: Senders, workspaceId: string, message: ClaimedMessage): Promise<Outcome> =>
  message.provider === 'gmail' ? attemptPersonal(senders, workspaceId, message) : attemptCompany(senders, workspaceId, message)

const attemptPersonal = ({ mailboxes, files }: Senders, workspaceId: string, message: ClaimedMessage): Promise<Outcome> =>
  attemptOnce(message, {
    find: () => findInMailbox(mailboxes, workspaceId, message),
    async send() {
      const stored = await filesToSend(files, workspaceId, message.attachments)
      if ('outcome' in stored) return stored
      return sendFromMailbox(mailboxes, workspaceId, message, headersOf(message), stored.attachments)
    },
  })

const attemptCompany = ({ mailer: { from, provider }, files }: Senders, workspaceId: string, message: ClaimedMessage): Promise<Outcome> =>
  attemptOnce(message, {
    find: () => provider.find('message_id', message.id),
    async send() {
      const stored = await filesToSend(files, workspaceId, message.attachments)
      if ('outcome' in stored) return stored
      return provider.send({
        from: message.sender_email ? senderHeader(message.sender_name, message.sender_email) : from,
        to: message.recipient,
        cc: message.cc,
        bcc: message.bcc,
        replyTo: message.reply_to,
        // Postmark replaces a Message-ID unless X-PM-KeepID says to keep it.
        headers: { ...unsubscribeHeaders(message), ...headersOf(message), ...(message.threading && { 'X-PM-KeepID': 'true' }) },
        subject: message.subject ?? '',
        text: message.body_text,
        html: message.body_html ?? '',
        tag: message.purpose,
        metadata: { workspace_id: workspaceId, message_id: message.id },
        attachments: [...stored.attachments, ...(message.made ?? [])],
      })
    },
  })
