import { neon, neonConfig, Pool } from '@neondatabase/serverless'
import { afterAll, afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startNeonProxy } from '../../dev/neon-proxy.ts'
import { createDatabase } from '../database.ts'

const database = await createDatabase()
const proxy = await startNeonProxy({ postgresPort: Number(new URL(database.url).port) })
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
  proxy.outage = 'none'
  proxy.onRequest = undefined
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

test('a batch has the isolation level it asks for', async () => {
  const show = [sql.query('show transaction_isolation'), sql.query('show transaction_read_only')]
  const answers = await sql.transaction(show, { isolationLevel: 'Serializable', readOnly: true })
  expect(answers).toEqual([[{ transaction_isolation: 'serializable' }], [{ transaction_read_only: 'on' }]])
})

test('values come as PostgreSQL writes them', async () => {
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

test('an outage loses the request, or only the answer', async () => {
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
