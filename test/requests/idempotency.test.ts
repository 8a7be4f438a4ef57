import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import { limit } from '../speed.ts'
import type { ApiResponse } from '../workspace.ts'

let app: Harness
beforeAll(async () => {
  app = await start({ own: true })
})
afterAll(() => app.close())

const withKey = (key: string) => ({ 'idempotency-key': key })
const replayed = ({ headers }: ApiResponse) => headers.get('idempotency-replayed') === 'true'

const KEYS = proving ? 500 : 20
const TWINS = 32
const AT_ONCE = 10
test(`${KEYS} keys, each sent ${TWINS} times at once, have ${KEYS} effects`, { timeout: limit(240_000) }, async () => {
  const ws = await app.workspace()
  for (let from = 0; from < KEYS; from += AT_ONCE) {
    const keys = Array.from({ length: AT_ONCE }, (_, i) => from + i)
    const answers = await Promise.all(
      keys.flatMap((n) => Array.from({ length: TWINS }, () => ws.post('/contacts', { first_name: `Contact ${n}` }, withKey(`key-${n}`)))),
    )
    keys.forEach((_, i) => {
      const twins = answers.slice(i * TWINS, (i + 1) * TWINS)
      const done = twins.filter(({ status }) => status === 201)
      const waited = twins.filter(({ status, body }) => status === 409 && body.error.code === 'IDEMPOTENCY_IN_PROGRESS')
      const others = twins.filter((twin) => !done.includes(twin) && !waited.includes(twin))
      if (others.length) console.log(app.logs.filter((l) => l.includes('warn')).slice(0, 5))
      expect(others.map(({ body }) => body)).toEqual([])
      expect(new Set(done.map(({ body }) => JSON.stringify(body))).size).toBe(1)
      expect(done.filter(replayed)).toHaveLength(done.length - 1)
    })
  }
  const { rows } = await app.owner.query(
    `select (select count(*) from contacts where workspace_id = $1)::int as contacts,
      (select count(*) from changes where workspace_id = $1 and entity = 'contact')::int as changes,
      (select count(*) from outbox where workspace_id = $1 and type = 'contact.created')::int as events`,
    [ws.id],
  )
  expect(rows[0]).toEqual({ contacts: KEYS, changes: KEYS, events: KEYS })
})

test('a replay returns the first response, even if the record has changed since', async () => {
  const ws = await app.workspace()
  const first = await ws.post('/contacts', { first_name: 'Ana' }, withKey('one'))
  await ws.patch(`/contacts/${first.body.data.id}`, { first_name: 'Changed' })
  const again = await ws.post('/contacts', { first_name: 'Ana' }, withKey('one'))
  expect(again).toMatchObject({ status: 201, body: first.body })
  expect(replayed(again)).toBe(true)
  expect(again.headers.get('location')).toBe(first.headers.get('location'))
})

test('a request waits for the first one with its key only so long, and is answered like it afterwards', async () => {
  const ws = await app.workspace()
  const first = await ws.post('/contacts', { first_name: 'Ana' }, withKey('slow'))
  const other = await app.owner.connect()
  try {
    // As while the first request is still running.
    await other.query('begin')
    await other.query('select from idempotency where workspace_id = $1 for update', [ws.id])
    const meanwhile = await ws.post('/contacts', { first_name: 'Ana' }, withKey('slow'))
    expect(meanwhile).toMatchObject({ status: 409, body: { error: { code: 'IDEMPOTENCY_IN_PROGRESS' } } })
  } finally {
    await other.query('rollback')
    other.release()
  }
  expect(await ws.post('/contacts', { first_name: 'Ana' }, withKey('slow'))).toMatchObject({ status: 201, body: first.body })
})

test('a different request with the same key is refused', async () => {
  const ws = await app.workspace()
  const { id } = (await ws.post('/contacts', { first_name: 'Ana' }, withKey('one'))).body.data
  for (const again of [
    await ws.post('/contacts', { first_name: 'Bo' }, withKey('one')),
    await ws.post('/companies', { name: 'Ana' }, withKey('one')),
    await ws.patch(`/contacts/${id}`, { first_name: 'Ana' }, withKey('one')),
  ])
    expect(again).toMatchObject({ status: 422, body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } } })
})

test('the same word under another API key is another key', async () => {
  const ws = await app.workspace()
  const other = await ws.key()
  const [mine, theirs] = [
    await ws.post('/contacts', { first_name: 'A' }, withKey('k')),
    await other.post('/contacts', { first_name: 'A' }, withKey('k')),
  ]
  expect(theirs.status).toBe(201)
  expect(theirs.body.data.id).not.toBe(mine.body.data.id)
})

test('a different If-Match is a different request, and so is none', async () => {
  const ws = await app.workspace()
  const { id } = (await ws.post('/contacts', { first_name: 'Ana' })).body.data
  const update = (headers: Record<string, string>) => ws.patch(`/contacts/${id}`, { city: 'Perth' }, { ...withKey('one'), ...headers })
  const first = await update({ 'if-match': '"1"' })
  expect(first.status).toBe(200)
  expect(await update({ 'if-match': '"1"' })).toMatchObject({ status: 200, body: first.body })
  for (const other of [{ 'if-match': '"2"' }, { 'if-match': '*' }, {}] as Record<string, string>[])
    expect(await update(other)).toMatchObject({ status: 422, body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } } })
  expect((await ws.get(`/contacts/${id}`)).body.data.version).toBe(2)
})

test('32 concurrent writes that require approval, with one key, create one approval', async () => {
  const ws = await app.workspace()
  const agent = await ws.key({ level: 'approval' })
  const [byLevel, byRequest] = await Promise.all(
    [agent, ws].map((caller) =>
      Promise.all(
        Array.from({ length: 16 }, () => caller.post('/contacts', { first_name: 'A', require_approval: caller === ws }, withKey('k'))),
      ),
    ),
  )
  for (const twins of [byLevel, byRequest] as ApiResponse[][]) {
    expect(twins.filter(({ status }) => status !== 202).map(({ body }) => body)).toEqual([])
    expect(new Set(twins.map(({ body }) => body.approval_id)).size).toBe(1)
    expect(new Set(twins.map(({ headers }) => headers.get('location'))).size).toBe(1)
    expect(twins.filter(replayed)).toHaveLength(twins.length - 1)
  }
  expect((await ws.get('/approvals')).body.data).toHaveLength(2)
})

test('the repetition of a write that required approval returns its first response, also after the decision', async () => {
  const ws = await app.workspace()
  const agent = await ws.key({ level: 'approval' })
  const hold = () => agent.post('/contacts', { first_name: 'A' }, withKey('k'))
  const first = await hold()
  expect([first.status, replayed(first)]).toEqual([202, false])
  await ws.post(`/approvals/${first.body.approval_id}/approve`, {})
  await app.drain()
  await app.owner.query("update api_keys set level = 'execute' where id = $1", [agent.keyId])
  const again = await hold()
  expect(again).toMatchObject({ status: 202, body: first.body })
  expect(replayed(again)).toBe(true)
  expect((await ws.get('/contacts')).body.data).toHaveLength(1)
})

test('a refusal is not stored: the corrected request can use the same key, and the same one succeeds once it can', async () => {
  const ws = await app.workspace()
  expect((await ws.post('/contacts', { first_name: 'A', customer_id: ws.id }, withKey('k'))).status).toBe(400)
  const corrected = await ws.post('/contacts', { first_name: 'A' }, withKey('k'))
  expect([corrected.status, replayed(corrected)]).toEqual([201, false])

  const { id } = corrected.body.data
  const update = () => ws.patch(`/contacts/${id}`, { city: 'Perth' }, { ...withKey('u'), 'if-match': '"2"' })
  expect((await update()).status).toBe(412)
  await ws.patch(`/contacts/${id}`, { city: 'Sydney' })
  const repeated = await update()
  expect([repeated.status, replayed(repeated)]).toEqual([200, false])

  const agent = await ws.key({ level: 'approval' })
  const remove = () => agent.delete(`/contacts/${id}`, { ...withKey('d'), 'if-match': '"4"' })
  expect((await remove()).status).toBe(412)
  await ws.patch(`/contacts/${id}`, { city: 'Hobart' })
  const held = await remove()
  expect([held.status, replayed(held)]).toEqual([202, false])
})

test('updates, deletions and bulk calls repeat too', async () => {
  const ws = await app.workspace()
  const { id } = (await ws.post('/contacts', { first_name: 'A' })).body.data
  const patch = () => ws.patch(`/contacts/${id}`, { city: 'Perth' }, withKey('p'))
  const [first, again] = [await patch(), await patch()]
  expect(again.body).toEqual(first.body)
  expect((await ws.get(`/contacts/${id}`)).body.data.version).toBe(2)
  const bulk = () => ws.post('/contacts/bulk-create', { records: [{ first_name: 'B' }, {}] }, withKey('b'))
  expect((await bulk()).body).toEqual((await bulk()).body)
  const remove = () => ws.call('DELETE', `/contacts/${id}`, undefined, withKey('d'))
  await remove()
  expect(await remove()).toMatchObject({ status: 200, body: { data: { id, deleted: true } } })
})

test('after 24 hours a key is new, and not before', async () => {
  const ws = await app.workspace()
  await ws.post('/contacts', { first_name: 'A' }, withKey('k'))
  const age = (hours: number) =>
    app.owner.query('update idempotency set at = at - make_interval(hours => $2) where workspace_id = $1', [ws.id, hours])
  await age(23)
  expect(replayed(await ws.post('/contacts', { first_name: 'A' }, withKey('k')))).toBe(true)
  await age(2)
  const again = await ws.post('/contacts', { first_name: 'B' }, withKey('k'))
  expect(again.status).toBe(201)
  expect(replayed(again)).toBe(false)
  await age(25)
  await app.cron('17 3 * * *')
  expect((await app.owner.query('select from idempotency where workspace_id = $1', [ws.id])).rowCount).toBe(0)
})

test.each(['with space', 'x'.repeat(256), 'ü'])('the key "%s" is refused', async (key) => {
  const ws = await app.workspace()
  const answer = await ws.post(
    '/contacts',
    { first_name: 'A' },
    withKey(encodeURI(key) === key ? key : encodeURI(key).replaceAll('%', ' ')),
  )
  expect(answer).toMatchObject({ status: 400, body: { error: { details: { issues: [{ path: 'Idempotency-Key' }] } } } })
})

// A migration replaces functions while requests run.
test('a request that functions of another release have begun is repeated, and keeps its key', async () => {
  const ws = await app.workspace()
  await app.owner.query(`alter function begin_request rename to begin_request_now; create sequence begun;
    create function begin_request(p jsonb) returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
    declare
      caller constant jsonb := begin_request_now(p);
    begin
      if nextval('begun') = 1 then
        perform set_config('app.request', (p -> 'request')::text, true);
      end if;
      return caller;
    end $$`)
  const send = () => ws.post('/contacts', { first_name: 'Ana' }, withKey('begun-before'))
  const [first, again] = [await send(), await send()]
  const { rows } = await app.owner.query('select last_value::int as begun from begun')
  await app.owner.query('drop function begin_request; drop sequence begun; alter function begin_request_now rename to begin_request')
  expect([first.status, again.status]).toEqual([201, 201])
  expect(again.body).toEqual(first.body)
  expect(replayed(again)).toBe(true)
  expect(rows).toEqual([{ begun: 2 }])
})
