import { storableText } from '../../../lib/text.ts'

export const CALL_PROVIDERS = ['retell', 'twilio'] as const
export const CALL_DIRECTIONS = ['inbound', 'outbound'] as const

/** In their order: a call moves on, and never back. The last five are its outcomes. */
export const CALL_STATUSES = ['ringing', 'in_progress', 'completed', 'no_answer', 'busy', 'canceled', 'failed'] as const
export type CallStatus = (typeof CALL_STATUSES)[number]
export const CALL_SENTIMENTS = ['positive', 'neutral', 'negative', 'unknown'] as const

/** What a report knows of a call: that it goes on, how it ended, or also what was said. */
export const CALL_STAGES = ['started', 'ended', 'analyzed'] as const

/** The status of each outcome in the words of the voice provider; a call that was answered is completed. */
const OUTCOMES: Record<string, CallStatus> = {
  dial_no_answer: 'no_answer',
  dial_busy: 'busy',
  user_declined: 'busy',
  dial_failed: 'failed',
  invalid_destination: 'failed',
  no_valid_payment: 'failed',
  concurrency_limit_reached: 'failed',
  no_concurrency_fallback: 'failed',
}

export function outcomeOfReason(reason: string): CallStatus {
  return OUTCOMES[reason] ?? (/^(error_|telephony_|sip_)/.test(reason) ? 'failed' : 'completed')
}

/** The status of each of Twilio's (https://www.twilio.com/docs/voice/api/call-resource#call-status-values). */
export const STATUS_OF_TWILIO: Readonly<Record<string, CallStatus>> = {
  queued: 'ringing',
  initiated: 'ringing',
  ringing: 'ringing',
  'in-progress': 'in_progress',
  completed: 'completed',
  busy: 'busy',
  failed: 'failed',
  'no-answer': 'no_answer',
  canceled: 'canceled',
}

/** The bytes of a transcript that are kept: what a message of the queue can carry. */
const MAX_TRANSCRIPT_BYTES = 60_000

/** The beginning of a text that is stored. PostgreSQL stores no null characters, and a lone surrogate is no text. */
export function storable(text: string, bytes = MAX_TRANSCRIPT_BYTES): string {
  const whole = storableText(text)
  const { read } = new TextEncoder().encodeInto(whole, new Uint8Array(bytes))
  return whole.slice(0, read)
}
