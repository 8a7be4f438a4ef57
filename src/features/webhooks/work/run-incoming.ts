import { sql } from 'drizzle-orm'
import type { MessageOf } from '../../../../queues/messages.ts'
import { endpointFor } from '../../../../routes/index.ts'
import { batch } from '../../../data/batch.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { AppError, STATUS_OF } from '../../../errors.ts'
import { execute } from '../../../http/execute.ts'
import { isId, newId } from '../../../lib/ids.ts'
import { loggable } from '../../../lib/text.ts'
import { ACTION_SCOPES } from '../plans/incoming.ts'
import { mapPayload } from '../rules/mapping.ts'
import type { Mapping } from '../rules/types.ts'

type Message = MessageOf<'incoming.run'>
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

/**
 * Does what an incoming webhook says about a request that it has received. The request's id is the Idempotency-Key of the call, and the key
 * of the run, so a repeated message does it once.
 */
export async function runIncoming(env: Env, message: Message): Promise<void> {
  const { workspace_id, request_id } = message
  const [found] = (await batch(jobsDatabaseOf(env), [
    sql`select load_incoming(${workspace_id}::uuid, ${request_id}::uuid, ${JSON.stringify(ACTION_SCOPES)}::jsonb)`,
  ])) as [Incoming | null]
  if (!found) return
  try {
    await end(env, message, await perform(env, message, found))
  } catch (error) {
    if (!(error instanceof AppError) || STATUS_OF[error.code] >= 500) throw error
    await end(env, message, { state: 'failed', code: error.code, message: error.message })
  }
}

function perform(env: Env, message: Message, incoming: Incoming): Promise<Ended> | Ended {
  if (incoming.action === null) return { state: 'failed', code: 'NOT_FOUND', message: 'The webhook was deleted' }
  if (!incoming.valid)
    return {
      state: 'failed',
      code: 'FORBIDDEN',
      message: 'The key of the webhook is no longer valid, or lacks a scope: change the webhook with another key',
    }
  if (incoming.action === 'record_only') return { state: 'done' }
  return incoming.action === 'start_automation' ? startAutomation(env, message, incoming) : write(env, message, incoming)
}

/** Calls the endpoint of the action with the mapped fields. */
async function write(
  env: Env,
  { workspace_id, request_id }: Message,
  { action, mapping, match_on, key_id, payload }: Incoming,
): Promise<Ended> {
  const endpoint = await endpointFor({ method: 'POST', path: PATHS[action as string] as string })
  if (!endpoint) throw new AppError('NOT_FOUND', 'This endpoint no longer exists')
  const fields = mapPayload(mapping, payload)
  const body = { ...fields, ...(action === 'upsert_contact' && match_on && { match_on }) }
  const { kind, value } = await execute(jobsDatabaseOf(env), {
    endpoint,
    input: { params: {}, query: {}, body },
    caller: { kind: 'incoming_webhook', incoming_request_id: request_id, workspace_id, key_id },
    requestId: newId(),
    now: new Date(),
    idempotency: { key: `incoming-${request_id}`, hash: request_id },
  })
  await env.EVENTS.send({ type: 'events.deliver', workspace_id }).catch(() => {})
  if (kind === 'held') return { state: 'held', result: value as string }
  const record = (value as { data?: { id: string } }).data ?? (value as { id: string })
  return { state: 'done', result: record.id }
}

type Started = { runs: { id: string | null; reason: string | null }[] }

/** Starts a run of the automation. */
async function startAutomation(
  env: Env,
  { workspace_id, request_id }: Message,
  { webhook_id, automation_id, mapping, payload }: Incoming,
): Promise<Ended> {
  const ids = Object.entries(mapPayload(mapping, payload)).filter(([, id]) => typeof id === 'string' && isId(id))
  const row = { ...Object.fromEntries(ids), dedupe_key: `webhook:${request_id}`, trigger_data: isObject(payload) ? payload : { payload } }
  const [, { runs }] = (await batch(jobsDatabaseOf(env), [
    sql`select set_config('app.workspace_id', ${workspace_id}, true)`,
    sql`select start_runs(${automation_id}::uuid, 'webhook', ${webhook_id}::uuid, ${JSON.stringify([row])}::jsonb)`,
  ])) as [unknown, Started]
  const [run] = runs
  if (run?.id || run?.reason === 'duplicate') {
    // The run does not wait for cron.
    await env.EVENTS.send({ type: 'automations.run', workspace_id }).catch(() => {})
    return { state: 'done', result: run.id }
  }
  return { state: 'failed', code: 'INVALID_STATE', message: `The automation was not started: ${run?.reason?.replaceAll('_', ' ')}` }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** After the last attempt: the log shows that the request was not processed. */
export const deadLetterIncoming = (env: Env, message: Message): Promise<void> =>
  end(env, message, { state: 'failed', code: 'UNAVAILABLE', message: 'The request could not be processed, in several tries' })

async function end(env: Env, { workspace_id, request_id }: Message, { state, result = null, code, message }: Ended): Promise<void> {
  await batch(jobsDatabaseOf(env), [
    sql`select end_incoming(${workspace_id}::uuid, ${request_id}::uuid, ${state}, ${result}::uuid, ${code ?? null}::text, ${message === undefined ? null : loggable(message, 500)}::text)`,
  ])
}
