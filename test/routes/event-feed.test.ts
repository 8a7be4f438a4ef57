import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'

let app: Harness
beforeAll(async () => {
  app = await start()
})
afterAll(() => app.close())

const refused = (path: string) => ({ status: 400, body: { error: { code: 'VALIDATION_ERROR', details: { issues: [{ path }] } } } })
const feed = async (ws: TestWorkspace, query: Record<string, string | number> = {}) => {
  const sent = new URLSearchParams(Object.entries({ order: 'asc', ...query }).map(([name, value]) => [name, String(value)]))
  const answer = await ws.get(`/events?${sent}`)
  expect(answer, String(sent)).toMatchObject({ status: 200 })
  return answer.body as { data: Record<string, unknown>[]; page: { limit: number; next: string; has_more: boolean } }
}
const typesOf = ({ data }: { data: { type?: unknown }[] }) => data.map(({ type }) => type)
const contact = async (ws: TestWorkspace, first_name: string) =>
  (await ws.post('/contacts', { first_name })).body.data as { id: string; version: number }
/** The cursor at the end of the feed. */
const end = async (ws: TestWorkspace) => (await feed(ws, { after: 'latest' })).page.next

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
    const before = await feed(ws, { after: start })
    expect(before.data).toEqual([])
    await slow.query('commit')
    const read = await feed(ws, { after: before.page.next })
    expect(typesOf(read)).toEqual(['contact.updated', 'contact.created'])
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
