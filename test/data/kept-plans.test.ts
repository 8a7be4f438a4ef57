import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { NeonQuery } from '../../dev/neon-proxy.ts'
import { selectOf } from '../../dev/sql-trace.ts'
import { found, useCrm } from '../routes/crm.ts'

const crm = useCrm({ own: true })

let session: pg.Client
beforeEach(async () => {
  const { rows } = await crm.app.owner.query('select current_database() as database, inet_server_port() as port')
  session = new pg.Client({ host: '127.0.0.1', user: 'app', password: 'app', ...rows[0] })
  await session.connect()
})
afterEach(() => session.end())

const run = async (select: string, ...values: unknown[]) =>
  (await session.query('select run_kept($1, $2::jsonb) as answer', [select, JSON.stringify(values)])).rows[0].answer
const kept = async () => (await session.query('select statement from pg_prepared_statements order by prepare_time')).rows

test('values of every kind arrive as they are', async () => {
  const texts = ["it's", 'a \\ and "b"', '$1, $2', 'Zoë 🌊', '', null]
  for (const text of texts) expect(await run('select $1::text', text)).toBe(text)
  expect(await run('select ($1::int + $2::numeric)::text || $3::boolean', 1, 2.5, true)).toBe('3.5true')
  expect(await run('select array_length($1::text[], 1)', '{a,"b, c"}')).toBe('2')
  expect(await run('select 7')).toBe('7')
  expect(await run('select 7 where false')).toBeNull()
})

test('an error is that of the select, and the plan stays', async () => {
  for (let n = 0; n < 2; n++) await expect(run('select 1 / $1::int', 0)).rejects.toMatchObject({ code: '22012' })
  expect(await run('select 1 / $1::int', 1)).toBe('1')
  expect(await kept()).toHaveLength(1)
})

test('a session keeps sixty plans, drops the oldest, and plans again what it has lost', async () => {
  for (let n = 1; n <= 70; n++) expect(await run(`select ${n} + $1::int`, 1)).toBe(String(n + 1))
  const statements = await kept()
  expect(statements).toHaveLength(60)
  expect(statements[0].statement).toContain('select 11 +')
  expect(await run('select 1 + $1::int', 1)).toBe('2')
  await session.query('discard all')
  expect(await run('select 70 + $1::int', 1)).toBe('71')
  expect(await kept()).toHaveLength(1)
})

/** The selects with kept plans that a call sends. */
async function selectsOf(call: () => Promise<unknown>): Promise<string[]> {
  const sent: NeonQuery[] = []
  crm.app.proxy.onRequest = (request) => void sent.push(...('queries' in request ? request.queries : [request]))
  await call()
  crm.app.proxy.onRequest = undefined
  return sent.map(selectOf).flatMap(({ query, isKept }) => (isKept ? [query] : []))
}

test('records of one kind, pages of one size and answers to writes have one text each', async () => {
  const [ana, leo] = [await crm.contact(), await crm.contact({ first_name: 'Leo', city: "O'Hara" })]
  const calls: Record<string, [count: number, (id: string) => Promise<unknown>]> = {
    'a record': [1, (id) => crm.ws.get(`/contacts/${id}`)],
    // Another select asks whether the record is there.
    'a timeline': [2, (id) => crm.ws.get(`/contacts/${id}/timeline?limit=20`)],
    'a history': [2, (id) => crm.ws.get(`/contacts/${id}/history`)],
    'a list below a record': [1, (id) => crm.ws.get(`/tasks?contact_id=${id}`)],
    'the answer to a write': [1, (id) => crm.ws.patch(`/contacts/${id}`, { city: 'Perth' })],
  }
  for (const [what, [count, call]] of Object.entries(calls)) {
    const of = (id: string) => selectsOf(() => call(id))
    const selects = await of(ana.id)
    expect(selects, what).toHaveLength(count)
    expect(selects.join()).not.toContain(ana.id)
    expect(await of(leo.id), what).toEqual(selects)
  }
  for (const path of ['/email/threads', '/conversations', '/events?order=asc&after=latest'])
    expect(await selectsOf(() => crm.ws.get(path)), path).toHaveLength(1)
  const first = await crm.ws.get('/contacts?limit=1')
  const pages = await selectsOf(() => crm.walk(`/contacts?limit=1`))
  expect(new Set(pages).size).toBe(2)
  expect(found(first)).toHaveLength(1)
})

test('a list by a filter is planned for its values', async () => {
  expect(await selectsOf(() => crm.ws.get('/contacts?city=Perth'))).toEqual([])
})

test('a plan that was kept follows what has changed since', async () => {
  const { id } = await crm.contact({ city: 'Perth' })
  const cityOf = async () => found(await crm.ws.get(`/contacts/${id}`)).city
  expect(await cityOf()).toBe('Perth')
  await crm.app.owner.query('create index kept_plans_test on contacts (workspace_id, city); analyze contacts')
  found(await crm.ws.patch(`/contacts/${id}`, { city: 'Albany' }))
  expect(await cityOf()).toBe('Albany')
  await crm.app.owner.query('drop index kept_plans_test')
  expect(await cityOf()).toBe('Albany')
})
