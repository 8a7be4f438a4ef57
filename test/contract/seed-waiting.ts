import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { type Ids, operations } from './samples.ts'
import { sendSample } from './send.ts'
import { FULL_START, waiting } from './waiting-values.ts'

/** An event type with a waiting list and a time without free seats. */
export async function fullTime(app: Harness, ws: TestWorkspace): Promise<string> {
  const name = `Group ${crypto.randomUUID()}`
  const { body } = await ws.post('/scheduled-event-types', { name, seats: 2, waiting_list: true, horizon_days: 365 })
  await app.owner.query(
    `insert into seat_sessions (workspace_id, event_type_id, starts_at, ends_at, host_ids, capacity, taken)
      values ($1, $2, $3, $3::timestamptz + interval '30 minutes', '{}', 2, 2)`,
    [ws.id, body.data.id, FULL_START],
  )
  return body.data.id
}

/** An entry of a waiting list. */
export async function addWaiting(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  const join = operations.find(({ name }) => name === 'POST /scheduling-waiting-list')
  ids.full_event_type_id = await fullTime(app, ws)
  if (join) ids.entry_id = (await sendSample(app, ws, join, ids)).body.data.id
}

/** A person who waits for a time of an event type of its own. */
export async function newEntry(app: Harness, ws: TestWorkspace): Promise<string> {
  const { body } = await ws.post('/scheduling-waiting-list', { name: 'Wil Wu', ...waiting(await fullTime(app, ws)).body })
  return body.data.id
}
