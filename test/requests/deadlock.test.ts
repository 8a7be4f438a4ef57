import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'

let app: Harness
beforeAll(async () => {
  app = await start({ own: true })
})
afterAll(() => app.close())

/** Waits until a session of the Worker waits for a lock. */
async function untilBlocked(): Promise<void> {
  const waiting = "select from pg_stat_activity where usename = 'app' and datname = current_database() and wait_event_type = 'Lock'"
  while ((await app.owner.query(waiting)).rowCount === 0);
}

test('a request that PostgreSQL ends because of a deadlock is repeated, and its caller does not notice', async () => {
  const ws = await app.workspace()
  const company = (await ws.post('/companies', { name: 'Deadlock Ltd' })).body.data.id
  const contact = (await ws.post('/contacts', { first_name: 'Ana' })).body.data.id
  const other = await app.owner.connect()
  // The other transaction waits patiently, so that PostgreSQL ends that of the request.
  await other.query("begin; set local deadlock_timeout = '1min'")
  await other.query('select from contacts where id = $1 for update', [contact])
  const before = app.proxy.trips
  // It locks the company that it refers to, and then waits for the contact.
  const request = ws.patch(`/contacts/${contact}`, { customer_id: company, city: 'Perth' })
  await untilBlocked()
  await other.query('select from companies where id = $1 for update', [company])
  await other.query('rollback')
  other.release()
  const answer = await request
  expect(answer).toMatchObject({ status: 200, body: { data: { customer_id: company, city: 'Perth', version: 2 } } })
  expect(app.proxy.trips - before).toBeGreaterThanOrEqual(2)
  const { rows } = await app.owner.query('select count(*)::int as n from changes where entity_id = $1', [contact])
  expect(rows).toEqual([{ n: 2 }])
  await app.owner.query('select pg_stat_force_next_flush()')
  // The repeated request may lock the company again before the other transaction does.
  expect(
    Number((await app.owner.query('select deadlocks from pg_stat_database where datname = current_database()')).rows[0].deadlocks),
  ).toBeGreaterThan(0)
})
