import { sql } from 'drizzle-orm'
import { areaOf, endpointsOf } from '../routes/index.ts'
import { batch } from '../src/data/batch.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'
import { AppError, STATUS_OF } from '../src/errors.ts'
import type { Input } from '../src/http/check.ts'
import { pathOf } from '../src/http/endpoint.ts'
import { decodeStored, execute, type Outcome } from '../src/http/execute.ts'
import { entryOf } from '../src/http/request-log.ts'
import { type Answered, refuse, respond } from '../src/http/respond.ts'
import { newId } from '../src/lib/ids.ts'
import type { MessageOf } from './messages.ts'
import { recordEntries } from './record-requests.ts'

type PendingApproval = {
  key_id: string
  status: string
  method: string
  path: string
  request: Input
  answer: unknown[][] | null
  response_status: number | null
}
type Message = MessageOf<'approval.run'>

/**
 * Runs an approved request with the key that made it, exactly once: begin_request locks the approval and requires the state `approved`,
 * and end_request sets `executed` in the same transaction. A second step stores the response that the caller would have received. If that
 * step is lost, the next delivery builds the response again from the stored result.
 */
export async function runApproval(env: Env, { workspace_id, approval_id }: Message): Promise<void> {
  const database = jobsDatabaseOf(env)
  const [approval] = (await batch(database, [sql`select load_approval(${workspace_id}::uuid, ${approval_id}::uuid)`])) as [
    PendingApproval | null,
  ]
  if (!approval || approval.response_status !== null || !['approved', 'executed'].includes(approval.status)) return
  const area = areaOf(`/v1${approval.path}`)
  const endpoint = (area ? await endpointsOf(area) : []).find(({ method, path }) => method === approval.method && path === approval.path)
  const requestId = newId()
  const complete = (status: string, { status: code, body }: Answered) =>
    batch(database, [
      sql`select complete_approval(${workspace_id}::uuid, ${approval_id}::uuid, ${status}, ${code}, ${JSON.stringify(body)}::jsonb)`,
    ])
  if (!endpoint) {
    await complete('failed', refuse(new AppError('NOT_FOUND', 'This endpoint no longer exists'), requestId))
    return
  }
  const request = {
    endpoint,
    input: approval.request,
    caller: { kind: 'approval' as const, approval_id, workspace_id },
    requestId,
    now: new Date(),
  }
  try {
    const outcome: Outcome = approval.answer
      ? { kind: 'done', value: await decodeStored(database, request, approval.answer) }
      : await execute(database, request)
    await complete('executed', respond(endpoint, approval.request.params, outcome))
    if (outcome.delivers !== false) await env.EVENTS.send({ type: 'events.deliver', workspace_id }).catch(() => {})
  } catch (error) {
    if (!(error instanceof AppError) || STATUS_OF[error.code] >= 500) throw error
    const refused = refuse(error, requestId)
    await complete('failed', refused)
    const entry = entryOf(
      {
        id: requestId,
        begun: request.now.getTime(),
        method: endpoint.method,
        path: `/v1${pathOf(endpoint.path, approval.request.params)}`,
        status: refused.status,
        error,
        endpoint,
        approval_id,
      },
      { workspace_id, key_id: approval.key_id },
    )
    await recordEntries(env, [{ isolate: null, entries: [entry] }])
  }
}

/** Marks the approval as failed after the last attempt, unless its transaction was committed after all. */
export async function deadLetterApproval(env: Env, { workspace_id, approval_id }: Message): Promise<void> {
  const { status, body } = refuse(new AppError('UNAVAILABLE', 'The request could not be run, in several tries'), newId())
  await batch(jobsDatabaseOf(env), [
    sql`select complete_approval(${workspace_id}::uuid, ${approval_id}::uuid, 'failed', ${status}, ${JSON.stringify(body)}::jsonb)`,
  ])
}
