import { afterAll, beforeAll, expect, test } from 'vitest'
import { cursorOf } from '../../src/features/events/plans/cursor.ts'
import { MOST_READ } from '../../src/features/events/schemas/events.ts'
import { settled } from '../database.ts'
import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'

let app: Harness
beforeAll(async () => {
  app = await start({ ownServer: true })
}, 120_000)
afterAll(() => app.close())

const refused = (path: string) => ({ status: 400, body: { error: { code: 'VALIDATION_ERROR', details: { issues: [{ path }] } } } })
const read = async (ws: TestWorkspace, query: Record<string, string | number> = {}) => {
  const sent = new URLSearchParams(Object.entries({ order: 'asc', ...query }).map(([name, value]) => [name, String(value)]))
  const answer = await ws.get(`/events?${sent}`)
  expect(answer, String(sent)).toMatchObject({ status: 200 })
  return answer.body as { data: Record<string, unknown>[]; page: { limit: number; next: string; has_more: boolean } }
}
/** Reads when everything that was written before can be read. */
const feed: typeof read = async (ws, query) => {
  await app.drain()
  await settled(app.owner)
  return read(ws, query)
}
const typesOf = ({ data }: { data: { type?: unknown }[] }) => data.map(({ type }) => type)
const contact = async (ws: TestWorkspace, first_name: string) =>
  (await ws.post('/contacts', { first_name })).body.data as { id: string; version: number }
/** The cursor at the end of the feed, when all that was written can be read. */
const end = async (ws: TestWorkspace) => {
  await settled(app.owner)
  return (await feed(ws, { after: 'latest' })).page.next
}

test('an empty page has a cursor, and what happens next is behind it', async () => {
  const ws = await app.workspace()
  const last = await feed(ws, { type: 'contact.*' })
  expect(last).toMatchObject({ data: [], page: { has_more: false } })
  const { id } = await contact(ws, 'Ana')
  const next = await feed(ws, { after: last.page.next })
  expect(next.data).toMatchObject([{ type: 'contact.created', entity_id: id, version: 1 }])
  expect(await feed(ws, { after: next.page.next })).toMatchObject({ data: [], page: { has_more: false } })
})

test('a stored cursor continues where the page ended, in pages of any size, without gaps or repetitions', async () => {
  const ws = await app.workspace()
  const start = await end(ws)
  for (const name of ['A', 'B', 'C', 'D', 'E']) await contact(ws, name)
  const whole = await feed(ws, { after: start })
  expect(whole.data).toHaveLength(5)
  expect(whole.page).toMatchObject({ limit: 50, has_more: false })
  const read: unknown[] = []
  let [after, more] = [start, true]
  for (const limit of [2, 1, 100]) {
    const page = await feed(ws, { after, limit })
    read.push(...page.data)
    ;[after, more] = [page.page.next, page.page.has_more]
  }
  expect(read).toEqual(whole.data)
  expect(more).toBe(false)
})

test('`latest` is the end of the feed', async () => {
  const ws = await app.workspace()
  await contact(ws, 'Before')
  const latest = await feed(ws, { after: 'latest' })
  expect(latest).toMatchObject({ data: [], page: { has_more: false } })
  await contact(ws, 'After')
  expect((await feed(ws, { after: latest.page.next })).data).toMatchObject([{ payload: { first_name: 'After' } }])
})

test('an event of a transaction that began earlier and ends later is not missed', async () => {
  const ws = await app.workspace()
  const { id } = await contact(ws, 'Slow')
  const start = await end(ws)
  const slow = await app.owner.connect()
  try {
    await slow.query('begin')
    await slow.query("select set_config('app.workspace_id', $1, true)", [ws.id])
    await slow.query("update contacts set city = 'Perth' where workspace_id = $1 and id = $2", [ws.id, id])
    await contact(ws, 'Fast')
    const before = await read(ws, { after: start })
    expect(before.data).toEqual([])
    await slow.query('commit')
    expect(typesOf(await feed(ws, { after: before.page.next }))).toEqual(['contact.updated', 'contact.created'])
  } finally {
    slow.release()
  }
})

test('the events of a record are in the order of its versions, whichever transaction began first', async () => {
  const ws = await app.workspace()
  const { id } = await contact(ws, 'Ana')
  const other = await contact(ws, 'Other')
  const start = await end(ws)
  const early = await app.owner.connect()
  try {
    const set = (city: string, record: string) =>
      early.query('update contacts set city = $3 where workspace_id = $1 and id = $2', [ws.id, record, city])
    await early.query('begin')
    await early.query("select set_config('app.workspace_id', $1, true)", [ws.id])
    await set('First', other.id)
    expect(await ws.patch(`/contacts/${id}`, { city: 'Second' })).toMatchObject({ status: 200 })
    await set('Third', id)
    await early.query('commit')
  } finally {
    early.release()
  }
  const events = (await feed(ws, { after: start, entity_id: id })).data
  expect(events).toMatchObject([
    { version: 2, payload: { version: 2, city: 'Second' } },
    { version: 3, payload: { version: 3, city: 'Third' } },
  ])
})

test('a cursor of another workspace, another list or another order is refused, and so is a damaged one', async () => {
  const [ws, other] = [await app.workspace(), await app.workspace()]
  await contact(ws, 'A')
  await contact(ws, 'B')
  await contact(other, 'C')
  const ask = (after: string, order = 'asc') => ws.get(`/events?order=${order}&after=${encodeURIComponent(after)}`)
  const own = await end(ws)
  const ofContacts = (await ws.get('/contacts?limit=1')).body.page.next
  const descending = (await ws.get('/events?limit=1')).body.page.next
  expect(await ask(own)).toMatchObject({ status: 200 })
  for (const cursor of [await end(other), ofContacts, descending, own.slice(0, -2), 'abc', 'Latest'])
    expect(await ask(cursor), cursor).toMatchObject(refused('after'))
  for (const cursor of [own, 'latest', (await other.get('/events?limit=1')).body.page.next])
    expect(await ask(cursor, 'desc'), cursor).toMatchObject(refused('after'))
  expect(await ws.get(`/contacts?after=${own}`)).toMatchObject(refused('after'))
})

const DAY = 86_400_000
const placeIn = (ws: TestWorkspace, at: number) =>
  cursorOf({ list: 'event-feed', workspace_id: ws.id, at, xid: '1', id: '00000000-0000-0000-0000-000000000000' })

test('a cursor older than 30 days is refused with the oldest one that can be read', async () => {
  const ws = await app.workspace()
  const { id } = await contact(ws, 'Ana')
  const old = await ws.get(`/events?order=asc&after=${placeIn(ws, Date.now() - 30 * DAY - 1000)}`)
  expect(old).toMatchObject({ status: 410, body: { error: { code: 'CURSOR_EXPIRED', details: { oldest: expect.any(String) } } } })
  const again = await feed(ws, { after: old.body.error.details.oldest, entity_id: id })
  expect(typesOf(again)).toEqual(['contact.created'])
  expect(await ws.get(`/events?order=asc&after=${placeIn(ws, Date.now() - 30 * DAY + 60_000)}`)).toMatchObject({ status: 200 })
})

test('a cursor does not expire while nothing happens, and one behind an old event leaves a day to read on', async () => {
  const ws = await app.workspace()
  await contact(ws, 'Old')
  await contact(ws, 'Recent')
  await app.owner.query(
    `update outbox set id = id_at(now() - interval '30 days 1 hour'), at = now() - interval '30 days 1 hour' where workspace_id = $1
      and id = (select min(id::text)::uuid from outbox where workspace_id = $1 and type = 'contact.created')`,
    [ws.id],
  )
  const { page } = await feed(ws, { limit: 1, type: 'contact.*' })
  expect(typesOf(await feed(ws, { after: page.next, type: 'contact.*' }))).toEqual(['contact.created'])
  const last = await end(ws)
  expect(await feed(ws, { after: last })).toMatchObject({ data: [] })
  const [, origin] = JSON.parse(
    Buffer.from(last, 'base64url')
      .toString()
      .replace(/^[^.]*\./, ''),
  ) as string[]
  expect(Number(origin!.split(' ')[1])).toBeGreaterThan(Date.now() - 60_000)
})

test('events are filtered by types, prefixes, kind, record and time, in both orders', async () => {
  const ws = await app.workspace()
  const start = await end(ws)
  const { id } = await contact(ws, 'Ana')
  await ws.patch(`/contacts/${id}`, { city: 'Perth' })
  const { body } = await ws.post('/companies', { name: 'Acme' })
  await ws.delete(`/contacts/${id}`)
  const ask = async (query: Record<string, string>) => {
    const up = typesOf(await feed(ws, { after: start, ...query }))
    const down = await ws.get(`/events?limit=100&${new URLSearchParams(query)}`)
    expect(typesOf(down.body).slice(0, up.length).toReversed(), JSON.stringify(query)).toEqual(up)
    return up
  }
  expect(await ask({})).toEqual(['contact.created', 'contact.updated', 'company.created', 'contact.deleted'])
  expect(await ask({ type: 'contact.created, company.created' })).toEqual(['contact.created', 'company.created'])
  expect(await ask({ type: 'contact.*' })).toEqual(['contact.created', 'contact.updated', 'contact.deleted'])
  expect(await ask({ type: 'contact.updated' })).toEqual(['contact.updated'])
  expect(await ask({ type: 'company.*,contact.deleted' })).toEqual(['company.created', 'contact.deleted'])
  expect(await ask({ entity: 'company' })).toEqual(['company.created'])
  expect(await ask({ entity_id: body.data.id })).toEqual(['company.created'])
  expect(await ask({ entity_id: id, type: 'contact.deleted,company.created' })).toEqual(['contact.deleted'])
  const [, second] = (await feed(ws, { after: start })).data as { at: string }[]
  const from = second!.at
  expect(await ask({ from })).toEqual(['contact.updated', 'company.created', 'contact.deleted'])
  expect(await ask({ to: from })).toEqual(['contact.created'])
  expect(typesOf(await feed(ws, { from, type: 'contact.*' })), 'without a cursor').toEqual(['contact.updated', 'contact.deleted'])
})

test.each([
  ['type=contact.creatd', 'type', 'did you mean contact.created?'],
  ['type=contacts.*', 'type', 'did you mean contact.*?'],
  ['type=contact.created,', 'type', 'see GET /event-types'],
  ['type=*', 'type', 'see GET /event-types'],
  ['entity=person', 'entity', 'must be one of: activity'],
  ['order=up', 'order', 'must be one of: desc, asc'],
  ['from=yesterday', 'from', 'ISO 8601'],
  ['limit=101', 'limit', 'from 1 to 100'],
])('%s is refused with a remedy', async (query, path, remedy) => {
  const ws = await app.workspace()
  const answer = await ws.get(`/events?${query}`)
  expect(answer).toMatchObject(refused(path))
  expect(answer.body.error.message).toContain(remedy)
})

test('a page reads a bounded number of events, and its cursor is behind them', async () => {
  const ws = await app.workspace()
  const start = await end(ws)
  await app.owner.query(
    `insert into outbox (workspace_id, type, entity, entity_id, payload) select $1, 'contact.updated', 'contact', uuidv7(), '{}'
      from generate_series(1, $2)`,
    [ws.id, MOST_READ + 10],
  )
  await ws.post('/companies', { name: 'Acme' })
  const sparse = await feed(ws, { after: start, type: 'company.created', limit: 1 })
  expect(sparse).toMatchObject({ data: [], page: { has_more: true } })
  const next = await feed(ws, { after: sparse.page.next, type: 'company.created', limit: 1 })
  expect(next).toMatchObject({ data: [{ type: 'company.created' }], page: { has_more: false } })
  const { body } = await ws.get('/events?entity=workspace&type=workspace.created,workspace.updated')
  expect(body).toMatchObject({ data: [], page: { next: expect.any(String) } })
  expect(body.page).not.toHaveProperty('has_more')
})

test('the payload is the record as the API returns it, and the changes say what is new', async () => {
  const ws = await app.workspace()
  const start = await end(ws)
  const made = (await ws.post('/products', { name: 'GTX', price: 12.5, metadata: { at: '2026-01-02T03:04:05+00:00' } })).body.data
  const changed = (await ws.patch(`/products/${made.id}`, { cost: 3 })).body.data
  await ws.delete(`/products/${made.id}`)
  const response = await app.fetch(`/v1/events?order=asc&after=${start}`, { headers: { authorization: `Bearer ${ws.apiKey}` } })
  const text = await response.text()
  const { data } = JSON.parse(text)
  expect(data).toMatchObject([
    { type: 'product.created', version: 1, payload: made, changes: { name: { after: 'GTX' } } },
    { type: 'product.updated', version: 2, payload: changed, changes: { cost: { before: null, after: 3 } } },
    { type: 'product.deleted', version: 3, payload: {}, changes: { name: { before: 'GTX' } } },
  ])
  expect(data[0].payload).toEqual(made)
  expect(text).toContain('"price":12.50,"cost":3.00')
  expect((await ws.get(`/events/${data[1].id}`)).body.data).toEqual(data[1])
})

test('without the read scope of the record, an event has field names only', async () => {
  const ws = await app.workspace()
  const start = await end(ws)
  await contact(ws, 'Ana')
  const reader = await ws.key({ scopes: ['events:read'] })
  const [event] = (await feed(reader, { after: start })).data
  expect(event).toMatchObject({ type: 'contact.created', payload: {}, changes: { first_name: {} } })
  expect(JSON.stringify(event)).not.toContain('Ana')
})

test('a purge erases the snapshots of the person, and their texts in those of shared records', async () => {
  const ws = await app.workspace()
  const start = await end(ws)
  const { id } = await contact(ws, 'Zyxwmarked')
  const company = (await ws.post('/companies', { name: 'Acme' })).body.data
  const task = (await ws.post('/tasks', { title: 'Call Zyxwmarked', contact_id: id, customer_id: company.id })).body.data
  await ws.post('/activities', { activity_type: 'note', contact_id: id, body: 'Zyxwmarked said' })
  expect(JSON.stringify((await feed(ws, { after: start })).data)).toContain('Zyxwmarked')
  await ws.delete(`/contacts/${id}?purge=true`)
  const { data } = await feed(ws, { after: start, limit: 100 })
  expect(JSON.stringify(data)).not.toContain('Zyxwmarked')
  expect(data.filter(({ entity_id }) => entity_id === task.id)).toMatchObject([
    { payload: { title: '(purged)' } },
    { payload: { title: '(purged)' } },
  ])
  expect(typesOf({ data })).toContain('contact.purged')
})

test('records that one statement changes twice have their events in order', async () => {
  const ws = await app.workspace()
  const company = (await ws.post('/companies', { name: 'Acme' })).body.data
  const people = [await contact(ws, 'A'), await contact(ws, 'B'), await contact(ws, 'C')]
  const start = await end(ws)
  const records = people.map(({ id }) => ({ id, customer_id: company.id, is_primary: true }))
  expect(await ws.post('/contacts/bulk-update', { records })).toMatchObject({ status: 200 })
  for (const { id } of people) {
    const { data } = await feed(ws, { after: start, entity_id: id })
    const versions = data.map(({ version }) => version as number)
    expect(versions).toEqual(versions.toSorted((a, b) => a - b))
    expect(data.at(-1)).toMatchObject({ payload: { is_primary: (await ws.get(`/contacts/${id}`)).body.data.is_primary } })
  }
})

test('the events of a statement over many rows are in the order of the rows', async () => {
  const { id } = await app.workspace()
  const names = `select workspace_id, 'Name ' || n
    from (select set_config('app.workspace_id', $1, true)::uuid as workspace_id) w, generate_series(1, 1000) n`
  await app.owner.query(`insert into contacts (workspace_id, first_name) ${names}`, [id])
  const sql = "select payload ->> 'first_name' as name from outbox where workspace_id = $1 and type = 'contact.created' order by id"
  expect((await app.owner.query(sql, [id])).rows.map(({ name }) => name)).toEqual(Array.from({ length: 1000 }, (_, n) => `Name ${n + 1}`))
})
