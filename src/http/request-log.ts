import type { OUTCOMES } from '../domain/access.ts'
import type { Env } from '../env.ts'
import { AppError, STATUS_OF } from '../errors.ts'
import { loggable } from '../lib/text.ts'
import type { Endpoint } from './endpoint.ts'
import type { Caller, Outcome } from './execute.ts'
import { LogBuffer } from './log-buffer.ts'
import { keyOf } from './receive.ts'

/** A request as it is stored: see GET /requests/:request_id. The caller is known, or recognised by the key's hash. */
export type RequestLogEntry = {
  id: string
  method: string
  path: string
  endpoint: string | null
  status: number
  outcome: (typeof OUTCOMES)[number]
  error_code: string | null
  error_message: string | null
  approval_id: string | null
  replay_of: string | null
  /** Milliseconds until the answer was ready. */
  duration_ms: number | null
  /** Which of the key's requests in this isolate it is. */
  sequence?: number
} & ({ workspace_id: string; key_id: string } | { key_hash: string })

/** A request and how it was answered, as far as it came. */
export type LoggedRequest = {
  id: string
  method: string
  path: string
  headers?: Headers
  status: number
  error: unknown
  /** Milliseconds since 1970. */
  begun: number
  endpoint?: Endpoint
  caller?: Caller
  outcome?: Outcome
  /** What it was run for. */
  approval_id?: string
}

/** The longest path and message that are stored. */
const LONGEST = 500
const OUTCOME_OF = { done: 'done', held: 'held', dry: 'dry_run', replay: 'replayed' } as const

/** Whether it is logged: it asked for something of the API, with somebody's key. */
export const shouldLog = ({ path, status, error, endpoint }: LoggedRequest): boolean =>
  status !== STATUS_OF.UNAUTHENTICATED && (endpoint ? !endpoint.access.public : error !== undefined && path.startsWith('/v1/'))

const buffer = new LogBuffer()

/**
 * Logs how a request was answered, by way of the isolate's buffer and the requests queue. Whatever happens here, the answer stands: entries that
 * cannot be sent are lost, but a write has logged itself. Ends when the entry is sent, or has joined others that will be.
 */
export async function logRequest(env: Env, request: LoggedRequest): Promise<void> {
  try {
    const known = await hashOf(request)
    if (known) await buffer.add(env, entryOf(request, request.outcome?.actor ?? known), known.key_hash)
  } catch (error) {
    console.error(JSON.stringify({ level: 'warn', message: 'a request was not logged', request_id: request.id, error: String(error) }))
  }
}

type LogCaller = { workspace_id: string; key_id: string } | { key_hash: string }

export function entryOf(
  { id, method, path, status, error, begun, endpoint, outcome, approval_id }: LoggedRequest,
  caller: LogCaller,
): RequestLogEntry {
  const { code, message } = error === undefined ? { code: null, message: null } : refusalOf(error)
  return {
    id,
    method: loggable(method, 20),
    path: loggable(path.replace(/^\/v1(?=\/|$)/, ''), LONGEST),
    endpoint: endpoint?.path ?? null,
    status,
    outcome: status >= 500 ? 'failed' : !outcome ? 'refused' : outcome.replayOf ? 'replayed' : OUTCOME_OF[outcome.kind],
    error_code: code,
    error_message: message,
    approval_id: approval_id ?? (outcome?.kind === 'held' ? String(outcome.value) : null),
    replay_of: outcome?.replayOf ?? null,
    duration_ms: Date.now() - begun,
    ...('key_id' in caller ? { workspace_id: caller.workspace_id, key_id: caller.key_id } : { key_hash: caller.key_hash }),
  }
}

const refusalOf = (error: unknown) =>
  error instanceof AppError ? { code: error.code, message: loggable(error.message, LONGEST) } : { code: 'INTERNAL', message: '' }

/** The key's hash, which most requests have had already. */
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
