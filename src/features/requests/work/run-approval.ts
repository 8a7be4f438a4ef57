import { recordEntries } from '../../../../queues/record-requests.ts'
import type { WorkSet } from '../../../../queues/work/set.ts'
import { endpointFor } from '../../../../routes/index.ts'
import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { AppError, STATUS_OF } from '../../../errors.ts'
import type { Input } from '../../../http/check.ts'
import { deploymentOf } from '../../../http/deployment.ts'
import { pathOf, statusOf } from '../../../http/endpoint.ts'
import { decodeStored, execute, type Outcome } from '../../../http/execute.ts'
import { entryOf } from '../../../http/request-log.ts'
import { type Answered, refuse, respond } from '../../../http/respond.ts'
import { newId } from '../../../lib/ids.ts'
import { wake } from '../../../wake.ts'

type PendingApproval = {
  key_id: string
  status: string
  method: string
  path: string
  request: Input
  /** When the request was committed; its rows are the answer, unless a purge deleted them. */
  executed_at: string | null
  answer: unknown[][] | null
}
type Named = { workspaceId: string; id: string }

/** Approved requests. */
export const approvalRuns: WorkSet = {
  name: 'approval.run',
  queue: 'APPROVALS',
  hasItems: true,
  due: [
    {
      table: 'approvals',
      due: 'decided_at',
      where: "t.status = 'approved' and t.decided_at < now() - interval '1 minute'",
      item: 'id',
    },
  ],
  run: (env, workspaceId, id) => runApproval(env, { workspaceId, id }),
  dead: (env, workspaceId, id) => endApproval(env, { workspaceId, id }),
}

/**
 * Runs an approved request with the key that made it, exactly once: begin_request locks the approval and requires that it has not run, and
 * end_request stores its rows in the same transaction. A second step stores the response that the caller would have received, and with it
 * the status `executed`. If that step is lost, the next delivery (of the queue, or of the sweep) builds the response again from the rows.
 */
async function runApproval(env: Env, named: Named): Promise<void> {
  const { workspaceId, id } = named
  const database = jobsDatabaseOf(env)
  const approval = await load(env, named)
  if (approval?.status !== 'approved') return
  const endpoint = await endpointFor(approval)
  const requestId = newId()
  const complete = (status: 'executed' | 'failed', answered: Answered) => completeApproval(env, named, status, answered)
  if (!endpoint) {
    await complete('failed', refuse(new AppError('NOT_FOUND', 'This endpoint no longer exists'), requestId))
    return
  }
  const request = {
    endpoint,
    input: approval.request,
    caller: { kind: 'approval' as const, approval_id: id, workspace_id: workspaceId },
    requestId,
    now: new Date(),
    deployment: deploymentOf(env),
    appUrl: env.APP_URL,
  }
  try {
    const outcome: Outcome = approval.executed_at
      ? { kind: 'done', value: approval.answer && (await decodeStored(database, request, approval.answer)) }
      : await execute(database, request)
    await complete('executed', respond(endpoint, approval.request.params, outcome))
    if (outcome.wakes) await wake(env, outcome.wakes, workspaceId)
    if (outcome.delivers !== false) await wake(env, 'events.deliver', workspaceId)
  } catch (error) {
    if (approval.executed_at || !(error instanceof AppError) || STATUS_OF[error.code] >= 500) throw error
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
        approval_id: id,
      },
      { workspace_id: workspaceId, key_id: approval.key_id },
    )
    await recordEntries(env, [{ isolate: null, entries: [entry] }])
  }
}

/**
 * After the last attempt: marks the approval as failed, or as executed without a response body if its transaction was committed after all.
 */
async function endApproval(env: Env, named: Named): Promise<void> {
  const approval = await load(env, named)
  if (!approval) return
  const endpoint = await endpointFor(approval)
  await completeApproval(env, named, 'executed', { status: endpoint ? statusOf(endpoint) : 200, body: null })
  await completeApproval(
    env,
    named,
    'failed',
    refuse(new AppError('UNAVAILABLE', 'The request could not be run, in several tries'), newId()),
  )
}

async function load(env: Env, { workspaceId, id }: Named): Promise<PendingApproval | null> {
  const [approval] = await batch(jobsDatabaseOf(env), [call('load_approval', workspaceId, id)])
  return approval as PendingApproval | null
}

/** Stores how the request ended, unless that contradicts what has been committed (see complete_approval). */
const completeApproval = (
  env: Env,
  { workspaceId, id }: Named,
  outcome: 'executed' | 'failed',
  { status, body }: Pick<Answered, 'status' | 'body'>,
) => batch(jobsDatabaseOf(env), [call('complete_approval', workspaceId, id, outcome, status, JSON.stringify(body))])
