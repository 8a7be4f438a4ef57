import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'
import { bodyOf, type Ids, idsFor, type Operation, operations } from './samples.ts'
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
/** A POST that returns one record. */
const posts = operations.filter(
  ({ endpoint: { method, access, returns, path } }) =>
    method === 'POST' && !access.public && JSON_MODES.includes(returns.as) && !/bulk-/.test(path),
)
const ADDED = posts.filter(({ endpoint }) => endpoint.returns.as === 'added')

/** The ids of the records that a request has created. */
async function createdBy({ headers }: ApiResponse): Promise<string[]> {
  const { rows } = await app.owner.query("select entity_id from changes where request_id = $1 and action = 'created'", [
    headers.get('x-request-id'),
  ])
  return rows.map(({ entity_id }) => entity_id)
}
const loggedStatus = async ({ headers }: ApiResponse) =>
  (await app.owner.query('select status from requests where id = $1', [headers.get('x-request-id')])).rows[0]?.status

/** Whether the record in the answer is one that the request has created. A link without an id is the only record that its request creates. */
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
  expect(statuses[201]).toBeGreaterThan(40)
  expect(statuses[200]).toBeGreaterThan(10)
})

test.each(ADDED)('$name answers 201 at most once, and the log and a repeated request say the same', async (operation: Operation) => {
  const fresh = await app.workspace()
  const its = await seed(app, fresh)
  const body = bodyOf(operation, idsFor(operation, its))
  const send = (key: string) => sendSample(app, fresh, operation, its, { ...(body && { body }), headers: { 'idempotency-key': key } })
  const first = await send('first')
  const again = await send('again')
  const replayed = await send('first')
  await app.drain()
  expect([again.status, await createdBy(again)]).toEqual([200, []])
  expect(first.status).toBe((await createdBy(first)).length > 0 ? 201 : 200)
  expect([replayed.status, replayed.body]).toEqual([first.status, first.body])
  expect([await loggedStatus(first), await loggedStatus(again)]).toEqual([first.status, 200])
})
