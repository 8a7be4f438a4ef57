import { AppError, STATUS_OF } from '../errors.ts'
import type { Input } from './check.ts'
import { type Endpoint, isWrite } from './endpoint.ts'
import type { Outcome } from './execute.ts'
import { type Answered, refuseAs, respond } from './respond.ts'
import type { Request } from './transaction.ts'

/** What an endpoint that returns text would send: its text and media type, and whether it is a success, a failure or waits for approval. */
export type Simulated = { result: 'success' | 'failure' | 'pending_approval'; text: string; content_type: string }

/**
 * Sends a request to an endpoint that returns text, as the same caller, and rolls everything back. `level` reads the permission level of the caller.
 * @throws UNAUTHENTICATED, INSUFFICIENT_SCOPE or FORBIDDEN, which that endpoint does not turn into a text.
 */
export async function simulate(
  { caller, requestId, now, deployment }: Request,
  endpoint: Endpoint | undefined,
  input: Input,
  run: (request: Request) => Promise<Outcome>,
  level: () => Promise<string>,
): Promise<Simulated> {
  if (!endpoint) throw new AppError('NOT_FOUND', 'There is no such endpoint')
  const trial = isWrite(endpoint) ? { ...input, query: { ...input.query, dry_run: 'true' } } : input
  try {
    const outcome = await run({ endpoint, input: trial, caller, requestId, now, ...(deployment && { deployment }) })
    const waits = isWrite(endpoint) && ((outcome.needs?.policies.length ?? 0) > 0 || (await level()) === 'approval')
    const answered = respond(endpoint, input.params, waits ? { ...outcome, kind: 'held' } : outcome, input.body)
    return { result: waits ? 'pending_approval' : 'success', ...textOf(answered) }
  } catch (error) {
    if (error instanceof AppError && [401, 403].includes(STATUS_OF[error.code])) throw error
    return { result: 'failure', ...textOf(refuseAs(endpoint, error, requestId, input.body)) }
  }
}

const textOf = ({ text = '', headers }: Answered) => ({ text, content_type: headers['Content-Type'] ?? 'text/plain; charset=utf-8' })
