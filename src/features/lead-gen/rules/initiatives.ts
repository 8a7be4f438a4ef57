/** `ended`: something else than the last step has ended it. */
export const ENROLMENT_STATUSES = ['active', 'paused', 'completed', 'ended'] as const
export const TASK_STATUSES = ['pending', 'paused', 'fired', 'skipped', 'cancelled'] as const

/** What ends an enrolment before its last step. */
export const END_REASONS = [
  'replied',
  'bounced',
  'unsubscribed',
  'suppressed',
  'booked',
  'converted',
  'archived',
  'no_address',
  'no_consent',
] as const
export type EndReason = (typeof END_REASONS)[number]

/** The most steps of an initiative, and the most minutes before a step: a year. */
export const MAX_LEAD_STEPS = 50
export const MAX_DELAY_MINUTES = 527_040
/** The most tasks that one call fires. */
export const MAX_TASKS = 100

/** The cadence of an initiative. Times are local, HH:MM; day 0 is Sunday. */
export type Cadence = {
  daily_send_cap: number
  send_window_start: string
  send_window_end: string
  send_days: readonly number[]
  timezone: string
  min_gap_seconds: number
}
