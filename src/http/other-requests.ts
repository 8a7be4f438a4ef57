import { AppError, STATUS_OF } from '../errors.ts'
import { newId } from '../lib/ids.ts'
import type { Input } from './check.ts'
import { type Endpoint, type EndpointCtx, isWrite, type Rehearsal } from './endpoint.ts'
import type { Outcome } from './execute.ts'
import { type Answered, dataOf, refuseAs, respond } from './respond.ts'
import { isTrue, type Request } from './transaction.ts'

/** What an endpoint that returns text would send: its text and media type, and whether it is a success, a failure or waits for approval. */
export type Simulated = { result: 'success' | 'failure' | 'pending_approval'; text: string; content_type: string }

/** The outcome of a request that another one has sent. */
export type Sent = { kind: 'done'; data: unknown } | { kind: 'pending_approval'; approval_id: string }

type Run = (request: Request) => Promise<Outcome>
type Sending = Pick<EndpointCtx, 'isDryRun' | 'isSentByAnother' | 'rehearse' | 'fetch' | 'send' | 'simulate'>

/** How an endpoint sends requests of its own, as its caller. `level` reads the permission level of the caller. */
export function otherRequests(request: Request, run: Run, level: () => Promise<string>): Sending {
  const { caller, now, appUrl } = request
  const send = (endpoint: Endpoint, input: Input, requestId = request.requestId) => {
    const { deployment } = request
    return run({
      endpoint,
      input,
      caller,
      requestId,
      now,
      isSentByAnother: true,
      ...(deployment && { deployment }),
      appUrl,
    })
  }
  return {
    isDryRun: isTrue(request.input.query.dry_run) && !request.isSentByAnother,
    isSentByAnother: request.isSentByAnother ?? false,
    rehearse: (endpoint, input) => rehearse(existing(endpoint), input, send),
    fetch: async (found, input) => {
      const endpoint = existing(found)
      return dataOf(endpoint, await send(endpoint, input), input.params)
    },
    send: async (found, input, hold) => {
      const endpoint = existing(found)
      const outcome = await send(endpoint, hold ? asHeld(endpoint, input) : input, newId())
      if (outcome.wakes && outcome.actor) await request.deployment?.wake(outcome.wakes, outcome.actor.workspace_id)
      if (outcome.kind === 'held') return { kind: 'pending_approval', approval_id: String(outcome.value) }
      return { kind: 'done', data: dataOf(endpoint, outcome, input.params) }
    },
    simulate: (endpoint, input) => simulate(request, existing(endpoint), input, send, level),
  }
}

type Send = (endpoint: Endpoint, input: Input) => Promise<Outcome>

/** @throws NOT_FOUND. */
export function existing(endpoint: Endpoint | undefined): Endpoint {
  if (!endpoint) throw new AppError('NOT_FOUND', 'There is no such endpoint')
  return endpoint
}

const asTrial = (input: Input): Input => ({ ...input, query: { ...input.query, dry_run: 'true' } })

/** The same request, which waits for approval whoever sends it. */
export const asHeld = ({ method }: Endpoint, input: Input): Input =>
  method === 'DELETE'
    ? { ...input, query: { ...input.query, require_approval: 'true' } }
    : { ...input, body: { ...(input.body as object | undefined), require_approval: true } }

/** A dry run of a request, for what it would change and the rights that it takes. */
async function rehearse(endpoint: Endpoint, input: Input, send: Send): Promise<Rehearsal> {
  const outcome = await send(endpoint, asTrial(input))
  const { scopes = [], admin = false, policies = [] } = outcome.needs ?? {}
  return {
    data: dataOf(endpoint, outcome, input.params),
    changes: outcome.dryRun?.changes ?? [],
    required_scopes: scopes,
    requires_admin: admin,
    policy_ids: policies,
  }
}

/**
 * Sends a request to an endpoint that returns text, and rolls everything back. @throws UNAUTHENTICATED, INSUFFICIENT_SCOPE or FORBIDDEN,
 * which that endpoint does not turn into a text.
 */
async function simulate(
  { requestId }: Request,
  endpoint: Endpoint,
  input: Input,
  send: Send,
  level: () => Promise<string>,
): Promise<Simulated> {
  try {
    const outcome = await send(endpoint, isWrite(endpoint) ? asTrial(input) : input)
    const waits = isWrite(endpoint) && ((outcome.needs?.policies.length ?? 0) > 0 || (await level()) === 'approval')
    const answered = respond(endpoint, input.params, waits ? { ...outcome, kind: 'held' } : outcome, input.body)
    return { result: waits ? 'pending_approval' : 'success', ...textOf(answered) }
  } catch (error) {
    if (error instanceof AppError && [401, 403].includes(STATUS_OF[error.code])) throw error
    return { result: 'failure', ...textOf(refuseAs(endpoint, error, requestId, input.body)) }
  }
}

const textOf = ({ text = '', headers }: Answered) => ({ text, content_type: headers['Content-Type'] ?? 'text/plain; charset=utf-8' })
