import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Outage } from '../../dev/neon-proxy.ts'
import { type Harness, start } from '../harness.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'

let app: Harness
let ws: TestWorkspace
beforeAll(async () => {
  app = await start({ own: true, vars: { DATABASE_DEADLINE_MS: '2000' } })
  ws = await app.workspace()
  await ws.get('/contacts')
})
afterEach(async () => {
  Object.assign(app.proxy, { outage: 'none', pipelining: true, limit: 10 * 2 ** 20 })
  await app.drain()
})
afterAll(() => app.close())

/** What callers hear while the fault lasts. */
async function during<Out>(outage: Outage, act: () => Promise<Out>): Promise<Out> {
  await app.drain()
  app.proxy.outage = outage
  try {
    return await act()
  } finally {
    app.proxy.outage = 'none'
  }
}

function expectUnavailable(answer: ApiResponse) {
  expect(answer).toMatchObject({ status: 503, body: { error: { code: 'UNAVAILABLE' } } })
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
}

function expectFault(answer: ApiResponse) {
  // The cause is in the log only: no message of PostgreSQL, no SQL, no name of a table.
  const request_id = answer.headers.get('x-request-id')
  expect(answer).toMatchObject({ status: 500 })
  expect(answer.body).toEqual({
    error: { code: 'INTERNAL', message: 'Something went wrong on our side', request_id, docs_url: '/docs/errors#INTERNAL' },
  })
  expect(answer.headers.get('retry-after')).toBeNull()
  expect(app.logs.some((line) => line.includes(answer.headers.get('x-request-id')!) && line.includes('Database error'))).toBe(true)
}

test('a database that hangs is given up at the deadline, for reads and writes', async () => {
  const answers = await during('hang', () => Promise.all([ws.get('/contacts'), ws.post('/contacts', { first_name: 'Hung' })]))
  for (const answer of answers) {
    expectUnavailable(answer)
    expect(answer.body.error.message).toContain('did not answer in time')
  }
  expect((await ws.get('/contacts')).body.data).toEqual([])
})

test('a response that stops halfway is given up too; the same Idempotency-Key finds what was done', async () => {
  const create = () => ws.post('/contacts', { first_name: 'Half' }, { 'idempotency-key': 'half' })
  expectUnavailable(await during('hang_answer', create))
  const again = await create()
  expect(again.status).toBe(201)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
})

test('what was given up is cancelled in the database', async () => {
  await ws.post('/contacts', { first_name: 'Locked', external_id: 'locked' })
  const blocker = await app.owner.connect()
  await blocker.query("begin; select from contacts where external_id = 'locked' for update")
  const { body } = await ws.get('/contacts?search=Locked')
  expectUnavailable(await ws.patch(`/contacts/${body.data[0].id}`, { city: 'Perth' }))
  // The cancellation follows the response. It comes long before the lock timeout of 8 seconds, of which 2 have passed.
  const end = Date.now() + 5_000
  for (let waiting = 1; waiting > 0; ) {
    waiting = (await app.owner.query('select from pg_locks where not granted')).rowCount ?? 0
    expect(Date.now(), 'the write still waits').toBeLessThan(end)
  }
  await blocker.query('rollback')
  blocker.release()
  expect((await ws.get(`/contacts/${body.data[0].id}`)).body.data).toMatchObject({ version: 1, city: null })
})

test('a cron job and a queue message end at the deadline, and what they had to do is done later', async () => {
  await ws.post('/contacts', { first_name: 'Later' })
  await app.drain()
  await app.owner.query('update outbox set needs_delivery = true, delivered_at = null, claimed_at = null, attempts = 0')
  const delivery = await during('hang', async () => {
    await app.cron('* * * * *')
    return app.deliver('events', [{ type: 'work.run', kind: 'events.deliver', workspace_id: ws.id }])
  })
  expect(delivery.retryMessages).toHaveLength(1)
  await app.cron('* * * * *')
  await app.drain()
  expect((await app.owner.query('select from outbox where needs_delivery and delivered_at is null')).rowCount).toBe(0)
})

test.each(['too_many_connections', 'connection_lost', 'refuse'] as const)('%s passes: 503 with Retry-After', async (outage) => {
  expectUnavailable(await during(outage, () => ws.get('/contacts')))
})

test('a refused login does not pass: 500', async () => {
  expectFault(await during('no_code', () => ws.get('/contacts')))
})

test('each failure is logged as the table of alerts says', async () => {
  const linesOf = (word: string) => app.logs.filter((line) => line.includes(word)).map((line) => JSON.parse(line))
  app.logs.length = 0
  expect((await during('refuse', () => app.fetch('/healthz'))).status).toBe(503)
  expect((await app.fetch('/healthz')).status).toBe(200)
  expect(linesOf('"database"')).toContainEqual(expect.objectContaining({ level: 'warn', message: 'database' }))
  expect(linesOf('request_id')).toEqual([])

  const request_id = (await during('no_code', () => ws.get('/contacts'))).headers.get('x-request-id')!
  await expect.poll(() => linesOf(request_id)).toEqual([{ level: 'error', request_id, error: expect.stringMatching(/\n +at /) }])
  await app.drain()
  expect((await ws.get(`/requests/${request_id}`)).body.data).toMatchObject({ status: 500, path: '/contacts' })
})

test('a response that the endpoint would not carry: 500, and the write is rolled back', async () => {
  await ws.post('/contacts', { first_name: 'Long', notes: 'x'.repeat(9_000), external_id: 'long' })
  await app.drain()
  app.proxy.limit = 8_000
  expectFault(await ws.get('/contacts?search=Long'))
  app.proxy.limit = 20_000
  const { body } = await ws.get('/contacts?search=Long')
  expect(body.data).toHaveLength(1)
  app.proxy.limit = 8_000
  expectFault(await ws.patch(`/contacts/${body.data[0].id}`, { city: 'Perth' }))
  app.proxy.limit = 20_000
  expect((await ws.get(`/contacts/${body.data[0].id}`)).body.data).toMatchObject({ version: 1, city: null })
})

test('a missing privilege is a fault of ours: 500', async () => {
  await app.owner.query('revoke select on lead_sources from app')
  const answer = await ws.get('/lead-sources')
  await app.owner.query('grant select on lead_sources to app')
  expectFault(answer)
})

test('a fault in a step of a dry run of an automation is a fault of the dry run, and no failed step', async () => {
  const steps = [{ type: 'create_task', fields: { title: 'Call' }, on_error: 'continue' }]
  const { body } = await ws.post('/automations', { name: 'Calls', trigger: { type: 'manual' }, steps })
  expect((await ws.post(`/automations/${body.data.id}/publish`)).status).toBe(200)
  const preview = () => ws.post(`/automations/${body.data.id}/start?dry_run=true`, {})
  await app.owner.query('revoke insert on tasks from app')
  const answer = await preview()
  await app.owner.query('grant insert on tasks to app')
  expectFault(answer)
  expect((await preview()).body.data.path).toMatchObject([{ type: 'create_task', state: 'done' }])
})

test('a session that an administrator ends passes: 503, and the next request has another one', async () => {
  const { body } = await ws.post('/contacts', { first_name: 'Ended' })
  const blocker = await app.owner.connect()
  await blocker.query(`begin; select from contacts where id = '${body.data.id}' for update`)
  const waiting = ws.patch(`/contacts/${body.data.id}`, { city: 'Perth' })
  for (let ended = 0; ended === 0; )
    ended = (await app.owner.query('select pg_terminate_backend(pid) from pg_locks where not granted')).rowCount ?? 0
  await blocker.query('rollback')
  blocker.release()
  expectUnavailable(await waiting)
  expect((await ws.patch(`/contacts/${body.data.id}`, { city: 'Perth' })).status).toBe(200)
})

test('all is the same with an endpoint that does not pipeline', async () => {
  app.proxy.pipelining = false
  const create = () => ws.post('/contacts', { first_name: 'Slow', email: 'slow@example.com' }, { 'idempotency-key': 'slow' })
  const { status, body } = await create()
  expect(status).toBe(201)
  expect((await create()).headers.get('idempotency-replayed')).toBe('true')
  const path = `/contacts/${body.data.id}`
  expect((await ws.patch(`${path}?dry_run=true`, { city: 'Perth' })).body.dry_run.changes).toHaveLength(1)
  expect((await ws.patch(path, { customer_id: body.data.id })).body.error).toMatchObject({ code: 'VALIDATION_ERROR' })
  expect((await ws.patch(path, { city: 'Perth' })).body.data).toMatchObject({ city: 'Perth', version: 2 })
  expect((await ws.get('/contacts?search=Slow')).body.data).toHaveLength(1)
})

test('the role ends its own transactions before the deadline, and idle ones earlier', async () => {
  const { rows } = await app.owner.query("select unnest(setconfig) as setting from pg_db_role_setting where setrole = 'app'::regrole")
  const settings = rows.map(({ setting }) => setting)
  expect(settings).toEqual(expect.arrayContaining(['transaction_timeout=18s', 'idle_in_transaction_session_timeout=10s']))
})
