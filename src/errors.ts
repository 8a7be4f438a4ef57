/** Every error code that the API answers, with its HTTP status. */
export const STATUS_OF = {
  VALIDATION_ERROR: 400,
  INVALID_JSON: 400,
  UNAUTHENTICATED: 401,
  INSUFFICIENT_SCOPE: 403,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  INVALID_STATE: 409,
  APPROVAL_STALE: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  PROVIDER_ERROR: 502,
  UNAVAILABLE: 503,
} as const

export type ErrorCode = keyof typeof STATUS_OF
export type Issue = { path: string; message: string }

/** An error names at most so many issues, and no path or message longer than this: the rest helps nobody and may be megabytes. */
export const MAX_ISSUES = 100
const LONGEST_TEXT = 500

const shortened = (text: string) => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT).toWellFormed()}…` : text)

/** The first issues, and how many more there are. */
export function boundIssues(issues: Issue[], max = MAX_ISSUES): { issues: Issue[]; more_issues?: number } {
  const first = issues.slice(0, max).map((issue) => ({ ...issue, path: shortened(issue.path), message: shortened(issue.message) }))
  return { issues: first, ...(issues.length > max && { more_issues: issues.length - max }) }
}

/** The only error that is thrown on purpose. Anything else is a bug and is answered as INTERNAL. */
export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode
  readonly details: unknown
  /** Seconds after which the same request may succeed. */
  readonly retryAfter: number | undefined

  constructor(code: ErrorCode, message: string, details?: unknown, retryAfter?: number) {
    super(message)
    this.code = code
    const { issues } = (details ?? {}) as { issues?: unknown }
    this.details = Array.isArray(issues) ? { ...boundIssues(issues), ...withoutIssues(details as object) } : (details ?? undefined)
    this.retryAfter = retryAfter
  }
}

const withoutIssues = ({ issues: _, ...rest }: { issues?: unknown }) => rest

export const invalid = (issues: Issue[]) => new AppError('VALIDATION_ERROR', 'Some fields are not valid', { issues })
