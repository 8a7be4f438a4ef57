import type { OUTCOMES } from '../domain/access.ts'
import type { Env } from '../env.ts'
import { AppError, STATUS_OF } from '../errors.ts'
import { loggable } from '../lib/text.ts'
import type { Endpoint } from './endpoint.ts'
import type { Outcome } from './execute.ts'
import { LogBuffer } from './log-buffer.ts'
import { keyOf } from './receive.ts'
import type { Caller } from './transaction.ts'

/** A log entry as it is queued: see GET /requests/:request_id. The caller is identified, or looked up later by the key's hash. */
export type RequestLogEntry = {
  id: string
  method: string
  path: string
  endpoint: string | null
  status: number
  outcome: (typeof OUTCOMES)[number]
  error_code: string | null
  error_message: string | null
  /** The scopes that reading the message takes, because it may quote values of the request. */
  error_scopes?: string[]
  approval_id: string | null
  replay_of: string | null
  /** Milliseconds until the response was ready. */
  duration_ms: number | null
  /** The number of the request among those of the same key in this isolate. */
  sequence?: number
} & ({ workspace_id: string; key_id: string } | { key_hash: string })

/** A request and its response, as far as processing got. */
export type LoggedRequest = {
  id: string
  method: string
  path: string
  headers?: Headers
  status: number
  error: unknown
  /** The start of processing, in milliseconds since 1970. */
  begun: number
  endpoint?: Endpoint
  caller?: Caller
  outcome?: Outcome
  /** The approval that executes the request. */
  approval_id?: string
}

/** The maximum length of a stored path or message. */
const MAX_TEXT = 500
const OUTCOME_OF = { done: 'done', held: 'held', dry: 'dry_run' } as const

/** Whether the request is logged: it called the API with a valid key, as far as is known. */
export const shouldLog = ({ path, status, error, endpoint }: LoggedRequest): boolean =>
  status !== STATUS_OF.UNAUTHENTICATED &&
  !isWithoutKey(error) &&
  (endpoint ? !endpoint.access.public : error !== undefined && path.startsWith('/v1/'))

/**
 * Refused because of too many requests without a valid key from its address (rate-limits.ts). Logging each would let an attacker cause
 * work.
 */
const isWithoutKey = (error: unknown) =>
  error instanceof AppError && error.code === 'RATE_LIMITED' && (error.details as { limit?: string } | undefined)?.limit === 'address'

const buffer = new LogBuffer()

/**
 * Logs a response through the isolate's buffer and the requests queue. A failure here does not affect the response: entries that cannot be
 * sent are lost, but a write has logged itself in its transaction. Resolves when the entry is sent, or has joined a batch that will be.
 */
export async function logRequest(env: Env, request: LoggedRequest): Promise<void> {
  try {
    const hashed = await hashOf(request)
    if (hashed) await buffer.add(env, entryOf(request, request.outcome?.actor ?? hashed), hashed.key_hash)
  } catch (error) {
    console.error(JSON.stringify({ level: 'warn', message: 'a request was not logged', request_id: request.id, error: String(error) }))
  }
}

type LogCaller = { workspace_id: string; key_id: string } | { key_hash: string }

export function entryOf(
  { id, method, path, status, error, begun, endpoint, outcome, approval_id }: LoggedRequest,
  caller: LogCaller,
): RequestLogEntry {
  const { code, message } = error === undefined ? { code: null, message: null } : errorFieldsOf(error)
  return {
    id,
    method: loggable(method, 20),
    path: loggable(path.replace(/^\/v1(?=\/|$)/, ''), MAX_TEXT),
    endpoint: endpoint?.path ?? null,
    status,
    outcome: status >= 500 ? 'failed' : !outcome ? 'refused' : outcome.replayOf !== undefined ? 'replayed' : OUTCOME_OF[outcome.kind],
    error_code: code,
    error_message: message,
    ...(message && { error_scopes: readScopesOf(endpoint) }),
    approval_id: approval_id ?? (outcome?.kind === 'held' ? String(outcome.value) : null),
    replay_of: outcome?.replayOf ?? null,
    duration_ms: Date.now() - begun,
    ...('key_id' in caller ? { workspace_id: caller.workspace_id, key_id: caller.key_id } : { key_hash: caller.key_hash }),
  }
}

/** The read scope of each resource that the endpoint needs a scope of. */
const readScopesOf = (endpoint?: Endpoint) => [
  ...new Set((endpoint?.access.scopes ?? []).map((scope) => `${scope.slice(0, scope.indexOf(':'))}:read`)),
]

const errorFieldsOf = (error: unknown) =>
  error instanceof AppError ? { code: error.code, message: loggable(error.message, MAX_TEXT) } : { code: 'INTERNAL', message: '' }

/** The hash of the request's key, which most requests have computed already. */
async function hashOf({
  caller,
  headers = new Headers(),
}: Pick<LoggedRequest, 'caller' | 'headers'>): Promise<{ key_hash: string } | undefined> {
  if (caller && 'key_hash' in caller) return caller
  return keyOf(headers).then(
    ({ key_hash }) => ({ key_hash }),
    () => undefined,
  )
}
