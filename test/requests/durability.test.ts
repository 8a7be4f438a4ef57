import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../dev/migrate.ts'
import { type NeonProxy, startNeonProxy } from '../../dev/neon-proxy.ts'
import { type Postgres, startPostgres } from '../../dev/postgres.ts'
import { killPostgres, openPool } from '../database.ts'
import { type Harness, start } from '../harness.ts'
import { type ApiResponse, createTestWorkspace, type TestWorkspace } from '../workspace.ts'

// The server of the other tests gives durability up for speed, so this one has its own.
const dir = mkdtempSync(join(tmpdir(), `workspace-crm-test-${process.pid}-durable-`))
chmodSync(dir, 0o755)
const data = join(dir, 'postgres')
let postgres: Postgres
let proxy: NeonProxy
let owner: pg.Pool
let app: Harness
let ws: TestWorkspace

beforeAll(async () => {
  postgres = await startPostgres(data)
  const server = new pg.Client({ connectionString: postgres.url('postgres') })
  await server.connect()
  await server.query('create database crm')
  await server.end()
  await migrate(postgres.url('crm'))
  owner = openPool(postgres.url('crm'), 2)
  proxy = await startNeonProxy({ postgresPort: postgres.port })
  app = await start({
    database: { name: 'crm', url: postgres.url('crm') },
    vars: { DATABASE_URL: 'postgres://app:app@db.local/crm', NEON_PROXY: proxy.url },
  })
  ws = await createTestWorkspace(owner, app.client)
}, 120_000)
afterAll(async () => {
  await app.close()
  await Promise.all([proxy.close(), owner.end()])
  await postgres.stop()
  rmSync(dir, { recursive: true, force: true })
})

/** Without it, a commit is on disk before its answer only if the commit itself has waited for that. */
async function pauseWalWriter(): Promise<void> {
  const { rows } = await owner.query("select pid from pg_stat_activity where backend_type = 'walwriter'")
  expect(rows).toHaveLength(1)
  process.kill(rows[0].pid, 'SIGSTOP')
}

test('what was answered outlives the death of PostgreSQL, and meanwhile every call is answered 503', async () => {
  expect(
    (await owner.query("select string_agg(setting, ',') as on from pg_settings where name in ('fsync', 'synchronous_commit')")).rows,
  ).toEqual([{ on: 'on,on' }])
  await pauseWalWriter()
  const { port } = postgres
  let acknowledged = 0
  const answers: ApiResponse[] = []
  await new Promise<void>((done) => {
    const writes = Array.from({ length: 60 }, async (_, n) => {
      const answer = await ws.post('/contacts', { first_name: `Durable ${n}`, external_id: `durable-${n}` })
      answers.push(answer)
      if (answer.status === 201 && ++acknowledged === 10) await killPostgres(data, postgres)
    })
    Promise.all(writes).then(() => done())
  })
  answers.push(await ws.get('/contacts'), await ws.post('/contacts', { first_name: 'Too late' }))
  const refused = answers.filter(({ status }) => status !== 201)
  expect(refused.length).toBeGreaterThanOrEqual(2)
  for (const answer of refused) {
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'UNAVAILABLE' } } })
    expect(answer.headers.get('retry-after')).toBeTruthy()
  }
  const created = answers.filter(({ status }) => status === 201).map(({ body }) => body.data.id)
  expect(created.length).toBeGreaterThanOrEqual(10)

  postgres = await startPostgres(data, { port })
  const { rows } = await owner.query(
    `select count(*)::int as kept,
      count(*) filter (where exists (select from changes h where h.workspace_id = c.workspace_id and h.entity_id = c.id))::int as changes,
      count(*) filter (where exists (select from outbox o where o.workspace_id = c.workspace_id and o.entity_id = c.id))::int as events
    from contacts c where id = any ($1)`,
    [created],
  )
  expect(rows).toEqual([{ kept: created.length, changes: created.length, events: created.length }])
  expect((await ws.post('/contacts', { first_name: 'After' })).status).toBe(201)
}, 120_000)
