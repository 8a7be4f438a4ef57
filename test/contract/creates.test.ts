import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'
import { bodyOf, type Ids, idsFor, probed } from './samples.ts'
import { seed } from './seed.ts'
import { sendSample } from './send.ts'

let app: Harness
let ws: TestWorkspace
let ids: Ids
beforeAll(async () => {
  app = await start()
  ws = await app.workspace()
  ids = await seed(app, ws)
  await app.drain()
})
afterAll(() => app.close())

const JSON_MODES = ['one', 'created', 'upserted', 'added']
/** A POST that returns one record. Calls over several records, and portals, answer what was done. */
const posts = probed.filter(
  ({ endpoint: { method, access, returns, path } }) =>
    method === 'POST' &&
    !access.public &&
    JSON_MODES.includes(returns.as) &&
    !/bulk-|\/(?:bulk|from-components|send-work-status|portals|review-requests|notify|test-send|sync-products|convert)$/.test(path),
)
const ADDED = posts.filter(({ endpoint }) => endpoint.returns.as === 'added')

/** The ids of the records that a request has created, and not restored. Enrolments in auto queues have no history, but events;
 * requests to other services, proposals and notices of bookings have neither. */
async function createdBy({ headers, body }: ApiResponse): Promise<string[]> {
  const { rows } = await app.owner.query(
    `select entity_id from changes where request_id = $1 and action = 'created' and cause_type <> 'restore'
      union all select id from outgoing_requests where id::text = $2
      union all select id from booking_notices where id::text = $2
      union all select p.id from agent_proposals p join approvals a on a.id = p.approval_id where a.request_id = $1
      union all select id from sms_consents where id::text = $2
      union all select id from work_order_feeds where id::text = $2
      union all select (coalesce(payload ->> 'enrolment_id', payload ->> 'list_enrolment_id'))::uuid from outbox
        where request_id = $1 and type in ('auto_queue.enrolled', 'auto_queue.list_enrolment_started')`,
    [headers.get('x-request-id'), body.data?.id],
  )
  return rows.map(({ entity_id }) => entity_id)
}
const loggedStatus = async ({ headers }: ApiResponse) =>
  (await app.owner.query('select status from requests where id = $1', [headers.get('x-request-id')])).rows[0]?.status

/**
 * Whether the record in the answer is one that the request has created. A link without an id is the only record that its request creates.
 */
const isCreated = ({ body }: ApiResponse, created: string[]) => (body.data?.id ? created.includes(body.data.id) : created.length > 0)

// Sent one after the other, because a call may need what another one changes.
test('a POST answers 201 if it has created the record that it returns, and otherwise 200', async () => {
  const faults: string[] = []
  const statuses = { 200: 0, 201: 0 }
  for (const operation of posts) {
    const answer = await sendSample(app, ws, operation, ids)
    if (answer.status > 201) continue
    const expected = isCreated(answer, await createdBy(answer)) ? 201 : 200
    statuses[expected] += 1
    if (answer.status !== expected) faults.push(`${operation.name}: ${answer.status}, not ${expected}`)
  }
  expect(faults).toEqual([])
  expect(statuses[201]).toBeGreaterThan(15)
  expect(statuses[200]).toBeGreaterThan(10)
})

test('an addition that is repeated answers 201 at most once, and the log and a replay say the same', async () => {
  const fresh = await app.workspace()
  const its = await seed(app, fresh)
  // The sample data has them already.
  for (const links of ['employers', 'followers', 'opportunity_users', 'billing_parties', 'dismissed_duplicates', 'task_stakeholders'])
    await app.owner.query(`delete from ${links} where workspace_id = $1`, [fresh.id])
  const first: number[] = []
  for (const operation of ADDED) {
    const body = bodyOf(operation, idsFor(operation, its))
    const send = (key: string) =>
      sendSample(app, fresh, operation, its, { ...(body && { body }), headers: { 'idempotency-key': `${operation.endpoint.id}-${key}` } })
    const [added, again, replayed] = [await send('first'), await send('again'), await send('first')]
    first.push(added.status)
    expect([operation.name, again.status, await createdBy(again)]).toEqual([operation.name, 200, []])
    expect([operation.name, replayed.status, replayed.body]).toEqual([operation.name, added.status, added.body])
    expect([operation.name, await loggedStatus(added), await loggedStatus(again)]).toEqual([operation.name, added.status, 200])
    expect([operation.name, added.status]).toEqual([operation.name, (await createdBy(added)).length > 0 ? 201 : 200])
  }
  expect(first.filter((status) => status === 201).length).toBeGreaterThan(4)
})
