import type { OUTCOMES } from '../domain/access.ts'
import type { Env } from '../env.ts'
import { AppError, STATUS_OF } from '../errors.ts'
import type { Endpoint } from './endpoint.ts'
import type { Caller, Outcome } from './execute.ts'
import { keyOf } from './receive.ts'

/** A request as it is kept: see GET /requests/:request_id. Who asked is known, or recognised by the key's hash. */
export type Told = {
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
} & ({ workspace_id: string; key_id: string } | { key_hash: string })

/** A request and how it was answered, as far as it came. */
export type Asked = {
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
  /** What it was run for, and as whose key. */
  approval?: { workspace_id: string; key_id: string; approval_id: string }
}

/** The longest path and message that are kept. */
const LONGEST = 500
const OUTCOME_OF = { done: 'done', held: 'held', dry: 'dry_run', replay: 'replayed' } as const

/** Whether somebody's key asked for something of the API: what was asked without a valid one is nobody's. */
export const isTold = ({ path, status, error, endpoint }: Asked): boolean =>
  status !== STATUS_OF.UNAUTHENTICATED && (endpoint ? !endpoint.public : error !== undefined && path.startsWith('/v1/'))

/**
 * Tells the requests queue how a request was answered. Whatever happens here, the answer stands: a message that cannot be sent
 * is logged and lost, but for a write, which has recorded itself.
 */
export async function tell(env: Env, answered: Asked): Promise<void> {
  try {
    const request = await toldOf(answered)
    if (request) await env.REQUESTS.send({ type: 'request.answered', request })
  } catch (error) {
    console.error(JSON.stringify({ level: 'warn', message: 'a request was not recorded', request_id: answered.id, error: String(error) }))
  }
}

async function toldOf({ id, method, path, status, error, begun, endpoint, outcome, approval, ...from }: Asked): Promise<Told | undefined> {
  const duration_ms = Date.now() - begun
  const who = approval ?? outcome?.actor ?? (await hashOf(from))
  const { code, message } = error === undefined ? { code: null, message: null } : refusalOf(error)
  return (
    who && {
      id,
      method,
      path: path.slice('/v1'.length, LONGEST),
      endpoint: endpoint?.path ?? null,
      status,
      outcome: status >= 500 ? 'failed' : !outcome ? 'refused' : outcome.replayOf ? 'replayed' : OUTCOME_OF[outcome.kind],
      error_code: code,
      error_message: message,
      approval_id: approval?.approval_id ?? (outcome?.kind === 'held' ? String(outcome.value) : null),
      replay_of: outcome?.replayOf ?? null,
      duration_ms,
      ...('key_id' in who ? { workspace_id: who.workspace_id, key_id: who.key_id } : who),
    }
  )
}

const refusalOf = (error: unknown) =>
  error instanceof AppError ? { code: error.code, message: error.message.slice(0, LONGEST) } : { code: 'INTERNAL', message: '' }

/** The key's hash, which most requests have had already. */
async function hashOf({ caller, headers = new Headers() }: Pick<Asked, 'caller' | 'headers'>): Promise<{ key_hash: string } | undefined> {
  if (caller && 'key_hash' in caller) return caller
  return keyOf(headers).then(
    ({ key_hash }) => ({ key_hash }),
    () => undefined,
  )
}
