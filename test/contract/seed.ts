import { randomUUID } from 'node:crypto'
import { allEndpoints } from '../../routes/index.ts'
import { isList } from '../../src/http/endpoint.ts'
import type { Harness } from '../harness.ts'
import { automationIn } from '../routes/scheduling.ts'
import type { TestWorkspace } from '../workspace.ts'
import {
  belowRecord,
  bodyOf,
  type Ids,
  idAt,
  idFor,
  idsFor,
  type Operation,
  operations,
  ownParameter,
  pathOf,
  placesOfIds,
  restoredId,
  restoredParameter,
} from './samples.ts'
import { addCalendars, calendarIds } from './seed-calendars.ts'
import { addCampaigns } from './seed-campaigns.ts'
import { addChannels } from './seed-channels.ts'
import { addDelivery } from './seed-delivery.ts'
import { addEnrolments } from './seed-enrolments.ts'
import { addMailbox } from './seed-gmail.ts'
import { addNotices, NEEDS } from './seed-notices.ts'
import { addContents, addOrders, collectionOf } from './seed-orders.ts'
import { sendSample } from './send.ts'

const endpoints = await allEndpoints()

/** Records that are created by another path than that of their list, with the name of their id. */
const MADE_BY: Record<string, string> = { 'POST /company/users/invite': 'invited_user_id', 'POST /reputation/profile': 'profile_id' }

/**
 * A workspace with one record of everything that can be created through the API, and their ids. New resources are included: the create
 * endpoint is called as soon as all records that its path and body name exist.
 */
export async function seed(app: Harness, ws: TestWorkspace): Promise<Ids> {
  // Not the zone that a plan assumes at first, but with the same clocks.
  await app.owner.query(`update workspaces set timezone = 'Australia/Melbourne' where id = $1`, [ws.id])
  await app.owner.query('delete from zone_work where workspace_id = $1', [ws.id])
  const colleague = await ws.key({ role: 'client_editor' })
  const ids: Ids = { user_id: colleague.userId, ...calendarIds(app) }
  if (!endpoints.some(({ method, path }) => method === 'POST' && path === '/automations')) ids.automation_id = await automationIn(app, ws)
  // Messages are sent at any time of the day.
  await ws.patch('/company/crm-settings', { quiet_hours: null })
  const open = operations.filter(makes)
  for (;;) {
    // Endpoints that may refer to records that do not exist yet come last.
    const [next] = open.filter((operation) => isReady(operation, ids)).sort((a, b) => unknownTo(ids, a) - unknownTo(ids, b))
    if (!next) break
    open.splice(open.indexOf(next), 1)
    await make(app, ws, next, ids)
  }
  if (endpoints.some(({ path }) => path === '/approvals')) await ws.post('/contacts', { first_name: 'Held', require_approval: true })
  ids.completed_task_id = (await ws.post('/tasks', { title: 'Done', status: 'completed' })).body.data.id
  const recurring = { title: 'Weekly', due_at: '2026-03-31T09:30:00Z', recurrence: { frequency: 'daily' } }
  ids.recurring_task_id = (await ws.post('/tasks', recurring)).body.data.id
  ids.idle_event_type_id = (await ws.post('/scheduled-event-types', { name: `Idle ${crypto.randomUUID().slice(0, 8)}` })).body.data.id
  ids.provider = 'retell'
  await ws.put('/scheduling/voice-providers/retell', { secret: 'secret' })
  await offerWords(ws, ids)
  await makeMerges(ws, ids)
  await dismissPairs(ws, ids)
  await makeRuns(app, ws, ids)
  for (const state of ['running', 'finished']) ids[`${state}_import_id`] = await importIn(app, ws, state)
  await reserveMessage(app, ws)
  await addWebhookLogs(app, ws, ids)
  await addDeadLetter(app, ws, ids)
  for (const add of [addCampaigns, addChannels, addNotices, addCalendars, addMailbox, addOrders, addContents]) await add(app, ws, ids)
  if (ids.auto_schedule_id)
    ids.auto_schedule_schedule_run_id = (await ws.post(`/auto-schedules/${ids.auto_schedule_id}/fire-now`)).body.data.id
  await find(ws, ids)
  if (ids.pipeline_id) await findStages(ws, ids)
  await addDelivery(ws, ids)
  if (ids.auto_queue_id) await addEnrolments(app, ws, ids)
  for (const operation of operations.filter(({ endpoint }) => endpoint.path.endsWith('/restore')))
    await makeDeleted(app, ws, operation, ids)
  return ids
}

/** An import whose message failed. */
async function addDeadLetter(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  const { rows } = await app.owner.query(
    `insert into dead_letters (workspace_id, queue, type, message, attempts, last_error)
      values ($1, 'imports', 'import.run', $2, 6, 'TypeError') returning id`,
    [ws.id, { type: 'work.run', kind: 'import.run', workspace_id: ws.id, item_id: randomUUID() }],
  )
  ids.dead_letter_id = rows[0].id
}

/** A delivery of the webhook, a request that an incoming one could not process, and a token. */
async function addWebhookLogs(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  ids.event_type = 'contact.created'
  ids.webhook_delivery_id = (await ws.post(`/webhooks/${ids.webhook_id}/test`)).body.data.id
  const { rows } = await app.owner.query(
    `insert into incoming_requests (workspace_id, webhook_id, payload, state, error_code, error_message)
      values ($1, $2, '{"email": "ana@example.com"}', 'failed', 'VALIDATION_ERROR', 'email: must be text') returning id`,
    [ws.id, ids.incoming_webhook_id],
  )
  ids.incoming_webhook_request_id = rows[0].id
  const { path } = (await ws.post('/incoming-webhooks', { name: 'Other', action: 'record_only' })).body.data
  ids.token = path.slice(path.lastIndexOf('/') + 1)
}

/** Values of every picklist: those that the examples rename, and others to delete. */
async function offerWords(ws: TestWorkspace, ids: Ids): Promise<void> {
  const [lost_reasons, won_reasons, opportunity_types] = [
    ['Price', 'Late'],
    ['Quality', 'Luck'],
    ['New business', 'Renewal'],
  ]
  const [account_types, contact_types] = [
    ['Supplier', 'Partner'],
    ['Customer', 'Lead'],
  ]
  await ws.patch('/company/crm-settings', { lost_reasons, won_reasons, opportunity_types, account_types, contact_types })
  await ws.patch(
    '/company/settings/tag-palette',
    ['VIP', 'Idle'].map((name) => ({ name, color: '#1a73e8' })),
  )
  await ws.post('/lead-sources', { name: 'Trade fair' })
  Object.assign(ids, { lost_reason_name: 'Late', won_reason_name: 'Luck', opportunity_type_name: 'Renewal' })
  Object.assign(ids, { account_type_name: 'Partner', contact_type_name: 'Lead', palette_tag_name: 'Idle' })
}

/** For each kind that can be merged: another record to merge, and a completed merge. */
async function makeMerges(ws: TestWorkspace, ids: Ids): Promise<void> {
  for (const [plural, entity] of [
    ['contacts', 'contact'],
    ['companies', 'company'],
    ['opportunities', 'opportunity'],
  ]) {
    const make = async () => (await ws.post(`/${plural}`, { [entity === 'contact' ? 'first_name' : 'name']: 'Other' })).body.data.id
    ids[`other_${entity}_id`] = await make()
    const { body } = await ws.post(`/${plural}/merge`, { winner_id: await make(), loser_ids: [await make()] })
    ids[`${entity}_merge_id`] = body.data.merge_id
  }
}

/** Puts an import into a state in which no call leaves it, without the queue. */
async function importIn(app: Harness, ws: TestWorkspace, state: string): Promise<string> {
  const upload = operations.find(({ name }) => name === 'POST /imports') as Operation
  const { id } = (await sendSample(app, ws, upload, {})).body.data
  await app.owner.query(`begin; set local session_replication_role = replica; update imports set state = '${state}' where id = '${id}';
    update import_files set phase = 'run' where import_id = '${id}'; commit`)
  return id
}

/** Automations that are published and paused, a run that failed with its step, and one that waits; nothing in the background finds them. */
async function makeRuns(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  const upload = operations.find(({ name }) => name === 'POST /automations')
  if (!upload) return
  const states = ['published', 'paused', 'idle'] as const
  for (const state of states) ids[`${state}_automation_id`] = (await sendSample(app, ws, upload, {})).body.data.id
  const [published, paused] = states.map((state) => ids[`${state}_automation_id`])
  const step = randomUUID()
  await app.owner.query(`begin; set local session_replication_role = replica;
    insert into automation_versions (workspace_id, automation_id, number, definition, published_by, key_id)
      select '${ws.id}', id, 1,
        '{"trigger": {"type": "manual"}, "conditions": [], "steps": [], "enrolment": {"mode": "always", "concurrency": "parallel"}}',
        '${ws.userId}', '${ws.keyId}'
      from automations where id in ('${published}', '${paused}');
    update automations a set state = case a.id when '${paused}' then 'paused' else 'published' end, version_id = v.id, version_number = 1
      from automation_versions v where v.automation_id = a.id and a.id in ('${published}', '${paused}');
    with run as (insert into automation_runs (workspace_id, automation_id, version_id, state, source, dedupe_key, contact_id, record_id,
        place, moves, awaits, ended_at)
        select '${ws.id}', '${published}', (select version_id from automations where id = '${published}'), s, 'manual', gen_random_uuid(),
          '${ids.contact_id}', '${ids.contact_id}',
          '{"frames": [], "outputs": {}}', 1, case s when 'waiting' then 'nothing' end, case when s <> 'waiting' then now() end
        from unnest('{waiting,failed,stopped}'::text[]) s returning *)
      insert into automation_steps (workspace_id, run_id, automation_id, sequence, step_id, type, state, place)
        select workspace_id, id, automation_id, 1, '${step}', 'stop', 'failed', '[]' from run;
    commit`)
  const { rows } = await app.owner.query('select id, state from automation_runs where workspace_id = $1 order by id desc limit 3', [ws.id])
  const inState = (state: string) => rows.find((row) => row.state === state).id
  Object.assign(ids, {
    number: '1',
    taken_step_id: step,
    run_id: inState('failed'),
    waiting_run_id: inState('waiting'),
    ended_run_id: inState('stopped'),
  })
}

/** A deleted record for each call that restores one. */
async function makeDeleted(app: Harness, ws: TestWorkspace, { endpoint: { path } }: Operation, ids: Ids): Promise<void> {
  const [one, parameter] = [path.replace('/restore', ''), restoredParameter(path)]
  const named = (name: string) => operations.find((operation) => operation.name === name) as Operation
  const create = named(`POST ${collectionOf(one.replace(`/:${parameter}`, ''))}`)
  const body = bodyOf(create, ids)
  // A contact is a member of a stakeholder type once.
  const other = path.includes('/members/') && (await ws.post('/contacts', { first_name: 'Member' })).body.data.id
  const change = other ? { body: { ...body, contact_id: other } } : {}
  const made = await sendSample(app, ws, create, ids, change)
  const id = made.body.data?.id
  const remove = named(`DELETE ${one}`)
  // The row that was just made, and not the one that other calls below the same record use.
  const gone = await sendSample(app, ws, remove, ids, { path: pathOf(remove.endpoint, { ...idsFor(remove, ids), [parameter]: id }) })
  if (gone.status >= 300) throw new Error(`No deleted record for ${path}\n${JSON.stringify([made.body, gone.body])}`)
  ids[`deleted_${restoredId(path)}`] = id
}

/** A dismissed pair of records of each kind. */
async function dismissPairs(ws: TestWorkspace, ids: Ids): Promise<void> {
  for (const [plural, entity] of [
    ['contacts', 'contact'],
    ['companies', 'company'],
    ['opportunities', 'opportunity'],
  ]) {
    const pair = [ids[`${entity}_id`], ids[`other_${entity}_id`]]
    ids[`${entity}_dismissal_id`] = (await ws.post(`/${plural}/duplicates/dismiss`, { ids: pair })).body.data.id
  }
}

/** A message that the queue has sent: no endpoint makes one. */
async function reserveMessage(app: Harness, ws: TestWorkspace): Promise<void> {
  const { rows } = await app.owner.query('select id, email from contacts where workspace_id = $1 order by id limit 1', [ws.id])
  await app.owner.query(
    `insert into messages (workspace_id, channel, purpose, contact_id, recipient, subject, body_text, dedupe_key, status, due_at)
      values ($1, 'email', 'automation', $2, coalesce($3, 'ana@example.com'), 'Offer', 'Hello', uuidv7()::text, 'sent', null)`,
    [ws.id, rows[0]?.id, rows[0]?.email],
  )
}

/** Records without a create endpoint, such as events, are found in their lists. */
async function find(ws: TestWorkspace, ids: Ids): Promise<void> {
  for (const { endpoint } of operations.filter(({ endpoint }) => isList(endpoint) && endpoint.method === 'GET')) {
    const parameter = ownParameter(endpoint)
    if (!parameter || idFor(parameter, ids) || /:/.test(endpoint.path)) continue
    const { body } = await ws.get(`${endpoint.path}?limit=1`)
    if (body.data[0]?.id) ids[parameter] = body.data[0].id
  }
}

/** The stage that takes the cards of a deleted one, and the ids for a new order of stages. */
async function findStages(ws: TestWorkspace, ids: Ids): Promise<void> {
  const { body } = await ws.get('/pipelines')
  for (const { id, stages } of body.data as { id: string; stages: { id: string }[] }[]) {
    if (id === ids.pipeline_id) ids.all_stage_ids = stages.map(({ id }) => id).join()
    else if (stages[0]) ids.move_to_stage_id = stages[0].id
  }
}

/** Creates or links a record: either it has a path of its own, or its path names both ends. */
function makes({ name, endpoint }: Operation): boolean {
  if (MADE_BY[name]) return true
  const {
    method,
    path,
    successor,
    access: { public: open },
  } = endpoint
  if (method !== 'POST' || successor || open) return false
  return (
    endpoints.some((other) => other.path.startsWith(`${path}/:`)) ||
    (/:\w+$/.test(path) && endpoints.some((other) => other.path === path && other.method === 'DELETE'))
  )
}

function isReady(operation: Operation, ids: Ids): boolean {
  const { endpoint, body } = operation
  const named = [...endpoint.path.matchAll(/:(\w+)/g)].every(([, name]) => idFor(name as string, ids))
  const required = body ? placesOfIds(body).filter(([field]) => body.required?.includes(field)) : []
  const needed = NEEDS[operation.name]
  return named && (needed === undefined || ids[needed] !== undefined) && required.every((place) => idAt(endpoint, place, ids))
}

const unknownTo = (ids: Ids, { endpoint, body }: Operation) =>
  body ? placesOfIds(body).filter((place) => !idAt(endpoint, place, ids)).length : 0

async function make(app: Harness, ws: TestWorkspace, operation: Operation, ids: Ids): Promise<void> {
  const { endpoint, name } = operation
  const body = bodyOf(operation, ids)
  const answer = await sendSample(app, ws, operation, ids, { body })
  if (answer.status >= 300)
    throw new Error(`The sample for ${name} was refused: see test/contract/samples.ts\n${JSON.stringify({ body, answer: answer.body })}`)
  // A member whose calendar has not been read yet cannot be booked.
  if (name === 'POST /calendar-connections') await app.drain()
  // Only an active queue takes enrolments.
  if (name === 'POST /auto-queues/:auto_queue_id/steps') await ws.post(`/auto-queues/${ids.auto_queue_id}/activate`)
  const parameter = MADE_BY[name] ?? ownParameter(endpoint)
  const made = parameter.endsWith('_name') ? body?.name : answer.body.data.id
  if (!made) return
  ids[parameter] ??= made
  ids[belowRecord(endpoint, parameter)] ??= made
}
