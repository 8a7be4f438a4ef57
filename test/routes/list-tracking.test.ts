import { afterAll, beforeAll, expect, test } from 'vitest'
import { settled } from '../database.ts'
import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { created, type Row } from './crm.ts'

let app: Harness
let ws: TestWorkspace
beforeAll(async () => {
  app = await start({ ownServer: true })
  ws = await app.workspace()
})
afterAll(() => app.close())

const contact = async (first_name: string, fields: object = {}): Promise<string> =>
  created(await ws.post('/contacts', { first_name, ...fields })).id
const inCity = (city: string) => ({ field: 'city', op: 'eq', value: city })
const tracked = async (name: string, fields: object) => {
  const { id } = created(await ws.post('/lists', { name, object: 'contacts', visibility: 'shared', tracks_membership: true, ...fields }))
  await app.drain()
  return id as string
}
const live = (name: string, filter: object, fields: object = {}) => tracked(name, { kind: 'live', filter, ...fields })
const track = () => app.deliver('events', [{ type: 'work.run', kind: 'lists.track', workspace_id: ws.id }])
/** The membership events of a list in the order of the feed, as `entered <id>`, after everything has been evaluated. */
async function news(list: string): Promise<string[]> {
  for (const task of [() => app.drain(), () => app.cron('* * * * *'), () => app.drain()]) {
    await task()
    await settled(app.owner)
  }
  return (await events(list)).map(({ type, payload }) => `${type.slice(5)} ${payload.record_id}`)
}
const events = async (list: string): Promise<Row[]> =>
  (await ws.get(`/events?order=asc&limit=100&entity_id=${list}&type=list.entered,list.left`)).body.data

test('a live list announces who enters and leaves it, once, and not those who were in it before', async () => {
  const before = await contact('Before', { city: 'Perth' })
  const list = await live('Perth', inCity('Perth'))
  expect((await ws.get(`/lists/${list}`)).body.data).toMatchObject({ tracks_membership: true, tracking_error: null })
  expect((await ws.get(`/lists/${list}`)).body.data.tracked_since).not.toBeNull()
  expect(await news(list)).toEqual([])
  const made = await ws.post('/contacts', { first_name: 'Ana', city: 'Perth' })
  const ana = made.body.data.id
  const [event] = (await news(list)) && (await events(list))
  expect(event).toMatchObject({
    type: 'list.entered',
    entity: 'list',
    payload: { object: 'contacts', record_id: ana },
    request_id: made.headers.get('x-request-id'),
    user_id: ws.userId,
  })
  await ws.patch(`/contacts/${ana}`, { job_title: 'Buyer' })
  expect(await news(list)).toEqual([`entered ${ana}`])
  await ws.patch(`/contacts/${ana}`, { archived: true })
  await ws.delete(`/contacts/${before}`)
  expect(await news(list)).toEqual([`entered ${ana}`, `left ${ana}`, `left ${before}`])
  await ws.post(`/contacts/${before}/restore`)
  expect((await news(list)).at(-1)).toBe(`entered ${before}`)
  expect((await events(list)).at(-1)).toMatchObject({ cause_type: 'restore' })
  // A lost, a repeated and concurrent messages change nothing.
  await app.owner.query("update feed_followers set xid = '3' where workspace_id = $1", [ws.id])
  await Promise.all([track(), track(), app.cron('* * * * *'), track()])
  expect(await news(list)).toHaveLength(4)
})

test('a live list follows the records, the static lists and the lists that its filter depends on', async () => {
  const guests = created(await ws.post('/lists', { name: 'Guests', object: 'contacts', kind: 'static' })).id
  const company = created(await ws.post('/companies', { name: 'Mill', industry: 'Food' })).id
  const [ana, bo] = [await contact('Ana', { customer_id: company }), await contact('Bo')]
  const cities = created(await ws.post('/lists', { name: 'Cities', object: 'contacts', kind: 'live', filter: inCity('Hobart') })).id
  const filter = {
    any: [
      { has: 'company', where: { any: [{ field: 'industry', op: 'eq', value: 'Steel' }, { has: 'opportunities' }] } },
      { field: 'list', op: 'in', value: guests },
      { field: 'list', op: 'in', value: cities },
      { field: 'last_activity_at', op: 'is_not_empty' },
    ],
  }
  const list = await live('Related', filter)
  await ws.patch(`/companies/${company}`, { industry: 'Steel' })
  expect(await news(list)).toEqual([`entered ${ana}`])
  await ws.patch(`/companies/${company}`, { industry: 'Glass' })
  expect((await news(list)).at(-1)).toBe(`left ${ana}`)
  const deal = created(await ws.post('/opportunities', { name: 'Deal', customer_id: company })).id
  expect((await news(list)).at(-1)).toBe(`entered ${ana}`)
  await ws.delete(`/opportunities/${deal}`)
  expect((await news(list)).at(-1)).toBe(`left ${ana}`)
  await ws.post(`/lists/${guests}/members`, { ids: [bo] })
  expect((await news(list)).at(-1)).toBe(`entered ${bo}`)
  await ws.post(`/lists/${guests}/members/remove`, { ids: [bo] })
  expect((await news(list)).at(-1)).toBe(`left ${bo}`)
  const activity = created(await ws.post('/activities', { activity_type: 'call', subject: 'Hello', contact_id: bo })).id
  expect((await news(list)).at(-1)).toBe(`entered ${bo}`)
  await ws.delete(`/activities/${activity}`)
  expect((await news(list)).at(-1)).toBe(`left ${bo}`)
  const cy = await contact('Cy', { city: 'Darwin' })
  await ws.patch(`/lists/${cities}`, { filter: inCity('Darwin') })
  expect((await news(list)).at(-1)).toBe(`entered ${cy}`)
  await ws.delete(`/lists/${cities}`)
  await contact('Di', { city: 'Darwin' })
  await app.drain()
  const { tracks_membership, tracking_error } = (await ws.get(`/lists/${list}`)).body.data
  expect([tracks_membership, tracking_error]).toEqual([false, expect.stringContaining('list')])
})

test('a static list announces its member rows, and a merge as a move', async () => {
  const [winner, loser] = [await contact('Winner'), await contact('Loser')]
  const list = await tracked('Static', { kind: 'static' })
  await ws.post(`/lists/${list}/members`, { ids: [loser] })
  const merge = await ws.post('/contacts/merge', { winner_id: winner, loser_ids: [loser] })
  expect(await news(list)).toEqual([`entered ${loser}`, `left ${loser}`, `entered ${winner}`])
  await ws.post(`/contacts/merges/${merge.body.data.merge_id}/undo`)
  expect((await news(list)).slice(3).toSorted()).toEqual([`entered ${loser}`, `left ${winner}`].toSorted())
  expect((await events(list)).at(-1)).toMatchObject({ cause_type: 'undo' })
  // The list itself goes and comes back with its members, without a word about them.
  await ws.delete(`/lists/${list}`)
  await ws.post(`/lists/${list}/restore`)
  expect(await news(list)).toHaveLength(5)
  await ws.patch(`/lists/${list}`, { tracks_membership: false })
  await ws.post(`/lists/${list}/members/remove`, { ids: [loser] })
  expect(await news(list)).toHaveLength(5)
})

test('a filter that depends on the time is evaluated again after a quarter of an hour, and others are not', async () => {
  const list = await live('Recent', { field: 'relationship_started_at', op: 'within_last', value: { days: 3 } })
  const ana = await contact('Later', { relationship_started_at: '2020-01-01T00:00:00Z' })
  expect(await news(list)).toEqual([])
  await app.owner.query("update contacts set relationship_started_at = now() - interval '1 day' where id = $1", [ana])
  await app.owner.query('update feed_followers set xid = pg_snapshot_xmin(pg_current_snapshot()) where workspace_id = $1', [ws.id])
  await app.cron('* * * * *')
  expect(await news(list)).toEqual([])
  const { rows } = await app.owner.query(
    "update tracked_lists set walk_at = walk_at - interval '15 minutes' where list_id = $1 returning 1",
    [list],
  )
  expect(rows).toHaveLength(1)
  await app.cron('* * * * *')
  expect(await news(list)).toEqual([`entered ${ana}`])
  const { rows: others } = await app.owner.query('select walk_at from tracked_lists where list_id <> $1', [list])
  expect(others.every(({ walk_at }) => walk_at === null)).toBe(true)
})

test('an evaluation whose connection is lost is made again, and the list is tracked on', async () => {
  const list = await live('Cairns', inCity('Cairns'))
  let lost = 0
  app.proxy.onRequest = (request) => {
    if (JSON.stringify(request).includes('lock_tracked_list') && lost++ < 3) throw new Error('The connection is lost')
  }
  const ana = await contact('Ana', { city: 'Cairns' })
  await news(list)
  app.proxy.onRequest = undefined
  expect(lost).toBeGreaterThan(0)
  expect(await news(list)).toEqual([`entered ${ana}`])
  expect((await ws.get(`/lists/${list}`)).body.data).toMatchObject({ tracks_membership: true, tracking_error: null })
})

test('a list with too many members, or one too many, is not tracked, and without tracked lists nothing is evaluated', async () => {
  const other = await app.workspace()
  await other.post('/contacts/bulk-create', { records: Array.from({ length: 3 }, (_, n) => ({ first_name: `C${n}`, city: 'Perth' })) })
  const { id } = created(await other.post('/lists', { name: 'Perth', object: 'contacts', kind: 'live', filter: inCity('Perth') }))
  await app.drain()
  const trips = app.proxy.trips
  await app.cron('* * * * *')
  expect(app.proxy.trips - trips).toBe(3)
  await other.patch(`/lists/${id}`, { tracks_membership: true })
  await app.drain()
  const { rows } = await app.owner.query('update tracked_lists set members = members + 9997 where list_id = $1 returning members', [id])
  expect(rows).toEqual([{ members: 10_000 }])
  await other.post('/contacts', { first_name: 'One too many', city: 'Perth' })
  await app.drain()
  await settled(app.owner)
  await app.cron('* * * * *')
  await app.drain()
  expect((await other.get(`/lists/${id}`)).body.data).toMatchObject({
    tracks_membership: false,
    tracked_since: null,
    tracking_error: 'The list has more than 10000 members',
  })
  await app.cron('* * * * *')
  await app.drain()
  expect((await app.owner.query('select from feed_followers where workspace_id = $1', [other.id])).rowCount).toBe(0)
  const more = (n: number) => other.post('/lists', { name: `L${n}`, object: 'contacts', kind: 'static', tracks_membership: true })
  for (let n = 0; n < 20; n++) expect((await more(n)).status).toBe(201)
  const refused = await more(20)
  expect([refused.status, refused.body.error.details.issues[0].path]).toEqual([400, 'tracks_membership'])
})
