/** How far a key's writes go: at once, to a person first, or not at all. */
export const LEVELS = ['execute', 'approval', 'read_only'] as const

/** pending → approved → executed | failed; pending → rejected | expired. */
export const APPROVAL_STATUSES = ['pending', 'approved', 'executed', 'failed', 'rejected', 'expired'] as const

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** What became of a request: done; held for a person; only tried; answered as its first time was; refused (4xx); failed (5xx). */
export const OUTCOMES = ['done', 'held', 'dry_run', 'replayed', 'refused', 'failed'] as const

/** Why something happened: set in schema/functions (set_cause), and stored with every change and event. */
export const CAUSES = ['request', 'approval', 'import', 'merge', 'undo', 'restore', 'automation_run', 'provider'] as const
