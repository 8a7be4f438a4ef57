import { AppError, type ErrorCode, invalid } from '../errors.ts'

/**
 * A transaction that was rolled back on purpose, to return a result without its effects (see begin_request, end_request and
 * refute_assumption).
 */
export class RolledBack extends Error {
  readonly kind: 'replay' | 'held' | 'dry' | 'assumption'
  readonly detail: string

  constructor(kind: RolledBack['kind'], detail: string) {
    super(kind)
    this.kind = kind
    this.detail = detail
  }
}

const ROLLED_BACK: Record<string, RolledBack['kind']> = { WK208: 'replay', WK202: 'held', WK200: 'dry', WK210: 'assumption' }

/** Seconds after which the same request may succeed. */
const RETRY_AFTER: Partial<Record<ErrorCode, number>> = { IDEMPOTENCY_IN_PROGRESS: 1, RATE_LIMITED: 10 }

/** An error of the Neon driver: the fields of PostgreSQL's error where there is one, and `sourceError` where the request itself failed. */
export type DbError = Error & {
  code?: string
  detail?: string
  constraint?: string
  table?: string
  column?: string
  sourceError?: unknown
}

/**
 * What a failure means for the caller. `busy` and `unavailable` are temporary and return 503 with Retry-After; `slow` is a request that
 * asks for more than the time allows, and would again (503 without it); `fault` is a defect, which would fail again (500, logged).
 */
export type FailureKind = 'busy' | 'unavailable' | 'slow' | 'fault'

/**
 * By SQLSTATE, otherwise by its first characters, otherwise `fault`: an invalid statement, missing privileges, an unknown role or
 * database.
 */
const BY_SQLSTATE: Record<string, FailureKind> = {
  '40': 'busy', // deadlock, serialization failure: after several attempts
  '55P03': 'busy', // lock_timeout
  '57014': 'slow', // statement_timeout
  '08': 'unavailable', // connection lost
  '08P01': 'fault', // a message that PostgreSQL could not read
  '25P03': 'unavailable', // idle_in_transaction_session_timeout
  '25P04': 'unavailable', // transaction_timeout
  '53': 'unavailable', // too many connections, disk or memory full
  '57P': 'unavailable', // shutdown, crash, starting up
  '57P04': 'fault', // the database was dropped
  '58': 'unavailable', // input or output failed
}

/** By HTTP status of the Neon endpoint, when there is no SQLSTATE. Others are faults: 413 request and 507 response too large, 4xx. */
const RETRIED_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 530])

/** Neon's messages, without a SQLSTATE, for a lost connection to the database. */
const CONNECTION_LOST =
  /^(connection closed|error communicating with the server|error connecting to server|unexpected message from server|timeout waiting for server|Authentication timed out|Query cancelled, connection was terminated)/
/** An error that a retry cannot resolve, whatever its status. */
const QUOTA = /exceeded the .*quota/i
/** The driver's message for every status except 200 and 400. */
const HTTP_FAILURE = /^Server error \(HTTP status (\d+)\): (.*)$/s

/** Classifies an error that is neither a RolledBack nor caused by the caller's data. */
export function failureKind(error: DbError): FailureKind {
  const { code, message } = error
  if (CONNECTION_LOST.test(message)) return 'unavailable'
  if (code) return BY_SQLSTATE[code] ?? BY_SQLSTATE[code.slice(0, 3)] ?? BY_SQLSTATE[code.slice(0, 2)] ?? 'fault'
  // The request did not reach the endpoint, or its response was cut off.
  if (error.sourceError || error.name !== 'NeonDbError') return 'unavailable'
  const [, status, body = ''] = HTTP_FAILURE.exec(message) ?? []
  if (!status || QUOTA.test(body)) return 'fault'
  const inner = jsonOf(body)
  if (inner?.code) return failureKind({ name: 'NeonDbError', message: inner.message ?? '', code: inner.code })
  return RETRIED_STATUSES.has(Number(status)) ? 'unavailable' : 'fault'
}

function jsonOf(text: string): { code?: string | null; message?: string } | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const FAILURES: Record<Exclude<FailureKind, 'fault'>, { message: string; retryAfter?: number }> = {
  busy: { message: 'The record is locked by other requests', retryAfter: 1 },
  unavailable: { message: 'The database is temporarily unavailable', retryAfter: 2 },
  slow: { message: 'The request took longer than 15 seconds, and was stopped. Nothing was changed: ask for less at once' },
}

/**
 * Translates a database error for the caller. Constraints are named `<table>.<column>`, so they name the field. A fault is returned
 * unchanged.
 */
export function translate(error: DbError): Error {
  const { code = '', message, detail = '', constraint = '' } = error
  const signal = ROLLED_BACK[code]
  if (signal) return new RolledBack(signal, detail)
  if (code === 'WK000') {
    const { code: name, details } = JSON.parse(detail) as { code: ErrorCode; details: unknown }
    return new AppError(name, message, details, (details as { retry_after?: number } | null)?.retry_after ?? RETRY_AFTER[name])
  }
  const [table = '', field = ''] = constraint.split('.')
  if (code === '23503' && field) {
    return message.startsWith('insert or update')
      ? invalid([{ path: field, message: `${field} does not exist in this workspace` }])
      : new AppError('CONFLICT', `Still referenced by ${table.replaceAll('_', ' ')}: change or delete those first`, {
          referenced_by: table,
          field,
        })
  }
  if (code === '23505') return new AppError('CONFLICT', conflictOf(error.table ?? '', constraint), { constraint })
  // The exclusion constraint of host claims. Claims are made without it being raised; this is for any other path.
  if (code === '23P01') return new AppError('SLOT_UNAVAILABLE', 'The time is no longer free')
  if (code === '23514') return invalid([{ path: constraint, message: 'This value is not allowed' }])
  if (code === '23502') return invalid([{ path: error.column ?? '', message: 'Required' }])
  if (code.startsWith('22')) return invalid([{ path: error.column ?? '', message: 'A value is out of range, or not of its field’s type' }])
  const kind = failureKind(error)
  if (kind === 'fault') return error
  return new AppError('UNAVAILABLE', FAILURES[kind].message, undefined, FAILURES[kind].retryAfter)
}

/** Under row-level security PostgreSQL does not reveal the values; the constraint's name, `<table>_<fields>_key`, names the fields. */
const conflictOf = (table: string, constraint: string): string =>
  `Another record already uses this ${constraint.replace(new RegExp(`^${table}_`), '').replace(/_key$/, '')}`

/** Whether the database could not be reached, or was stopping: any other statement would fail as well. */
export const isOutage = (error: unknown): boolean => error instanceof AppError && error.message === FAILURES.unavailable.message

/** Whether PostgreSQL has stopped a batch because it took too long: a smaller one may succeed. */
export const isTooSlow = (error: unknown): boolean => error instanceof AppError && error.message === FAILURES.slow.message
