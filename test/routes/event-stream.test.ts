import { afterAll, beforeAll, expect, test } from 'vitest'
import { MOST_READERS } from '../../src/domain/events.ts'
import { cursorOf } from '../../src/features/events/plans/cursor.ts'
import { type Harness, start } from '../harness.ts'
import { awaiting, contact, end, namesIn, Stream, until } from './feed-readers.ts'

let app: Harness
beforeAll(async () => {
  app = await start({ ownServer: true, vars: { EVENT_STREAM_SECONDS: '300', EVENT_HEARTBEAT_SECONDS: '1' } })
}, 120_000)
afterAll(() => app.close())

test('a stream sends what happens from now on, each event as GET /events returns it, with its type and its cursor', async () => {
  const ws = await app.workspace()
  await contact(ws, 'Before')
  const cursor = await end(app, ws)
  const stream = await Stream.open(app, ws)
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
  const stream = await Stream.open(app, reader, 'type=contact.*')
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
  const cursor = await end(app, ws)
  const read: unknown[] = []
  let [last, stream]: [string | undefined, Stream] = [cursor, await Stream.open(app, ws, `after=${cursor}`)]
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
    stream = await Stream.open(app, ws, `after=${cursor}`, last)
  }
  while (read.length < 24) read.push(JSON.parse((await stream.event())!.data!))
  stream.close()
  expect(read).toEqual((await ws.get(`/events?order=asc&limit=100&after=${cursor}`)).body.data)
})

test('a heartbeat has the cursor behind events that the filter leaves out', async () => {
  const ws = await app.workspace()
  const stream = await Stream.open(app, ws, 'type=company.*')
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
  const streams = [await Stream.open(app, revoked), await Stream.open(app, expired), await Stream.open(app, ws)] as const
  for (const stream of streams) await stream.next()
  expect(await ws.post(`/api-keys/${revoked.keyId}/revoke`)).toMatchObject({ status: 200 })
  await contact(ws, 'Ana')
  for (const stream of streams.slice(0, 2)) while (await stream.next());
  expect(streams.map(({ ended }) => ended)).toEqual([true, true, false])
  expect(await streams[2].event(), 'the stream of another key goes on').toBeDefined()
  streams[2].close()
  expect(await revoked.get('/events/stream')).toMatchObject({ status: 401 })
})

test('clients that leave their streams give their places to others', async () => {
  const ws = await app.workspace()
  const streams = await Promise.all(Array.from({ length: MOST_READERS }, () => Stream.open(app, ws)))
  expect(await awaiting(ws, 1)).toMatchObject({ status: 429, body: { error: { details: { limit: 'readers' } } } })
  for (const stream of streams) stream.close()
  await until(async () => (await awaiting(ws, 1)).status === 200)
})

test('readers that ask again as soon as they are answered keep their places', async () => {
  const ws = await app.workspace()
  const reader = async () => [await awaiting(ws, 1), await awaiting(ws, 1), await awaiting(ws, 1)]
  const answers = (await Promise.all(Array.from({ length: MOST_READERS }, reader))).flat()
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
})

test('a stream ends after its time, and continues where it ended', async () => {
  const short = await start({ vars: { EVENT_STREAM_SECONDS: '2' }, ownServer: true })
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
  expect(await ws.get(`/events/stream?after=${await end(app, other)}`)).toMatchObject({
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
