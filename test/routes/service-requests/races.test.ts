import { expect, test } from 'vitest'
import { found, type Row, useCrm } from '../crm.ts'

const crm = useCrm({ own: true })
const path = '/service-requests'
const make = async (fields: object = {}): Promise<Row> => (await crm.ws.post(path, { title: 'The export stops', ...fields })).body.data
const related = async (id: unknown): Promise<unknown> => found(await crm.ws.get(`${path}/${id}`)).related_ids

/** Waits until as many sessions of the Worker wait for a lock. */
async function untilBlocked(sessions: number): Promise<void> {
  const waiting = "select from pg_stat_activity where usename = 'app' and datname = current_database() and wait_event_type = 'Lock'"
  while ((await crm.app.owner.query(waiting)).rowCount !== sessions);
}

/** Sends calls that all wait for the same request, and then lets them go on together. */
async function together<T>(id: unknown, calls: (() => Promise<T>)[]): Promise<T[]> {
  const other = await crm.app.owner.connect()
  await other.query('begin')
  await other.query('select from service_requests where id = $1 for update', [id])
  const answers = Promise.all(calls.map((call) => call()))
  await untilBlocked(calls.length)
  await other.query('rollback')
  other.release()
  return answers
}

test('requests that are created at once for the same one are all related to it', async () => {
  const { id } = await make()
  const created = await together(
    id,
    [1, 2, 3].map(() => () => make({ related_ids: [id] })),
  )
  expect(await related(id)).toEqual(created.map((one) => String(one.id)).sort())
})

test('requests that name the same ones in another order do not deadlock', async () => {
  const [a, b] = [await make(), await make()]
  const [first, second] = await together(a.id, [() => make({ related_ids: [a.id, b.id] }), () => make({ related_ids: [b.id, a.id] })])
  const both = [String(first?.id), String(second?.id)].sort()
  expect([await related(a.id), await related(b.id)]).toEqual([both, both])
})

test('a request that is created while its relation is ended and added elsewhere keeps both ends equal', async () => {
  const [a, b] = [await make(), await make()]
  found(await crm.ws.post(`${path}/${a.id}/links`, { add: [b.id] }))
  const [created] = await together(a.id, [
    () => make({ related_ids: [a.id] }),
    async () => found(await crm.ws.post(`${path}/${b.id}/links`, { remove: [a.id] })),
  ])
  expect([await related(a.id), await related(b.id)]).toEqual([[created?.id], []])
})
