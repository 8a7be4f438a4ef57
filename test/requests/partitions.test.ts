import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'

const DAY = 86_400_000
const NIGHTLY = '17 3 * * *'
const TABLES = ['changes', 'outbox', 'requests']

let app: Harness
let ws: TestWorkspace
beforeAll(async () => {
  app = await start({ own: true })
  ws = await app.workspace()
})
afterAll(() => app.close())

type Partition = { name: string; lower: Date | null; upper: Date | null }
const partitions = async (table: string, owner: pg.Pool = app.owner): Promise<Partition[]> =>
  (
    await owner.query<Partition>(
      `select name, instant_of(lower_bound) as lower, instant_of(upper_bound) as upper from partitions_of($1)
        order by lower_bound nulls first`,
      [table],
    )
  ).rows
const names = async (table: string) => (await partitions(table)).map(({ name }) => name)
const ago = (days: number) => new Date(Date.now() - days * DAY)
/** An id as if it had been made then. */
const idAt = (at: Date, n = 0) => {
  const hex = at.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(n).padStart(12, '0')}`
}

/** The table begins anew, as if it had been made so many days ago, with partitions of a tenth of what is kept. */
async function beginAgo(table: string, days: number, keep: number): Promise<void> {
  for (const { name } of await partitions(table)) await app.owner.query(`drop table ${name}`)
  await app.owner.query(`select new_partition('${table}', '${table}_past'), new_partition('${table}', '${table}_open')`)
  const bound = idAt(ago(days)).replace(/-7000-8000-/, '-0000-0000-')
  await app.owner.query(`alter table ${table} attach partition ${table}_past for values from (minvalue) to ('${bound}')`)
  await app.owner.query(`alter table ${table} attach partition ${table}_open for values from ('${bound}') to (maxvalue)`)
  for (let from = bound, day = days - keep / 10; day > -keep / 5; day -= keep / 10) {
    const to = idAt(ago(day)).replace(/-7000-8000-/, '-0000-0000-')
    await app.owner.query('select close_partition($1, $2, $3)', [table, from, to])
    from = to
  }
}

/** A change, and its link to the timeline of the record that has the id of the workspace. */
const addChange = async (at: Date, n: number) => {
  await app.owner.query(
    `insert into changes (workspace_id, id, entity, entity_id, action, fields, version, at)
      values ($1, $2, 'contact', $3, 'updated', '{}', 1, $4)`,
    [ws.id, idAt(at, n), ws.id, at],
  )
  await app.owner.query('insert into timeline_changes (workspace_id, record_id, at, change_id) values ($1, $1, $2, $3)', [
    ws.id,
    at,
    idAt(at, n),
  ])
}
const addEvent = (at: Date, n: number, needed: boolean, delivered: Date | null) =>
  app.owner.query(
    `insert into outbox (workspace_id, id, type, entity, entity_id, payload, needs_delivery, delivered_at, at)
      values ($1, $2, 'member.invited', 'member', $1, '{}', $3, $4, $5)`,
    [ws.id, idAt(at, n), needed, delivered, at],
  )
const addRequest = (at: Date, n: number) =>
  app.owner.query(
    `insert into requests (workspace_id, id, key_id, user_id, method, path, status, outcome)
      values ($1, $2, $3, $4, 'GET', '/contacts', 200, 'done')`,
    [ws.id, idAt(at, n), ws.keyId, ws.userId],
  )
const ids = async (table: string) =>
  (
    await app.owner.query(
      `select id from ${table} where workspace_id = $1 and uuid_extract_timestamp(id) < now() - interval '1 day' order by id`,
      [ws.id],
    )
  ).rows.map(({ id }) => id)

test('each night makes the partitions of the time to come, whose ranges leave no id without a place', async () => {
  await app.cron(NIGHTLY)
  const before = await Promise.all(TABLES.map(names))
  const later = new Date(Date.now() + 200 * DAY)
  await app.cron(NIGHTLY, later)
  for (const [at, table] of TABLES.entries()) {
    const all = await partitions(table)
    expect(all.length, table).toBeGreaterThan(before[at]!.length)
    expect(all.at(-1)!.lower!.getTime(), table).toBeGreaterThan(later.getTime())
    expect([all[0]!.lower, all.at(-1)!.upper]).toEqual([null, null])
    expect(all.slice(1).map(({ lower }) => lower)).toEqual(all.slice(0, -1).map(({ upper }) => upper))
    await app.cron(NIGHTLY, later)
    expect(await names(table)).toEqual(all.map(({ name }) => name))
  }
  const made = await ws.post('/contacts', { first_name: 'Ana' })
  expect(made.status).toBe(201)
  // The time that the Worker sends is never a reason to drop anything.
  expect((await ws.get(`/requests/${made.headers.get('x-request-id')}`)).body.data.changes).toHaveLength(1)
})

test('ids of any time have a place, and those of a wrong clock move on when a partition ends', async () => {
  const [past, future] = [new Date('1999-01-01'), new Date('2100-01-01')]
  await addRequest(past, 1)
  await addRequest(future, 2)
  await app.cron(NIGHTLY, new Date(Date.now() + 400 * DAY))
  const { rows } = await app.owner.query(
    'select tableoid::regclass::text as place from requests where workspace_id = $1 and id = any($2) order by id',
    [ws.id, [idAt(past, 1), idAt(future, 2)]],
  )
  expect(rows).toEqual([{ place: 'requests_past' }, { place: 'requests_open' }])
})

test('history goes with its partition after two years, no day before, and leaves no link behind', async () => {
  await beginAgo('changes', 1000, 730)
  const before = await partitions('changes')
  for (const [n, days] of [999, 740, 720, 30].entries()) await addChange(ago(days), n)
  await app.cron(NIGHTLY)
  const left = await ids('changes')
  expect(left).toEqual(expect.arrayContaining([idAt(ago(720), 2), idAt(ago(30), 3)].map((id) => expect.stringMatching(id.slice(-12)))))
  expect(left.map((id: string) => Number(id.slice(-12)))).not.toContain(0)
  const all = await partitions('changes')
  expect(all.length).toBeLessThan(before.length + 1)
  expect(all[0]!.upper!.getTime()).toBeLessThanOrEqual(ago(730).getTime())
  expect(all[1]!.upper!.getTime()).toBeGreaterThan(ago(730).getTime())
  const { rows } = await app.owner.query(
    'select change_id from timeline_changes where workspace_id = $1 and record_id = $1 order by change_id',
    [ws.id],
  )
  expect(rows.map(({ change_id }) => change_id)).toEqual(left)
})

test('after 30 days events and requests are gone, but no event that is still to be delivered', async () => {
  await beginAgo('outbox', 100, 30)
  await beginAgo('requests', 100, 30)
  await addEvent(ago(90), 1, true, ago(90))
  await addEvent(ago(90), 2, true, null)
  await addEvent(ago(90), 3, false, null)
  await addEvent(ago(20), 4, false, null)
  for (const [n, days] of [90, 60, 20].entries()) await addRequest(ago(days), n)
  await app.cron(NIGHTLY)
  expect((await ids('outbox')).map((id: string) => Number(id.slice(-12)))).toEqual([2, 4])
  expect((await ids('requests')).map((id: string) => Number(id.slice(-12)))).toEqual([2])
  // Delivered at last, it goes with the others.
  await app.owner.query('update outbox set delivered_at = now() where workspace_id = $1 and needs_delivery', [ws.id])
  await app.cron(NIGHTLY)
  expect((await ids('outbox')).map((id: string) => Number(id.slice(-12)))).toEqual([4])
})

test('with too many undelivered events nothing is dropped', async () => {
  await beginAgo('outbox', 100, 30)
  for (let n = 1; n <= 3; n++) await addEvent(ago(90), n, true, null)
  const all = await names('outbox')
  const drop = (most: number) => app.owner.query("select drop_partitions('outbox', id_at(now() - interval '30 days'), $1) as n", [most])
  expect((await drop(2)).rows).toEqual([{ n: 0 }])
  expect(await names('outbox')).toEqual(all)
  expect((await drop(3)).rows[0].n).toBeGreaterThan(0)
  expect(await ids('outbox')).toHaveLength(3)
})

test('there are never more than 24 partitions of a table', async () => {
  await beginAgo('requests', 0, 30)
  for (let day = 0; day < 200; day += 3) await app.cron(NIGHTLY, new Date(Date.now() + day * DAY))
  expect((await partitions('requests')).length).toBeLessThanOrEqual(24)
  await addRequest(new Date(Date.now() + 300 * DAY), 9)
})

test('who writes does not wait behind it, and the next night does what was left', async () => {
  await beginAgo('requests', 100, 30)
  await addRequest(ago(60), 1)
  const writer = await app.owner.connect()
  await writer.query('begin')
  await writer.query('lock table requests in row exclusive mode')
  await app.cron(NIGHTLY)
  expect(await ids('requests')).toHaveLength(1)
  expect(app.logs.some((line) => line.includes('Partitions were not rotated'))).toBe(true)
  await writer.query('rollback')
  writer.release()
  await app.cron(NIGHTLY)
  expect(await ids('requests')).toHaveLength(0)
})

test.each([
  [9, 1],
  [10, 0],
])('a night tries ten times: after %i failures %i partition of the past is dropped', async (failures, dropped) => {
  await beginAgo('requests', 100, 30)
  await addRequest(ago(60), 1)
  app.logs.length = 0
  let tried = 0
  app.proxy.onRequest = (request) => {
    const text = JSON.stringify(request)
    if (text.includes('rotate_partitions') && text.includes('"requests"') && ++tried <= failures) throw new Error('The connection is lost')
  }
  await app.cron(NIGHTLY).finally(() => {
    app.proxy.onRequest = undefined
  })
  expect(await ids('requests')).toHaveLength(1 - dropped)
  expect(app.logs.some((line) => line.includes('Partitions were not rotated'))).toBe(dropped === 0)
})

test('a purge reaches what every partition has of a person', async () => {
  await beginAgo('changes', 1000, 730)
  const { id } = (await ws.post('/contacts', { first_name: 'Erika', email: 'erika@example.com' })).body.data
  for (const [n, days] of [700, 300, 1100].entries())
    await app.owner.query(
      "insert into changes (workspace_id, id, entity, entity_id, action, fields, version) values ($1, $2, 'contact', $3, 'updated', $4, 1)",
      [ws.id, idAt(ago(days), 50 + n), id, { email: { before: 'erika@example.com', after: 'erika2@example.com' } }],
    )
  const places = await app.owner.query('select count(distinct tableoid)::int as n from changes where entity_id = $1', [id])
  expect(places.rows).toEqual([{ n: 4 }])
  expect((await ws.delete(`/contacts/${id}?purge=true`)).status).toBe(200)
  const { rows } = await app.owner.query(
    "select count(*)::int as n, count(*) filter (where fields::text like '%erika%')::int as known from changes where entity_id = $1",
    [id],
  )
  expect(rows).toEqual([{ n: 5, known: 0 }])
})

test('a partition that is asked directly shows the app nothing, and whoever may ask only their own rows', async () => {
  const made = await ws.post('/contacts', { first_name: 'Ana' })
  expect(made.status).toBe(201)
  const client = await app.owner.connect()
  const all = (await Promise.all(TABLES.map(names))).flat()
  for (const name of all) {
    await client.query('begin')
    await client.query("select set_config('app.workspace_id', $1, true)", [ws.userId])
    const { rows } = await client.query("select has_any_column_privilege('app', $1, 'SELECT, INSERT, UPDATE') as may", [name])
    expect(rows, name).toEqual([{ may: false }])
    await client.query(`grant select on ${name} to app`)
    await client.query('set local role app')
    expect((await client.query(`select count(*)::int as n from ${name}`)).rows, name).toEqual([{ n: 0 }])
    await client.query('rollback')
  }
  client.release()
})

test('how long history is kept is bounded: by the deployment, and by the database', async () => {
  for (const [table, days] of [
    ['changes', 89],
    ['outbox', 29],
    ['contacts', 365],
  ])
    await expect(app.owner.query('select rotate_partitions($1, $2, now())', [table, days])).rejects.toThrow(/rotate_partitions/)
})
