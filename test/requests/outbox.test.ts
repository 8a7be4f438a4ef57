import { afterAll, beforeAll, expect, test } from 'vitest'
import { listeners } from '../../src/features/events/plans/listeners.ts'
import { type Harness, start } from '../harness.ts'

let app: Harness
beforeAll(async () => {
  app = await start({ own: true })
})
afterAll(() => app.close())

const outbox = async (workspaceId: string, more = 'true') =>
  (await app.owner.query(`select * from outbox where workspace_id = $1 and ${more} order by id`, [workspaceId])).rows
/** Undelivered again, and wanted by a listener, whatever they are about. */
const undeliver = (workspaceIds: string[]) =>
  app.owner.query(
    `update outbox set needs_delivery = true, delivered_at = null, claimed_at = null, attempts = 0 where workspace_id = any($1)`,
    [workspaceIds],
  )
const UNDELIVERED = 'needs_delivery and delivered_at is null'
const types = async (workspaceId: string, entity: string) => (await outbox(workspaceId, `entity = '${entity}'`)).map(({ type }) => type)

test('every change emits its event, one by one and in bulk, and each is delivered', async () => {
  const ws = await app.workspace()
  const { id } = (await ws.post('/contacts', { first_name: 'A' })).body.data
  await ws.patch(`/contacts/${id}`, { city: 'Perth' })
  await ws.patch(`/contacts/${id}`, { city: 'Perth' })
  const { results } = (await ws.post('/contacts/bulk-create', { records: [{ first_name: 'B' }, { first_name: 'C' }] })).body.data
  await ws.post('/contacts/bulk-update', { records: [{ id: results[0].id, city: 'Hobart' }] })
  await ws.post('/contacts/bulk-delete', { ids: [results[1].id] })
  await ws.delete(`/contacts/${id}`)
  const [created, updated, deleted] = ['contact.created', 'contact.updated', 'contact.deleted']
  expect(await types(ws.id, 'contact')).toEqual([created, updated, created, created, updated, deleted, deleted])
  await app.drain()
  expect(await outbox(ws.id, UNDELIVERED)).toEqual([])
})

test('the database delivers the events that listeners want, and no others', async () => {
  const wanted = [...new Set(listeners.flatMap(({ types }) => types))].sort()
  const { rows } = await app.owner.query<{ body: string }>("select pg_get_functiondef('needs_delivery'::regproc) as body")
  const known = [...rows[0]!.body.matchAll(/'([a-z_]+\.[a-z_]+)'/g)].map(([, type]) => type as string)
  expect(known.sort()).toEqual(wanted)
  const { rows: some } = await app.owner.query('select needs_delivery(t) as needed from unnest($1::text[]) t', [
    [...wanted, 'contact.created'],
  ])
  expect(some.map(({ needed }) => needed)).toEqual([...wanted.map(() => true), false])
})

test('an event without a listener is written once, and sends no message', async () => {
  const ws = await app.workspace()
  await app.drain()
  const trips = app.proxy.trips
  const { id } = (await ws.post('/contacts', { first_name: 'Ana' })).body.data
  await ws.patch(`/contacts/${id}`, { city: 'Perth' })
  await app.drain()
  await app.cron('* * * * *')
  // Two writes; their log entries, one or two messages of them; four jobs of the cron.
  expect(app.proxy.trips - trips).toBeLessThanOrEqual(2 + 2 + 4)
  const events = await outbox(ws.id, "entity = 'contact'")
  expect(events).toMatchObject([
    { needs_delivery: false, attempts: 0, claimed_at: null, delivered_at: null },
    { needs_delivery: false, attempts: 0, claimed_at: null, delivered_at: null },
  ])
  const { rows } = await app.owner.query('select xmax::text from outbox where workspace_id = $1', [ws.id])
  expect(new Set(rows.map(({ xmax }) => xmax))).toEqual(new Set(['0']))
})

test('an event names its request, key and user, and skip_automations marks it', async () => {
  const ws = await app.workspace()
  const made = await ws.post('/contacts', { first_name: 'A', skip_automations: true })
  const [event] = await outbox(ws.id, "entity = 'contact'")
  expect(event).toMatchObject({
    skip_automations: true,
    request_id: made.headers.get('x-request-id'),
    key_id: ws.keyId,
    user_id: ws.userId,
  })
  await ws.call('DELETE', `/contacts/${made.body.data.id}?skip_automations=true`)
  expect((await outbox(ws.id, "type = 'contact.deleted'"))[0].skip_automations).toBe(true)
  await ws.post('/contacts', { first_name: 'B' })
  expect((await outbox(ws.id, "type = 'contact.created'"))[1].skip_automations).toBe(false)
})

test('a refused write leaves no event', async () => {
  const ws = await app.workspace()
  await ws.post('/contacts', { first_name: 'A', customer_id: ws.id })
  await ws.post('/contacts?dry_run=true', { first_name: 'A' })
  expect(await types(ws.id, 'contact')).toEqual([])
})

test('a lost wake-up is found by the sweep, whichever workspace it was for', async () => {
  const [one, two] = [await app.workspace(), await app.workspace()]
  for (const ws of [one, two]) await ws.post('/contacts', { first_name: 'A' })
  await app.drain()
  await undeliver([one.id, two.id])
  await app.cron('* * * * *')
  for (const ws of [one, two]) expect(await outbox(ws.id, UNDELIVERED)).toEqual([])
})

test('the sweep runs at any interval, and costs three round trips when nothing is due', async () => {
  const ws = await app.workspace()
  await ws.post('/contacts', { first_name: 'A' })
  await app.drain()
  await app.cron('*/30 * * * *')
  const before = app.proxy.trips
  await app.cron('*/30 * * * *')
  expect(app.proxy.trips - before).toBe(3)

  await undeliver([ws.id])
  await app.cron('*/30 * * * *')
  expect(await outbox(ws.id, UNDELIVERED)).toEqual([])
})

test('an event that is being delivered is not taken by another, for a minute', async () => {
  const ws = await app.workspace()
  await ws.post('/contacts', { first_name: 'A' })
  await app.drain()
  await undeliver([ws.id])
  await app.owner.query('update outbox set claimed_at = now() where workspace_id = $1', [ws.id])
  await app.deliver('events', [{ type: 'work.run', kind: 'events.deliver', workspace_id: ws.id }])
  expect(await outbox(ws.id, UNDELIVERED)).not.toEqual([])
  await app.owner.query("update outbox set claimed_at = now() - interval '61 seconds' where workspace_id = $1", [ws.id])
  await app.deliver('events', [{ type: 'work.run', kind: 'events.deliver', workspace_id: ws.id }])
  expect(await outbox(ws.id, UNDELIVERED)).toEqual([])
})

test('many consumers at once deliver each event once', async () => {
  const ws = await app.workspace()
  await ws.post('/contacts/bulk-create', { records: Array.from({ length: 100 }, (_, i) => ({ first_name: `C${i}` })) })
  await app.drain()
  await undeliver([ws.id])
  await Promise.all(
    Array.from({ length: 8 }, () => app.deliver('events', [{ type: 'work.run', kind: 'events.deliver', workspace_id: ws.id }])),
  )
  await app.deliver('events', [{ type: 'work.run', kind: 'events.deliver', workspace_id: ws.id }])
  const events = await outbox(ws.id)
  expect(events.length).toBeGreaterThanOrEqual(100)
  expect(events.every(({ attempts, delivered_at }) => attempts === 1 && delivered_at)).toBe(true)
})

test('the events of a record are delivered in order: while one is delivered, or has failed, only its later ones wait', async () => {
  const ws = await app.workspace()
  const [first, second] = await Promise.all(['A', 'B'].map(async (name) => (await ws.post('/contacts', { first_name: name })).body.data.id))
  await ws.patch(`/contacts/${first}`, { city: 'Perth' })
  await app.drain()
  await undeliver([ws.id])
  const left = async () => (await outbox(ws.id, `${UNDELIVERED} and entity = 'contact'`)).map(({ type, entity_id }) => [type, entity_id])
  const deliver = () => app.deliver('events', [{ type: 'work.run', kind: 'events.deliver', workspace_id: ws.id }])
  await app.owner.query("update outbox set claimed_at = now() where entity_id = $1 and type = 'contact.created'", [first])
  await deliver()
  expect(await left()).toEqual([
    ['contact.created', first],
    ['contact.updated', first],
  ])
  // Another delivery has locked the first one and is about to claim it.
  const other = await app.owner.connect()
  await other.query('begin')
  await other.query("update outbox set claimed_at = null where entity_id = $1 and type = 'contact.created'", [first])
  await deliver()
  expect(await left()).toHaveLength(2)
  await other.query('commit')
  other.release()
  await deliver()
  expect(await left()).toEqual([])
  expect((await outbox(ws.id, `entity_id in ('${first}', '${second}')`)).map(({ attempts }) => attempts)).toEqual([1, 1, 1])
})

test('what is no message is acknowledged and logged, and holds up no other', async () => {
  const ws = await app.workspace()
  await ws.post('/contacts', { first_name: 'A' })
  await app.drain()
  await undeliver([ws.id])
  const { explicitAcks, retryMessages } = await app.deliver('events', [
    'nonsense',
    { type: 'work.run', kind: 'events.deliver', workspace_id: ws.id },
  ])
  expect(explicitAcks).toHaveLength(2)
  expect(retryMessages).toEqual([])
  expect(await outbox(ws.id, UNDELIVERED)).toEqual([])
})

test('when the database is away the message comes again later', async () => {
  const ws = await app.workspace()
  await app.drain()
  app.proxy.outage = 'refuse'
  const { retryMessages, explicitAcks } = await app.deliver('events', [{ type: 'work.run', kind: 'events.deliver', workspace_id: ws.id }])
  app.proxy.outage = 'none'
  expect(explicitAcks).toEqual([])
  expect(retryMessages).toHaveLength(1)
  expect((await app.deliver('events-dead', [{ type: 'work.run', kind: 'events.deliver', workspace_id: ws.id }])).explicitAcks).toHaveLength(
    1,
  )
})

test('events can be read, newest first, by type, record and request', async () => {
  const [ws, stranger] = [await app.workspace(), await app.workspace()]
  const made = await ws.post('/contacts', { first_name: 'A' })
  const { id } = made.body.data
  await ws.patch(`/contacts/${id}`, { city: 'Perth' })
  const read = async (query: string) => (await ws.get(`/events?${query}`)).body.data.map(({ type }: { type: string }) => type)
  expect(await read(`entity_id=${id}`)).toEqual(['contact.updated', 'contact.created'])
  expect(await read('type=contact.updated')).toEqual(['contact.updated'])
  expect(await read(`request_id=${made.headers.get('x-request-id')}`)).toEqual(['contact.created'])
  const [event] = (await ws.get('/events?type=contact.updated')).body.data
  expect(event).toMatchObject({ entity: 'contact', entity_id: id, changes: { city: { before: null, after: 'Perth' } } })
  expect((await stranger.get(`/events/${event.id}`)).status).toBe(404)
  expect((await stranger.get(`/events?entity_id=${id}`)).body.data).toEqual([])
})
