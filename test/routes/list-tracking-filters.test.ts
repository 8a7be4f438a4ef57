import { afterAll, beforeAll, expect, test } from 'vitest'
import { settled } from '../database.ts'
import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { created, found, type Row } from './crm.ts'

let app: Harness
let ws: TestWorkspace
beforeAll(async () => {
  app = await start({ ownServer: true })
  ws = await app.workspace()
})
afterAll(() => app.close())

const inCity = (city: string) => ({ field: 'city', op: 'eq', value: city })
const make = async (path: string, fields: object): Promise<string> => created(await ws.post(path, fields)).id
const contact = (first_name: string, fields: object = {}) => make('/contacts', { first_name, ...fields })
const list = async (name: string, filter: object, fields: object = {}): Promise<string> =>
  make('/lists', { name, object: 'contacts', kind: 'live', visibility: 'shared', filter, ...fields })
const tracked = async (name: string, filter: object, fields: object = {}) => {
  const id = await list(name, filter, { tracks_membership: true, ...fields })
  await app.drain()
  return id
}
/** The membership events of a list in the order of the feed, as `entered <id>`, after everything has been evaluated. */
async function news(of: string): Promise<string[]> {
  for (const task of [() => app.drain(), () => app.cron('* * * * *'), () => app.drain()]) {
    await task()
    await settled(app.owner)
  }
  const events = found(await ws.get(`/events?order=asc&limit=100&entity_id=${of}&type=list.entered,list.left`))
  return events.map(({ type, payload }) => `${type.slice(5)} ${payload.record_id}`)
}

test('a list is evaluated again when a list changes that it names only through another one', async () => {
  const ana = await contact('Ana', { city: 'Darwin' })
  const inner = await list('Inner', inCity('Hobart'))
  const middle = await list('Middle', { field: 'list', op: 'in', value: inner })
  const outer = await tracked('Outer', { field: 'list', op: 'in', value: middle })
  expect(await news(outer)).toEqual([])
  found(await ws.patch(`/lists/${inner}`, { filter: inCity('Darwin') }))
  expect(await news(outer)).toEqual([`entered ${ana}`])
})

test('what stands behind a `not` is followed too', async () => {
  const company = await make('/companies', { name: 'Mill', industry: 'Food' })
  const bo = await contact('Bo', { customer_id: company, city: 'Cairns' })
  const elsewhere = { all: [inCity('Cairns'), { not: { has: 'company', where: { field: 'industry', op: 'eq', value: 'Steel' } } }] }
  const others = await tracked('Not steel', elsewhere)
  found(await ws.patch(`/companies/${company}`, { industry: 'Steel' }))
  expect(await news(others)).toEqual([`left ${bo}`])
  found(await ws.patch(`/companies/${company}`, { industry: 'Glass' }))
  expect((await news(others)).at(-1)).toBe(`entered ${bo}`)
})

test('filters that depend on the time are evaluated again, wherever in the filter the time stands, and others are not', async () => {
  const recent = { field: 'relationship_started_at', op: 'within_last', value: { days: 3 } }
  const deals = { object: 'opportunities' }
  const depends: string[] = [
    await tracked('Not recent', { not: recent }),
    await tracked('Of recent people', { has: 'contacts', where: recent }, { object: 'companies' }),
    await tracked('Rotting', { field: 'is_rotting', op: 'eq', value: true }, deals),
    await tracked('Long in stage', { field: 'days_in_stage', op: 'gt', value: 3 }, deals),
  ]
  const constant = [
    await tracked('Since a day', { field: 'relationship_started_at', op: 'after', value: '2026-01-01T00:00:00Z' }),
    await tracked('Of somebody', { has: 'contacts' }, { object: 'companies' }),
  ]
  await news(constant[1] as string)
  const { rows } = await app.owner.query(
    'select list_id from tracked_lists where workspace_id = $1 and walk_at > now() and list_id = any ($2)',
    [ws.id, [...depends, ...constant]],
  )
  expect(rows.map(({ list_id }) => list_id).toSorted()).toEqual(depends.toSorted())
})

test('a filter that asks for archived records has them as members', async () => {
  const gone = await tracked('Archived', { all: [inCity('Broome'), { field: 'archived', op: 'eq', value: true }] })
  const either = await tracked('Here', inCity('Broome'))
  const cy = await contact('Cy', { city: 'Broome' })
  expect([await news(gone), await news(either)]).toEqual([[], [`entered ${cy}`]])
  found(await ws.patch(`/contacts/${cy}`, { archived: true }))
  expect(await news(gone)).toEqual([`entered ${cy}`])
  expect(await news(either)).toEqual([`entered ${cy}`, `left ${cy}`])
})

test('a purge, which leaves no trace of links, takes records out of the lists that depended on them', async () => {
  const person = await contact('Di')
  const deal = await make('/opportunities', { name: 'Deal', contacts: [{ contact_id: person }] })
  const withPeople = await tracked('With people', { has: 'contacts' }, { object: 'opportunities' })
  const purged = await ws.delete(`/contacts/${person}?purge=true`)
  expect([200, 202], JSON.stringify(purged.body)).toContain(purged.status)
  expect(await news(withPeople)).toEqual([`left ${deal}`])
})

test('a list whose custom field is deleted is no longer tracked, and says why', async () => {
  const field = await make('/custom-fields', { object: 'contact', key: 'tier', label: 'Tier', type: 'text' })
  const gold = await tracked('Gold', { field: 'custom.tier', op: 'eq', value: 'Gold' })
  const other = await tracked('Kalgoorlie', inCity('Kalgoorlie'))
  const ed = await contact('Ed', { metadata: { tier: 'Gold' } })
  expect(await news(gold)).toEqual([`entered ${ed}`])
  found(await ws.delete(`/custom-fields/${field}`))
  const flo = await contact('Flo', { city: 'Kalgoorlie' })
  expect(await news(other)).toEqual([`entered ${flo}`])
  expect(found(await ws.get(`/lists/${gold}`))).toMatchObject({
    tracks_membership: false,
    tracked_since: null,
    tracking_error: expect.stringMatching(/custom field|tier/),
  })
})

test('one message evaluates more events than fit into a batch', async () => {
  const crowd = await tracked('Crowd', inCity('Mackay'))
  await app.capture(true)
  for (let part = 0; part < 6; part++) {
    const records = Array.from({ length: 100 }, (_, n) => ({ first_name: `P${part}-${n}`, city: 'Mackay' }))
    found(await ws.post('/contacts/bulk-create', { records }))
  }
  await settled(app.owner)
  await app.capture(false)
  await app.deliver('events', [{ type: 'work.run', kind: 'lists.track', workspace_id: ws.id }])
  const { rows } = await app.owner.query('select members from tracked_lists where list_id = $1', [crowd])
  expect(rows as Row[]).toEqual([{ members: 600 }])
})
