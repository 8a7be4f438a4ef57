import type { LinkPurpose } from '../../../lib/link-tokens.ts'
import { loggable } from '../../../lib/text.ts'
import type { Attached, Delivery } from '../../email/provider/port.ts'
import type { NoticeFacts } from '../../scheduling/rules/notice-facts.ts'
import { BOOKING_CHANGED, isTrueOf, type NoticeKind, type NoticeState } from '../../scheduling/rules/notices.ts'
import { smsSuppressionOf } from '../../sms/rules/sms.ts'
import { type Channel, MAX_MESSAGE_ATTEMPTS, secondsUntilRetry } from '../rules/messages.ts'
import { canReach } from '../rules/reachability.ts'

/** What the message of a notice is completed with (message_notice). */
export type MessageNotice = { kind: NoticeKind; state: NoticeState; management_token: string | null; facts: NoticeFacts }

/** The link of an email to a visitor who has no booking yet (message_link). */
export type MessageLink = { purpose: LinkPurpose; id: string; company_slug: string; is_current: boolean }

/** What the address and the PIN of a portal follow from (message_portal). */
export type MessagePortal = { token_seed: string; token_hash: string; pin_seed: string; is_current: boolean }

/** What the personal link of a request for a review follows from (message_review). */
export type MessageReview = { token_seed: string; token_hash: string; is_current: boolean }

/** A message that was claimed (claim_messages). `contact` is null if it is to nobody in particular. */
export type ClaimedMessage = {
  id: string
  channel: Channel
  purpose: string
  status: 'sending' | 'unclear'
  recipient: string
  subject: string | null
  body_text: string
  body_html: string | null
  attempts: number
  created_at: string
  expires_at: string | null
  /** Of an email with a sender of its own; otherwise it comes from the deployment's address. */
  sender_email: string | null
  sender_name: string | null
  reply_to: string | null
  cc: string[]
  bcc: string[]
  /** The headers of a message of a conversation. */
  threading: { internet_id: string; in_reply_to: string | null; reference_ids: string[] } | null
  /** Whether an auto responder has sent it by itself. */
  is_auto_reply: boolean
  /** The files of an email; `source_id` is null for one that was deleted. */
  attachments: { name: string; content_type: string; size: number; source_id: string | null }[]
  /** Who sends it, of an email: the mail provider, or that of a member's mailbox; null: that is no longer connected. */
  provider: string | null
  mailbox_id: string | null
  /** The conversation in the mailbox. */
  outside_thread_id: string | null
  /** Of an SMS, the number that it is sent from. */
  sender_phone: string | null
  /** Of an SMS whose outcome is unclear, the provider's ids of other messages to the recipient. */
  known_ids: string[]
  /** Of a message of WhatsApp, the one of its chat that it replies to. */
  quote: { key_id: string; from_me: boolean; sender_jid: string | null; sender_phone: string | null; text: string } | null
  suppressed: boolean
  /** Of a notice of a booking: the booking as it is now. Null if there is none any more. */
  notice: MessageNotice | null
  link: MessageLink | null
  /** Of the address or the PIN of a portal: the portal, unless it has others by now. */
  portal: MessagePortal | null
  /** Of a request for a review. Null if there is none any more. */
  review: MessageReview | null
  /** Where one click in a mail program ends such messages (RFC 8058), of one that has such an address. */
  unsubscribe_url?: string
  /** Files that are made when the message is handed over, such as the calendar entry of a notice. */
  made?: Attached[]
  contact: { archived: boolean; email_unsubscribed: boolean; sms_unsubscribed: boolean; whatsapp_unsubscribed: boolean } | null
}
/** Its outcome (settle_messages). `wait`: the seconds until it is due again. */
export type Outcome = {
  id: string
  attempts: number
  status: 'queued' | 'sent' | 'failed' | 'unclear'
  error: string | null
  provider_message_id: string | null
  wait: number
  /** The conversation in the mailbox that it was sent from. */
  outside_thread_id?: string
  /** Why a phone number gets no more SMS. */
  suppress?: 'unsubscribed' | 'hard_bounce' | null
}

/** The provider lists a message a little after it has accepted it, so it is asked after so many seconds. */
const UNTIL_LISTED = 120
/** After so long without a response about its outcome, a message has failed. */
const MOST_DOUBT = 3 * 86_400_000
const UNKNOWN = 'It is not known whether the message was sent: the provider did not say so for three days'
/** Whoever connects the mailbox again has the message looked up at once (store_mailbox). */
const UNTIL_CONNECTED = 3600
const DISCONNECTED = {
  unclear: 'It is not known whether the email was sent: connect its mailbox again within three days, and it is looked up there',
  failed:
    'It is not known whether the email was sent: its mailbox was not connected again. Look into its sent emails before you send it again',
}

const outcome = ({ id, attempts }: ClaimedMessage, status: Outcome['status'], more: Partial<Outcome> = {}): Outcome => ({
  id,
  attempts,
  status,
  error: null,
  provider_message_id: null,
  wait: 0,
  ...more,
})
const failed = (message: ClaimedMessage, error: string) => outcome(message, 'failed', { error })

const isStillTrue = (notice: MessageNotice | null): boolean => notice !== null && isTrueOf(notice.kind, notice.facts)

/** Why a message is not handed to the provider after all, though it was reserved. */
export function refusalOf(message: ClaimedMessage, now: Date): Outcome | undefined {
  if (message.expires_at && new Date(message.expires_at) <= now) return failed(message, 'expired')
  if (message.purpose === 'booking' && !isStillTrue(message.notice) && !message.link?.is_current) return failed(message, BOOKING_CHANGED)
  if (message.purpose === 'portal' && !message.portal?.is_current)
    return failed(message, 'The portal was revoked, or has another address or PIN')
  if (message.purpose === 'review' && !message.review?.is_current)
    return failed(message, 'The request for a review has ended: there is a review, or it was cancelled')
  const { channel, recipient, contact, suppressed } = message
  const anyone = { archived: false, email_unsubscribed: false, sms_unsubscribed: false, whatsapp_unsubscribed: false }
  const to = {
    ...(contact ?? anyone),
    email: recipient,
    phone: recipient,
    suppressed: suppressed ? [channel] : [],
    configured: [channel],
    zone: 'UTC',
    quiet_hours: null,
  }
  const reach = canReach(to, channel, now)
  return reach.reachable ? undefined : failed(message, reach.reason)
}

const sentAs = ({ message_id, thread_id }: { message_id: string; thread_id?: string }) => ({
  provider_message_id: message_id,
  ...(thread_id !== undefined && { outside_thread_id: thread_id }),
})

/** What an attempt has led to. A temporary failure is repeated, more and more slowly. */
export function settled(message: ClaimedMessage, delivery: Delivery): Outcome {
  if (delivery.outcome === 'sent') return outcome(message, 'sent', sentAs(delivery))
  const error = loggable(delivery.reason, 500)
  if (delivery.outcome === 'unclear') return outcome(message, 'unclear', { error, wait: UNTIL_LISTED })
  if (delivery.outcome === 'refused' || message.attempts >= MAX_MESSAGE_ATTEMPTS)
    return outcome(message, 'failed', { error, ...(message.channel === 'sms' && { suppress: smsSuppressionOf(error) }) })
  return outcome(message, 'queued', { error, wait: secondsUntilRetry(message.attempts) })
}

/** What a look-up finds. `isDisconnected`: nobody can be asked until a member connects the mailbox again. */
type Found = { id: string | undefined } | { error: string; isDisconnected: boolean }

/** What a look-up at the provider has led to: its id of the message, none, or no response. */
export function reconciled(message: ClaimedMessage, found: Found, now: Date): Outcome {
  if ('error' in found) {
    const { isDisconnected } = found
    if (now.getTime() - Date.parse(message.created_at) > MOST_DOUBT) return failed(message, isDisconnected ? DISCONNECTED.failed : UNKNOWN)
    if (isDisconnected) return outcome(message, 'unclear', { error: DISCONNECTED.unclear, wait: UNTIL_CONNECTED })
    return outcome(message, 'unclear', { error: loggable(found.error, 500), wait: UNTIL_LISTED })
  }
  if (found.id !== undefined) return outcome(message, 'sent', { provider_message_id: found.id })
  if (message.attempts >= MAX_MESSAGE_ATTEMPTS) return failed(message, `The provider did not accept it in ${message.attempts} attempts`)
  return outcome(message, 'queued')
}
