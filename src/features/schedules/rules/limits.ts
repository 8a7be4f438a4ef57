/** Who a schedule fires for: one run of its automation for each of them. */
export const AUDIENCE_TYPES = ['users', 'tasks_by_assignee', 'contacts', 'deals'] as const
export type AudienceType = (typeof AUDIENCE_TYPES)[number]

/** What happens about times that were missed (see due.ts). */
export const MISFIRE_POLICIES = ['skip', 'run_latest', 'run_all'] as const
export type MisfirePolicy = (typeof MISFIRE_POLICIES)[number]

export const SCHEDULE_RUN_STATUSES = ['completed', 'partial', 'failed'] as const

/** A fire that is at most so many minutes late is on time: that much the clock, or a tick, may be off. */
export const ON_TIME_MINUTES = 5
export const DEFAULT_GRACE_MINUTES = 60
/** The longest grace period, and the longest time over which runs are spread. */
export const MAX_MINUTES = 1440
/** The most fires of a schedule in one round of a tick, and of a preview. */
export const MAX_FIRES = 100
/** The most runs that one statement starts. */
export const MAX_BATCH = 5_000
/** The most records that one statement looks at to find them. */
export const MAX_WALKED = 20_000
/** The most records of a preview that are counted. */
export const MAX_COUNTED = 100_000
/** The most rows of a preview, and tasks of a row. */
export const MAX_SAMPLE = 50
export const MAX_TASKS = 100
/** How long the fires of schedules are kept, in days. */
export const SCHEDULE_RUN_DAYS = 90
