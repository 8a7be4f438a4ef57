import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { MOST_READERS } from '../../src/domain/events.ts'
import { NEWEST } from '../../src/features/events/plans/newest.ts'
import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { awaiting, contact, end, namesIn, until } from './feed-readers.ts'

let app: Harness
/** When the feed of each workspace was polled, in milliseconds, and the number of round trips that its readers made. */
const polls = new Map<unknown, number[]>()
let reads = 0

beforeAll(async () => {
  app = await start({ ownServer: true, vars: { EVENT_STREAM_SECONDS: '300', EVENT_HEARTBEAT_SECONDS: '1' } })
  app.proxy.onRequest = (request) => {
    const [opening, statement] = 'queries' in request ? request.queries : [request]
    if (statement?.query === NEWEST) {
      const workspace = opening!.params?.[0]
      polls.set(workspace, [...(polls.get(workspace) ?? []), Date.now()])
    }
    if (/begin_request/.test(opening!.query)) reads += 1
  }
}, 120_000)
beforeEach(() => {
  polls.clear()
  reads = 0
})
afterAll(() => app.close())

const pollsOf = ({ id }: TestWorkspace) => polls.get(id) ?? []
const TOO_MANY = { status: 429, body: { error: { code: 'RATE_LIMITED', details: { limit: 'readers' } } } }

/** Resolves when somebody waits for the events of the workspace: its feed has been polled since. */
async function polled(ws: TestWorkspace): Promise<void> {
  const before = pollsOf(ws).length
  await until(async () => pollsOf(ws).length > before)
}

test('a waiting request is answered with the next event, soon after it was written', async () => {
  const ws = await app.workspace()
  const waiting = awaiting(ws, 25)
  await polled(ws)
  const written = Date.now()
  await contact(ws, 'Ana')
  const answer = await waiting
  expect(answer).toMatchObject({ status: 200, body: { page: { has_more: false } } })
  expect(namesIn(answer)).toEqual(['Ana'])
  expect(Date.now() - written).toBeLessThan(5_000)
  expect((await ws.get(`/events?order=asc&after=${answer.body.page.next}`)).body.data).toEqual([])
})

test('a request waits neither for events that are there, nor without `wait`', async () => {
  const ws = await app.workspace()
  const cursor = await end(app, ws)
  await contact(ws, 'Ana')
  expect(namesIn(await awaiting(ws, 25, `after=${cursor}`))).toEqual(['Ana'])
  expect((await awaiting(ws, 0)).body.data).toEqual([])
  expect(pollsOf(ws)).toEqual([])
})

test('when the time is over, the page is empty and has a cursor that leads to what happens next', async () => {
  const ws = await app.workspace()
  const begun = Date.now()
  const empty = await awaiting(ws, 2)
  expect(empty).toMatchObject({ status: 200, body: { data: [], page: { next: expect.any(String), has_more: false } } })
  expect(Date.now() - begun).toBeGreaterThanOrEqual(1_900)
  await contact(ws, 'Ana')
  expect(namesIn(await awaiting(ws, 25, `after=${empty.body.page.next}`))).toEqual(['Ana'])
})

test('events that a filter leaves out do not end the wait, and the cursor is behind them', async () => {
  const ws = await app.workspace()
  const cursor = await end(app, ws)
  const waiting = awaiting(ws, 25, `after=${cursor}&type=company.*`)
  await polled(ws)
  await contact(ws, 'Ana')
  await polled(ws)
  await polled(ws)
  await ws.post('/companies', { name: 'Acme' })
  const answer = await waiting
  expect(answer.body.data).toMatchObject([{ type: 'company.created' }])
  expect((await ws.get(`/events?order=asc&after=${answer.body.page.next}`)).body.data).toEqual([])
})

test.each([
  ['wait=5', 'order=asc'],
  ['order=asc&wait=26', 'from 0 to 25'],
])('/events?%s is refused with a remedy', async (query, remedy) => {
  const ws = await app.workspace()
  const answer = await ws.get(`/events?${query}`)
  expect(answer).toMatchObject({ status: 400, body: { error: { details: { issues: [{ path: 'wait' }] } } } })
  expect(answer.body.error.message).toContain(remedy)
})

test('of more readers than a workspace may have, the others are refused, and one write answers all that wait', async () => {
  const ws = await app.workspace()
  const calls = Array.from({ length: MOST_READERS + 1 }, () => awaiting(ws, 25))
  expect(await Promise.race(calls)).toMatchObject(TOO_MANY)
  expect((await Promise.race(calls)).headers.get('retry-after')).toBe('5')
  const other = await app.workspace()
  expect(await awaiting(other, 1), 'another workspace has its own places').toMatchObject({ status: 200 })
  await contact(ws, 'Ana')
  const answers = await Promise.all(calls)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 200).map(namesIn)).toEqual(Array.from({ length: MOST_READERS }, () => ['Ana']))
})

test('thirty readers cause at most one poll a second, none of their own, and none when nobody waits', async () => {
  const ws = await app.workspace()
  const before = reads
  const answers = await Promise.all(Array.from({ length: 30 }, () => awaiting(ws, 5)))
  expect(Map.groupBy(answers, ({ status }) => status).get(200)).toHaveLength(MOST_READERS)
  const times = pollsOf(ws)
  expect(times.length).toBeGreaterThanOrEqual(3)
  expect(times.length).toBeLessThanOrEqual(5)
  expect(reads - before, 'each reads once, and not again while nothing happens').toBe(30)
  await contact(ws, 'Ana')
  const after = pollsOf(ws).length
  await awaiting(await app.workspace(), 3)
  expect(pollsOf(ws)).toHaveLength(after)
})

test('the writes of another workspace wake nobody', async () => {
  const [ws, other] = [await app.workspace(), await app.workspace()]
  const before = reads
  const waiting = awaiting(ws, 4)
  await polled(ws)
  await contact(other, 'Zoe')
  expect((await waiting).body.data).toEqual([])
  expect(reads - before, 'the write, and one read').toBe(2)
})

test('a key that is revoked while it waits is refused', async () => {
  const ws = await app.workspace()
  const reader = await ws.key({ scopes: ['events:read'] })
  const waiting = awaiting(reader, 25)
  await polled(ws)
  expect(await ws.post(`/api-keys/${reader.keyId}/revoke`)).toMatchObject({ status: 200 })
  expect(await waiting).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHENTICATED' } } })
})
