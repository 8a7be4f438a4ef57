/** The channels of the inbox. Each is also the resource of the scopes that reading and changing its conversations take. */
export const INBOX_CHANNELS = ['email', 'sms', 'whatsapp'] as const
export type InboxChannel = (typeof INBOX_CHANNELS)[number]
export const INBOX_STATUSES = ['open', 'snoozed', 'closed'] as const
export type InboxStatus = (typeof INBOX_STATUSES)[number]
/** The longest that a conversation is snoozed, in days. */
export const MAX_SNOOZE_DAYS = 366

/** A change of the status. A time alone snoozes the conversation. */
export type StatusChange = { status?: InboxStatus | undefined; snoozed_until?: string | null | undefined }

/** What is wrong with snoozed_until: it is not in the future, or it is missing, so that nobody knows how long to snooze. */
export function snoozeFault({ status, snoozed_until }: StatusChange, now: Date): string | undefined {
  if (snoozed_until == null) {
    if (status === 'snoozed') return 'Send the time until which the conversation is snoozed'
    return snoozed_until === null && status === undefined ? 'Send the status open to end a snooze' : undefined
  }
  if (status !== undefined && status !== 'snoozed') return `Leave it out, or send the status snoozed instead of ${status}`
  const ahead = new Date(snoozed_until).getTime() - now.getTime()
  if (ahead <= 0) return 'must be in the future'
  return ahead > MAX_SNOOZE_DAYS * 86_400_000 ? `must be at most ${MAX_SNOOZE_DAYS} days ahead` : undefined
}
