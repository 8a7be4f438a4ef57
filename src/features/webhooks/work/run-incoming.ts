import { sql } from 'drizzle-orm'
import { LOST, type WorkSet } from '../../../../queues/work/set.ts'
import { endpointFor } from '../../../../routes/index.ts'
import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { AppError, STATUS_OF } from '../../../errors.ts'
import { execute } from '../../../http/execute.ts'
import { isId, newId } from '../../../lib/ids.ts'
import { loggable } from '../../../lib/text.ts'
import { wake } from '../../../wake.ts'
import { ACTION_SCOPES } from '../plans/incoming.ts'
import { mapPayload } from '../rules/mapping.ts'
import type { Mapping } from '../rules/types.ts'

type Named = { workspaceId: string; id: string }
type Incoming = {
  webhook_id: string
  /** Null once the webhook was deleted. */
  action: string | null
  automation_id: string | null
  mapping: Mapping
  match_on: string[] | null
  key_id: string
  payload: unknown
  valid: boolean
}
type Ended = { state: 'done' | 'held' | 'failed'; result?: string | null; code?: string; message?: string }

/** The endpoint that each action calls. */
const PATHS: Record<string, string> = { upsert_contact: '/contacts/upsert', create_opportunity: '/opportunities' }

/** Requests that incoming webhooks have received. */
export const incomingRequests: WorkSet = {
  name: 'incoming.run',
  queue: 'WEBHOOKS',
  hasItems: true,
  due: [{ table: 'incoming_requests', due: 'created_at', where: LOST, item: 'id' }],
  run: (env, workspaceId, id) => runIncoming(env, { workspaceId, id }),
  // The log shows that the request was not processed.
  dead: (env, workspaceId, id) =>
    end(
      env,
      { workspaceId, id },
      { state: 'failed', code: 'UNAVAILABLE', message: 'The request could not be processed, in several tries' },
    ),
}

/**
 * Does what an incoming webhook says about a request that it has received. The request's id is the Idempotency-Key of the call, and the key
 * of the run, so a repeated message does it once.
 */
async function runIncoming(env: Env, named: Named): Promise<void> {
  const [found] = (await batch(jobsDatabaseOf(env), [
    call('load_incoming', named.workspaceId, named.id, JSON.stringify(ACTION_SCOPES)),
  ])) as [Incoming | null]
  if (!found) return
  try {
    await end(env, named, await perform(env, named, found))
  } catch (error) {
    if (!(error instanceof AppError) || STATUS_OF[error.code] >= 500) throw error
    await end(env, named, { state: 'failed', code: error.code, message: error.message })
  }
}

function perform(env: Env, named: Named, incoming: Incoming): Promise<Ended> | Ended {
  if (incoming.action === null) return { state: 'failed', code: 'NOT_FOUND', message: 'The webhook was deleted' }
  if (!incoming.valid)
    return {
      state: 'failed',
      code: 'FORBIDDEN',
      message: 'The key of the webhook is no longer valid, or lacks a scope: change the webhook with another key',
    }
  if (incoming.action === 'record_only') return { state: 'done' }
  return incoming.action === 'start_automation' ? startAutomation(env, named, incoming) : write(env, named, incoming)
}

/** Calls the endpoint of the action with the mapped fields. */
async function write(env: Env, { workspaceId, id }: Named, { action, mapping, match_on, key_id, payload }: Incoming): Promise<Ended> {
  const endpoint = await endpointFor({ method: 'POST', path: PATHS[action as string] as string })
  if (!endpoint) throw new AppError('NOT_FOUND', 'This endpoint no longer exists')
  const fields = mapPayload(mapping, payload)
  const body = { ...fields, ...(action === 'upsert_contact' && match_on && { match_on }) }
  const { kind, value } = await execute(jobsDatabaseOf(env), {
    endpoint,
    input: { params: {}, query: {}, body },
    caller: { kind: 'incoming_webhook', incoming_request_id: id, workspace_id: workspaceId, key_id },
    requestId: newId(),
    now: new Date(),
    appUrl: env.APP_URL,
    idempotency: { key: `incoming-${id}`, hash: id },
  })
  await wake(env, 'events.deliver', workspaceId)
  if (kind === 'held') return { state: 'held', result: value as string }
  const record = (value as { data?: { id: string } }).data ?? (value as { id: string })
  return { state: 'done', result: record.id }
}

type Started = { runs: { id: string | null; reason: string | null }[] }

/** Starts a run of the automation. */
async function startAutomation(
  env: Env,
  { workspaceId, id }: Named,
  { webhook_id, automation_id, mapping, payload }: Incoming,
): Promise<Ended> {
  const ids = Object.entries(mapPayload(mapping, payload)).filter(([, id]) => typeof id === 'string' && isId(id))
  const row = { ...Object.fromEntries(ids), dedupe_key: `webhook:${id}`, trigger_data: isObject(payload) ? payload : { payload } }
  const [, { runs }] = (await batch(jobsDatabaseOf(env), [
    sql`select set_config('app.workspace_id', ${workspaceId}, true)`,
    call('start_runs', automation_id, 'webhook', webhook_id, JSON.stringify([row])),
  ])) as [unknown, Started]
  const [run] = runs
  if (run?.id || run?.reason === 'duplicate') {
    // The run does not wait for cron.
    await wake(env, 'automations.run', workspaceId)
    return { state: 'done', result: run.id }
  }
  return { state: 'failed', code: 'INVALID_STATE', message: `The automation was not started: ${run?.reason?.replaceAll('_', ' ')}` }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

async function end(env: Env, { workspaceId, id }: Named, { state, result = null, code, message }: Ended): Promise<void> {
  await batch(jobsDatabaseOf(env), [
    call('end_incoming', workspaceId, id, state, result, code ?? null, message === undefined ? null : loggable(message, 500)),
  ])
}
