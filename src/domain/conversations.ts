import { type Issue, invalid } from '../errors.ts'

/** The channels of the inbox. Each is also the resource of the scopes that reading and changing its conversations take. */
export const INBOX_CHANNELS = ['email', 'sms', 'whatsapp'] as const
export type InboxChannel = (typeof INBOX_CHANNELS)[number]
export const INBOX_STATUSES = ['open', 'snoozed', 'closed'] as const
export type InboxStatus = (typeof INBOX_STATUSES)[number]
/** The longest that a conversation is snoozed, in days. */
export const MAX_SNOOZE_DAYS = 366

type Sent = { status?: InboxStatus | undefined; snoozed_until?: string | null | undefined }

/**
 * The status that a change asks for. A time alone snoozes the conversation. @throws VALIDATION_ERROR for a time that is not in the future, or without which
 * nobody knows how long to snooze.
 */
export function statusFor({ status, snoozed_until }: Sent, now: Date): { status?: InboxStatus; snoozed_until?: string } {
  const issue = (message: string): Issue[] => [{ path: 'snoozed_until', message }]
  if (snoozed_until == null) {
    if (status === 'snoozed') throw invalid(issue('Send the time until which the conversation is snoozed'))
    if (snoozed_until === null && status === undefined) throw invalid(issue('Send the status open to end a snooze'))
    return status === undefined ? {} : { status }
  }
  if (status !== undefined && status !== 'snoozed') throw invalid(issue(`Leave it out, or send the status snoozed instead of ${status}`))
  const ahead = new Date(snoozed_until).getTime() - now.getTime()
  if (ahead <= 0) throw invalid(issue('must be in the future'))
  if (ahead > MAX_SNOOZE_DAYS * 86_400_000) throw invalid(issue(`must be at most ${MAX_SNOOZE_DAYS} days ahead`))
  return { status: 'snoozed', snoozed_until }
}
