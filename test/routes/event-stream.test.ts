import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { MOST_READERS } from '../../src/domain/events.ts'
import { cursorOf } from '../../src/services/events/cursor.ts'
import { NEWEST } from '../../src/services/events/newest.ts'
import { type Harness, start } from '../harness.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'

let app: Harness
/** When the feed of each workspace was polled, in milliseconds, and the number of round trips that its readers made. */
const polls = new Map<unknown, number[]>()
let reads = 0

beforeAll(async () => {
  app = await start({ vars: { EVENT_STREAM_SECONDS: '300', EVENT_HEARTBEAT_SECONDS: '1' } })
  app.proxy.onRequest = (request) => {
    const [opening, statement] = 'queries' in request ? request.queries : [request]
    if (statement?.query === NEWEST) {
      const workspace = opening!.params?.[0]
      polls.set(workspace, [...(polls.get(workspace) ?? []), Date.now()])
    }
    if (/begin_request/.test(opening!.query)) reads += 1
  }
})
beforeEach(() => {
  polls.clear()
  reads = 0
})
afterAll(() => app.close())

const pollsOf = ({ id }: TestWorkspace) => polls.get(id) ?? []
const contact = async (ws: TestWorkspace, first_name: string) => (await ws.post('/contacts', { first_name })).body.data as { id: string }
const end = async (ws: TestWorkspace): Promise<string> => (await ws.get('/events?order=asc&after=latest')).body.page.next
const awaiting = (ws: TestWorkspace, seconds: number, query = 'after=latest') => ws.get(`/events?order=asc&wait=${seconds}&${query}`)
const namesIn = ({ body }: ApiResponse) => body.data.map(({ payload }: { payload: { first_name?: string } }) => payload.first_name)
const TOO_MANY = { status: 429, body: { error: { code: 'RATE_LIMITED', details: { limit: 'readers' } } } }

/** Resolves when somebody waits for the events of the workspace: its feed has been polled since. */
async function polled(ws: TestWorkspace): Promise<void> {
  const before = pollsOf(ws).length
  await until(async () => pollsOf(ws).length > before)
}

/** Asks again until it is so, for as long as the test may take. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((done) => setTimeout(done, 20))
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
  const cursor = await end(ws)
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
  const cursor = await end(ws)
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

type Message = { id: string; event?: string; data?: string }

/** A client of the stream, over a socket of its own. */
class Stream {
  readonly #reader: ReadableStreamDefaultReader<string>
  readonly #gone: AbortController
  #text = ''
  ended = false

  private constructor(response: Response, gone: AbortController) {
    this.#reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    this.#gone = gone
  }

  static async open({ apiKey }: TestWorkspace, query = '', last?: string): Promise<Stream> {
    const gone = new AbortController()
    const headers = { authorization: `Bearer ${apiKey}`, ...(last !== undefined && { 'last-event-id': last }) }
    const response = await fetch(new URL(`/v1/events/stream?${query}`, await app.url()), { headers, signal: gone.signal })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    return new Stream(response, gone)
  }

  /** The next block with an id; undefined at the end of the stream. */
  async next(): Promise<Message | undefined> {
    for (;;) {
      const at = this.#text.indexOf('\n\n')
      if (at < 0) {
        const { value, done } = await this.#reader.read()
        if (done) this.ended = true
        if (done) return undefined
        this.#text += value
        continue
      }
      const lines = this.#text.slice(0, at).split('\n')
      this.#text = this.#text.slice(at + 2)
      const fields = Object.fromEntries(lines.filter((line) => !line.startsWith(':')).map((line) => line.split(/: (.*)/s).slice(0, 2)))
      if (fields.id) return fields as Message
    }
  }

  /** The next event; undefined at the end of the stream. */
  async event(): Promise<Message | undefined> {
    for (;;) {
      const message = await this.next()
      if (!message || message.event) return message
    }
  }

  close(): void {
    this.#gone.abort()
  }
}

test('a stream sends what happens from now on, each event as GET /events returns it, with its type and its cursor', async () => {
  const ws = await app.workspace()
  await contact(ws, 'Before')
  const cursor = await end(ws)
  const stream = await Stream.open(ws)
  expect(await stream.next(), 'a cursor, before anything happens').toEqual({ id: expect.any(String) })
  await ws.post('/products', { name: 'GTX', price: 12.5 })
  await contact(ws, 'Ana')
  const [first, second] = [await stream.event(), await stream.event()]
  stream.close()
  const listed = await app.fetch(`/v1/events?order=asc&after=${cursor}`, { headers: { authorization: `Bearer ${ws.apiKey}` } })
  const text = await listed.text()
  expect([first, second].map((message) => JSON.parse(message!.data!))).toEqual(JSON.parse(text).data)
  expect([first?.event, second?.event]).toEqual(['product.created', 'contact.created'])
  expect(first?.data).toContain('"price":12.50')
  expect(namesIn(await ws.get(`/events?order=asc&after=${first?.id}`))).toEqual(['Ana'])
})

test('a stream has the filters and the scopes of its reader', async () => {
  const ws = await app.workspace()
  const reader = await ws.key({ scopes: ['events:read'] })
  const stream = await Stream.open(reader, 'type=contact.*')
  await stream.next()
  await ws.post('/companies', { name: 'Acme' })
  await contact(ws, 'Ana')
  const message = await stream.event()
  stream.close()
  expect(JSON.parse(message!.data!)).toMatchObject({ type: 'contact.created', payload: {}, changes: { first_name: {} } })
  expect(message?.data).not.toContain('Ana')
})

test('a client that connects again with the last id misses nothing and reads nothing twice', async () => {
  const ws = await app.workspace()
  const cursor = await end(ws)
  const read: unknown[] = []
  let [last, stream] = [cursor, await Stream.open(ws, `after=${cursor}`)]
  for (let round = 0; round < 4; round++) {
    await Promise.all(Array.from({ length: 5 }, (_, n) => contact(ws, `R${round}-${n}`)))
    for (let count = 0; count < 3; count++) {
      const message = await stream.event()
      last = message!.id
      read.push(JSON.parse(message!.data!))
    }
    stream.close()
    await contact(ws, `Meanwhile ${round}`)
    // A client repeats its first address: the header says how far it has come.
    stream = await Stream.open(ws, `after=${cursor}`, last)
  }
  while (read.length < 24) read.push(JSON.parse((await stream.event())!.data!))
  stream.close()
  expect(read).toEqual((await ws.get(`/events?order=asc&limit=100&after=${cursor}`)).body.data)
})

test('a heartbeat has the cursor behind events that the filter leaves out', async () => {
  const ws = await app.workspace()
  const stream = await Stream.open(ws, 'type=company.*')
  const { id } = (await stream.next())!
  await contact(ws, 'Ana')
  let heartbeat = await stream.next()
  await until(async () => {
    heartbeat = await stream.next()
    return (await ws.get(`/events?order=asc&after=${heartbeat?.id}`)).body.data.length === 0
  })
  stream.close()
  expect(heartbeat).toEqual({ id: expect.any(String) })
  expect(namesIn(await ws.get(`/events?order=asc&after=${id}`))).toEqual(['Ana'])
})

test('the stream of a revoked key ends, and so does that of one that expires while nothing happens', async () => {
  const ws = await app.workspace()
  const [revoked, expired] = [await ws.key({ scopes: ['events:read'] }), await ws.key({ scopes: ['events:read'] })]
  await app.owner.query("update api_keys set expires_at = now() + interval '3 seconds' where id = $1", [expired.keyId])
  const streams = [await Stream.open(revoked), await Stream.open(expired), await Stream.open(ws)] as const
  for (const stream of streams) await stream.next()
  expect(await ws.post(`/api-keys/${revoked.keyId}/revoke`)).toMatchObject({ status: 200 })
  await contact(ws, 'Ana')
  for (const stream of streams.slice(0, 2)) while (await stream.next());
  expect(streams.map(({ ended }) => ended)).toEqual([true, true, false])
  expect(await streams[2].event(), 'the stream of another key goes on').toBeDefined()
  streams[2].close()
  expect(await revoked.get('/events/stream')).toMatchObject({ status: 401 })
})

test('clients that leave their streams, or give up waiting, give their places to others', async () => {
  const ws = await app.workspace()
  const half = MOST_READERS / 2
  const streams = await Promise.all(Array.from({ length: half }, () => Stream.open(ws)))
  const gone = new AbortController()
  const address = new URL('/v1/events?order=asc&after=latest&wait=5', await app.url())
  const init = { headers: { authorization: `Bearer ${ws.apiKey}` }, signal: gone.signal }
  // One more, in case that the request which looks whether all places are taken takes one itself.
  const calls = Array.from({ length: half + 1 }, () => fetch(address, init).catch(() => undefined))
  await until(async () => (await awaiting(ws, 1)).status === 429)
  gone.abort()
  await Promise.all(calls)
  for (const stream of streams) stream.close()
  const answersOf = () => Promise.all(Array.from({ length: MOST_READERS }, () => awaiting(ws, 1)))
  await until(async () => (await answersOf()).every(({ status }) => status === 200))
})

test('readers that ask again as soon as they are answered keep their places', async () => {
  const ws = await app.workspace()
  const reader = async () => [await awaiting(ws, 1), await awaiting(ws, 1), await awaiting(ws, 1)]
  const answers = (await Promise.all(Array.from({ length: MOST_READERS }, reader))).flat()
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
})

test('a stream ends after its time, and continues where it ended', async () => {
  const short = await start({ vars: { EVENT_STREAM_SECONDS: '2' } })
  try {
    const ws = await short.workspace()
    const headers = { authorization: `Bearer ${ws.apiKey}` }
    const text = await (await short.fetch('/v1/events/stream', { headers })).text()
    expect(text).toMatch(/^retry: 1000\n\n: heartbeat\nid: \S+\n\n$/)
    await contact(ws, 'Ana')
    const last = /id: (\S+)/.exec(text)![1]!
    expect(await (await short.fetch('/v1/events/stream', { headers: { ...headers, 'last-event-id': last } })).text()).toContain('"Ana"')
  } finally {
    await short.close()
  }
})

const DAY = 86_400_000

test('a stream is refused like a page: cursors of others, expired ones, missing scopes', async () => {
  const [ws, other] = [await app.workspace(), await app.workspace()]
  expect(await ws.get(`/events/stream?after=${await end(other)}`)).toMatchObject({
    status: 400,
    body: { error: { details: { issues: [{ path: 'after' }] } } },
  })
  expect(await ws.get('/events/stream', { 'last-event-id': 'no cursor' })).toMatchObject({ status: 400 })
  const at = Date.now() - 31 * DAY
  const old = cursorOf({ list: 'event-feed', workspace_id: ws.id, at, xid: '1', id: '00000000-0000-0000-0000-000000000000' })
  expect(await ws.get(`/events/stream?after=${old}`)).toMatchObject({ status: 410, body: { error: { code: 'CURSOR_EXPIRED' } } })
  const blind = await ws.key({ scopes: ['contacts:read'] })
  expect(await blind.get('/events/stream')).toMatchObject({ status: 403 })
})
