import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import { newId } from '../../../lib/ids.ts'
import { chargeFor } from '../../billing/rules/credits.ts'
import { smsSize } from '../../sms/rules/sms.ts'
import { type Channel, isConfigured, type MESSAGE_PURPOSES } from '../rules/messages.ts'

/** A message to send. `dedupe_key` is unique in the workspace: a second message with the same key is not sent. */
export type NewMessage = {
  channel: Channel
  purpose: (typeof MESSAGE_PURPOSES)[number]
  contact_id: string | null
  /** An email address or a phone number, as contacts store it. */
  recipient: string
  subject: string | null
  text: string
  html: string | null
  dedupe_key: string
  /** Of an SMS, the number of the workspace; by default the latest one that the recipient has heard from. */
  sender_phone?: string | null
  /** The address that replies to an email go to, if it is not the sender. */
  reply_to?: string | null | undefined
  /** Who sends an email, if it is not the deployment. */
  sender_email?: string | undefined
  sender_name?: string | undefined
  /** Of an SMS, whether it has files. */
  has_files?: boolean
  /** ISO 8601; the message is not sent after this time. */
  expires_at?: string | null
}

/** A row of the send ledger (reserve_messages). */
export type Reservation = Omit<NewMessage, 'text' | 'html' | 'has_files'> & {
  id: string
  body_text: string
  body_html: string | null
  /** The units of a channel with a price, and what they cost. */
  segments: number | null
  credits: number
}
export type Refusal = { code: 'CHANNEL_NOT_CONFIGURED'; message: string }

/**
 * The ledger row of a message, or why there is none: a channel that is not configured sends nothing, and stores nothing that seems to be
 * sent.
 */
export function toReservation({ text, html, has_files, ...message }: NewMessage): Reservation | Refusal {
  const { channel } = message
  if (!isConfigured(channel)) return { code: 'CHANNEL_NOT_CONFIGURED', message: `This workspace cannot send through ${channel} yet` }
  // One line, so that no header can follow it.
  const subject = message.subject?.replace(/[\s\p{Cc}]+/gu, ' ').trim() ?? null
  const charge = chargeFor(channel, channel === 'sms' ? smsSize(text).segments : 1, has_files)
  return { ...message, subject, id: newId(), body_text: text, body_html: html, ...charge }
}

/**
 * Sends a message: returns the statement that reserves it, which the caller runs in the transaction of what the message is for. The queue
 * hands it to the provider after the commit; `wake` (src/wake.ts) does so at once, and the cron job within a minute.
 */
export function sendMessage(message: NewMessage): { id: string; statement: Statement } | Refusal {
  const reserved = toReservation(message)
  return 'code' in reserved ? reserved : { id: reserved.id, statement: call('reserve_messages', JSON.stringify([reserved])) }
}
