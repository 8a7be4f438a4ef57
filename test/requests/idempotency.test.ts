import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import type { ApiResponse } from '../workspace.ts'

let app: Harness
beforeAll(async () => {
  app = await start()
})
afterAll(() => app.close())

const withKey = (key: string) => ({ 'idempotency-key': key })
const replayed = ({ headers }: ApiResponse) => headers.get('idempotency-replayed') === 'true'

test('500 keys, each sent 32 times at once, have 500 effects', { timeout: 240_000 }, async () => {
  const ws = await app.workspace()
  const [KEYS, TWINS, AT_ONCE] = [500, 32, 10]
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

test('a write that requires approval creates one approval', async () => {
  const ws = await app.workspace()
  const hold = () => ws.post('/contacts', { first_name: 'A', require_approval: true }, withKey('k'))
  const [first, again] = [await hold(), await hold()]
  expect(first).toMatchObject({ status: 202 })
  expect(again).toMatchObject({ status: 202, body: first.body })
  expect((await ws.get('/approvals')).body.data).toHaveLength(1)
})

test('a refused request is not stored: the corrected one can use the same key', async () => {
  const ws = await app.workspace()
  expect((await ws.post('/contacts', { first_name: 'A', customer_id: ws.id }, withKey('k'))).status).toBe(400)
  expect((await ws.post('/contacts', { first_name: 'A' }, withKey('k'))).status).toBe(201)
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

test('after 24 hours a key is new', async () => {
  const ws = await app.workspace()
  await ws.post('/contacts', { first_name: 'A' }, withKey('k'))
  await app.owner.query("update idempotency set at = at - interval '25 hours' where workspace_id = $1", [ws.id])
  const again = await ws.post('/contacts', { first_name: 'B' }, withKey('k'))
  expect(again.status).toBe(201)
  expect(replayed(again)).toBe(false)
  await app.owner.query("update idempotency set at = at - interval '25 hours' where workspace_id = $1", [ws.id])
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
