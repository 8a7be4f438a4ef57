/** Every error code of the API, with its HTTP status. */
export const STATUS_OF = {
  VALIDATION_ERROR: 400,
  INVALID_JSON: 400,
  INVALID_EMAIL: 400,
  INVALID_ATTENDEE_EMAIL: 400,
  FROM_EMAIL_NOT_WRITABLE: 400,
  INVALID_FROM_EMAIL_HANDLE: 400,
  ALIAS_NOT_CONNECTED: 400,
  MAILBOX_NOT_CONNECTED: 400,
  MAILBOX_USER_REQUIRED: 400,
  UNAUTHENTICATED: 401,
  INVALID_SIGNATURE: 401,
  INSUFFICIENT_CREDITS: 402,
  INSUFFICIENT_SCOPE: 403,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  INVALID_STATE: 409,
  APPROVAL_STALE: 409,
  SLOT_UNAVAILABLE: 409,
  RECIPIENT_UNREACHABLE: 409,
  CHANNEL_NOT_CONFIGURED: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  CURSOR_EXPIRED: 410,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  ATTACHMENTS_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
  EMAIL_LOG_FAILED: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  KNOWLEDGE_PROVIDER_UNAVAILABLE: 500,
  PROVIDER_ERROR: 502,
  UNAVAILABLE: 503,
} as const

export type ErrorCode = keyof typeof STATUS_OF
export type Issue = { path: string; message: string }

/**
 * The limits of one error response: the number of issues, and the length of each path and message. More would help nobody and may be
 * megabytes.
 */
export const MAX_ISSUES = 100
const MAX_ISSUE_TEXT = 500

const truncate = (text: string) => (text.length > MAX_ISSUE_TEXT ? `${text.slice(0, MAX_ISSUE_TEXT).toWellFormed()}…` : text)

type BoundedIssues = { issues: Issue[]; more_issues?: number }

/** The first `max` issues, and the number of the others. */
export function boundIssues(issues: Issue[], max = MAX_ISSUES): BoundedIssues {
  const first = issues.slice(0, max).map((issue) => ({ ...issue, path: truncate(issue.path), message: truncate(issue.message) }))
  return { issues: first, ...(issues.length > max && { more_issues: issues.length - max }) }
}

/** The first issue and the number of the others, so that the message alone says what to do. */
function summaryOf({ issues: [first, ...others], more_issues = 0 }: BoundedIssues): string | undefined {
  if (!first) return undefined
  const count = others.length + more_issues
  return `${first.path && `${first.path}: `}${first.message}${count > 0 ? `; and ${count} more` : ''}`
}

/** The only error that is thrown on purpose. Any other error is a bug and becomes an INTERNAL response. */
export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode
  readonly details: unknown
  /** Seconds after which the same request may succeed: the Retry-After header. */
  readonly retryAfter: number | undefined

  constructor(code: ErrorCode, message: string, details?: unknown, retryAfter?: number) {
    const { issues } = (details ?? {}) as { issues?: unknown }
    const bounded = Array.isArray(issues) ? { ...boundIssues(issues), ...withoutIssues(details as object) } : (details ?? undefined)
    super((code === 'VALIDATION_ERROR' && Array.isArray(issues) && summaryOf(bounded as BoundedIssues)) || message)
    this.code = code
    this.details = bounded
    this.retryAfter = retryAfter
  }
}

const withoutIssues = ({ issues: _, ...rest }: { issues?: unknown }) => rest

export const invalid = (issues: Issue[]) => new AppError('VALIDATION_ERROR', 'Some fields are not valid', { issues })
