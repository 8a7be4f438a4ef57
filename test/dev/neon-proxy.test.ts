import { neon, neonConfig, Pool } from '@neondatabase/serverless'
import pg from 'pg'
import { afterAll, afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startNeonProxy } from '../../dev/neon-proxy.ts'
import { formatTrace, type SqlTrace } from '../../dev/sql-trace.ts'
import { createDatabase } from '../database.ts'

const database = await createDatabase()
const traces: SqlTrace[] = []
const proxy = await startNeonProxy({ postgresPort: Number(new URL(database.url).port), onTrace: (trace) => traces.push(trace) })
const url = `postgres://postgres@db.local/${database.name}`
neonConfig.fetchEndpoint = `${proxy.url}/sql`
neonConfig.wsProxy = () => `127.0.0.1:${proxy.port}/v2`
neonConfig.useSecureWebSocket = false
// The driver's first message carries the password, which the superuser is not asked for.
neonConfig.pipelineConnect = false
neonConfig.webSocketConstructor = WebSocket
const sql = neon(url)

await sql.query('create table scratch (id int primary key, body text)')
const countNotes = async () => Number((await sql.query('select count(*) from scratch'))[0]!.count)

afterEach(async () => {
  proxy.clear()
  await sql.query('truncate scratch')
})
afterAll(proxy.close)

test('a batch is one trip and one transaction', async () => {
  const [trips, statements] = [proxy.trips, proxy.statements]
  const insert = () => sql.query('insert into scratch values (1, $1) returning *', ['a'])
  expect(await sql.transaction([insert()])).toEqual([[{ id: 1, body: 'a' }]])
  expect([proxy.trips - trips, proxy.statements - statements]).toEqual([1, 1])

  await expect(sql.transaction([sql.query('truncate scratch'), insert(), insert()])).rejects.toMatchObject({
    code: '23505',
    constraint: 'scratch_pkey',
    table: 'scratch',
  })
  expect(await countNotes()).toBe(1)
})

test('a batch is traced with its request, its statements and the blocks that it reads', async () => {
  const id = crypto.randomUUID()
  await sql.query("insert into scratch select n, repeat('x', 2000) from generate_series(1, 400) n")
  traces.length = 0
  await sql.transaction([
    sql.query('select $1::text', [JSON.stringify({ request_id: id })]),
    sql.query('select count(body) from scratch where id > 0'),
    sql.query('delete from scratch where id <= 3'),
  ])
  const [trace] = traces as [SqlTrace]
  expect(trace).toMatchObject({ request: id, statements: [{ rows: 1 }, { rows: 1 }, { rows: 3 }] })
  // Four rows of 2 kB are in a block.
  expect(trace.blocks).toBeGreaterThan(100)
  expect(formatTrace(trace)).toMatch(new RegExp(`^sql ${id}: 3 statements, [\\d.]+ ms, \\d+ blocks\\n.*1 rows  select \\$1::text\\n`))

  await sql.query('select 1/0').catch(() => {})
  expect(traces.at(-1)).toMatchObject({ request: 'background', statements: [{ rows: null }] })
})

test('a batch has the requested isolation level', async () => {
  const show = [sql.query('show transaction_isolation'), sql.query('show transaction_read_only')]
  const answers = await sql.transaction(show, { isolationLevel: 'Serializable', readOnly: true })
  expect(answers).toEqual([[{ transaction_isolation: 'serializable' }], [{ transaction_read_only: 'on' }]])
})

test('values are returned as PostgreSQL writes them', async () => {
  const [row] = await sql.query(
    `select 9007199254740993::bigint as big, 1.10::numeric(4, 2) as money, $1::text[] as list, null as nothing`,
    ['{"a,b","c\\"d"}'],
  )
  expect(row).toEqual({ big: '9007199254740993', money: '1.10', list: ['a,b', 'c"d'], nothing: null })
})

test('a setting does not outlive its request', async () => {
  await sql.query(`select set_config('app.workspace_id', 'left behind', false)`)
  const answers = await Promise.all(Array.from({ length: 20 }, () => sql.query(`select current_setting('app.workspace_id', true) as seen`)))
  expect(new Set(answers.map(([row]) => row!.seen || ''))).toEqual(new Set(['']))
})

test('one request carries one statement, unless it is a batch', async () => {
  await expect(sql.query('select 1; select 2')).rejects.toMatchObject({ code: '42601' })
})

test('an outage loses the request, or only the response', async () => {
  proxy.outage = 'refuse'
  await expect(sql.query('insert into scratch values (1)')).rejects.toThrow()
  proxy.outage = 'lose_answer'
  await expect(sql.query('insert into scratch values (2)')).rejects.toThrow()
  proxy.outage = 'none'
  expect(await sql.query('select id from scratch')).toEqual([{ id: 2 }])
})

test('a request can be watched and held back', async () => {
  const seen: unknown[] = []
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  proxy.onRequest = (request) => {
    seen.push(request)
    return released
  }
  const held = sql.query('insert into scratch values (3)').then(() => 'done')
  expect(await Promise.race([held, new Promise((go) => setTimeout(go, 20, 'held'))])).toBe('held')
  release()
  expect(await held).toBe('done')
  expect(seen).toEqual([{ query: 'insert into scratch values (3)', params: [] }])
})

const insertTwo = () => [
  sql.query('insert into scratch values (1)'),
  sql.query("insert into scratch values (2, repeat('x', 2000)) returning body"),
]

test('a response beyond the limit is 507 and its transaction rolled back', async () => {
  proxy.limit = 2_000
  await expect(sql.transaction(insertTwo())).rejects.toThrow(/HTTP status 507.*response is too large \(max is 2000 bytes\)/)
  proxy.limit = 3_000
  expect(await countNotes()).toBe(0)
  await sql.transaction(insertTwo())
  expect(await countNotes()).toBe(2)
  expect(() => {
    proxy.limit = 65 * 2 ** 20
  }).toThrow('between 1 and 67108864 bytes')
})

test('a request beyond the limit is 413', async () => {
  proxy.limit = 1_000
  await expect(sql.query('select $1', ['x'.repeat(1_000)])).rejects.toThrow(/HTTP status 413.*request is too large/)
})

test('10 MiB is the limit of a response unless another is set', async () => {
  await expect(sql.query("select repeat('x', 10 * 1024 * 1024)")).rejects.toThrow('HTTP status 507')
  expect(await sql.query("select length(repeat('x', 10 * 1024 * 1024)) as length")).toEqual([{ length: 10_485_760 }])
})

test('a wrong password or role is 400 without a code, an unknown database 500 with it', async () => {
  for (const login of ['app:wrong', 'nobody:app'])
    await expect(neon(`postgres://${login}@db.local/${database.name}`).query('select 1')).rejects.toMatchObject({
      message: expect.stringContaining('password authentication failed'),
      code: undefined,
    })
  await expect(neon('postgres://app:app@db.local/nowhere').query('select 1')).rejects.toThrow(/HTTP status 500.*"code":"3D000"/)
})

test('the refusals of the endpoint itself leave the database alone', async () => {
  const insert = () => sql.query('insert into scratch values (1)')
  proxy.outage = 'too_many_connections'
  await expect(insert()).rejects.toThrow(/HTTP status 500.*Too many connections to this endpoint/)
  proxy.outage = 'no_code'
  await expect(insert()).rejects.toMatchObject({ message: expect.stringContaining('password authentication failed'), code: undefined })
  proxy.outage = 'connection_lost'
  await expect(insert()).rejects.toMatchObject({ message: 'connection closed', code: undefined })
  proxy.outage = 'none'
  expect(await countNotes()).toBe(0)
})

test('a request, or a response, may hang', async () => {
  const insert = (id: number) => {
    const signal = AbortSignal.timeout(200)
    return sql.transaction([sql.query('insert into scratch values ($1)', [id])], { fetchOptions: { signal } })
  }
  proxy.outage = 'hang'
  await expect(insert(1)).rejects.toThrow()
  proxy.outage = 'hang_answer'
  await expect(insert(2)).rejects.toThrow()
  proxy.outage = 'none'
  expect(await sql.query('select id from scratch')).toEqual([{ id: 2 }])
})

test('when the client disconnects, its request is cancelled', async () => {
  const gone = new AbortController()
  const sleeping = sql.transaction([sql.query('insert into scratch values (1)'), sql.query('select pg_sleep(60)')], {
    fetchOptions: { signal: gone.signal },
  })
  const running = () =>
    sql.query("select pid from pg_stat_activity where query = 'select pg_sleep(60)' and state = 'active' and datname = current_database()")
  while ((await running()).length === 0) await new Promise((go) => setTimeout(go, 10))
  gone.abort()
  await expect(sleeping).rejects.toThrow()
  while ((await running()).length > 0) await new Promise((go) => setTimeout(go, 10))
  expect(await countNotes()).toBe(0)
})

test('without pipelining each statement waits for the one before, twice', async () => {
  const internal = async (act: () => Promise<unknown>) => {
    const before = proxy.internalTrips
    await act().catch(() => {})
    return proxy.internalTrips - before
  }
  expect(await internal(() => sql.transaction(insertTwo()))).toBe(2)
  await sql.query('truncate scratch')
  proxy.pipelining = false
  expect(await internal(() => sql.transaction(insertTwo()))).toBe(7)
  // The first that fails is the last that is sent.
  expect(await internal(() => sql.transaction([...insertTwo(), ...insertTwo()]))).toBe(4)
  await expect(sql.transaction(insertTwo())).rejects.toMatchObject({ code: '23505' })
})

test('a session that PostgreSQL ends is not used again', async () => {
  await expect(sql.query('select pg_terminate_backend(pg_backend_pid())')).rejects.toMatchObject({ code: '57P01' })
  expect(await Promise.all(Array.from({ length: 20 }, () => sql.query('select 1 as one')))).toHaveLength(20)
})

test('sessions may end at any moment, also while they begin, without an error that nobody handles', async () => {
  const stray: unknown[] = []
  const note = (error: unknown) => void stray.push(error)
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, note)
  const owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
  let isOver = false
  const lanes = Array.from({ length: 25 }, async () => {
    while (!isOver) await sql.transaction([sql`select 1`, sql`select pg_sleep(0.003)`]).catch(() => {})
  })
  for (let round = 0; round < 60; round++) {
    await owner.query(
      `select pg_terminate_backend(pid), pg_sleep(0.0005) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    )
  }
  isOver = true
  await Promise.all(lanes)
  await owner.end()
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.off(event, note)
  expect(stray).toEqual([])
  expect(await sql.query('select 1 as one')).toEqual([{ one: 1 }])
})

test('a session over WebSocket holds a transaction open', async () => {
  const pool = new Pool({ connectionString: url })
  const client = await pool.connect()
  await client.query('begin')
  await client.query('insert into scratch values (4)')
  expect(await countNotes()).toBe(0)
  await client.query('commit')
  client.release()
  expect(await countNotes()).toBe(1)
  await pool.end()
})
