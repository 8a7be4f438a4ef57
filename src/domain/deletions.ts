/** The states of a deletion that the background carries out. */
export const DELETION_STATES = ['running', 'completed'] as const

/** The records that a job deletes when they have many dependants. */
export const DELETED_IN_BATCHES = ['contact', 'company'] as const

/** A record with more dependants than this is deleted by a job. */
export const MOST_DEPENDANTS = 2_000

/** The deletions of a workspace that run at the same time, at most. */
export const MOST_DELETIONS = 200
