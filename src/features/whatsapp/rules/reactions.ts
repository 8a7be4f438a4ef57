import { MAX_MESSAGE_ATTEMPTS, secondsUntilRetry } from '../../messages/rules/messages.ts'

/** `queued` until WhatsApp has accepted the reaction, or has not in several attempts. */
export const REACTION_STATUSES = ['queued', 'sent', 'failed'] as const

/** An emoji that people see as one, such as 👍, 👍🏽, 🇦🇺 or ❤. */
export const isOneEmoji = (text: string): boolean => /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic})$/v.test(text)

/** The most reactions of a message that are looked at, the latest ones. */
export const MAX_REACTIONS = 100

/** What has come of a call to the provider: it is done, refused for good, not possible now, or there was no answer. */
export type CallOutcome = { outcome: 'done' } | { outcome: 'refused' | 'unavailable' | 'unclear'; reason: string }

/**
 * What follows for a reaction or a read receipt: sending it again changes nothing, so that it is not looked up before. `wait`: the seconds
 * until the next attempt; null: the last one has failed.
 */
export function followUp(called: CallOutcome, attempts: number): { ok: true } | { ok: false; reason: string; wait: number | null } {
  if (called.outcome === 'done') return { ok: true }
  const isLast = called.outcome === 'refused' || attempts >= MAX_MESSAGE_ATTEMPTS
  return { ok: false, reason: called.reason, wait: isLast ? null : secondsUntilRetry(attempts) }
}
