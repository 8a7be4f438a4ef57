/** What a job does with the dependants of a record. */
export const JOB_TYPES = ['deletion', 'purge', 'restore'] as const

/** The states of a job. One that has failed can go on. */
export const JOB_STATES = ['running', 'completed', 'failed'] as const

/** The seconds after each failed attempt of a job; then it has failed. */
export const JOB_WAITS = [5, 15, 60, 300]

/** The records that a job deletes when they have many dependants. */
export const DELETED_IN_BATCHES = ['contact', 'company', 'opportunity'] as const

/** A record with more dependants than this is deleted by a job. */
export const MOST_DEPENDANTS = 2_000

/** A record that no job deletes is not deleted while it has more dependants than this, whose deletion is recorded. */
export const MOST_AT_ONCE = 10_000

/** The deletions of a workspace that run at the same time, at most. */
export const MOST_DELETIONS = 200
