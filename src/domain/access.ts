/** How far a key's writes go: at once, to a person first, or not at all. */
export const LEVELS = ['execute', 'approval', 'read_only'] as const

/** pending → approved → executed | failed; pending → rejected | expired. */
export const APPROVAL_STATUSES = ['pending', 'approved', 'executed', 'failed', 'rejected', 'expired'] as const
