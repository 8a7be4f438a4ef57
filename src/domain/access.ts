/** Whether a key's writes are executed at once, need an approval, or are refused. */
export const LEVELS = ['execute', 'approval', 'read_only'] as const

/** pending → approved → executed | failed; pending → rejected | expired. */
export const APPROVAL_STATUSES = ['pending', 'approved', 'executed', 'failed', 'rejected', 'expired'] as const

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/**
 * The outcome of a request: executed; held for approval; dry run; answered with the stored response of its first execution; refused
 * (4xx); failed (5xx).
 */
export const OUTCOMES = ['done', 'held', 'dry_run', 'replayed', 'refused', 'failed'] as const

/** The causes stored with every change and event (see set_cause in schema/functions). */
export const CAUSES = [
  'request',
  'approval',
  'import',
  'merge',
  'undo',
  'restore',
  'automation_run',
  'incoming_webhook',
  'auto_reply',
  'provider',
] as const
