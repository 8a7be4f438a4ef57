import { expect, test } from 'vitest'
import { created, failed, found, ids, nobody, type Row, refused, useCrm } from './crm.ts'
import { everythingOf, merge, undo } from './merging.ts'

const crm = useCrm()

const people = (...names: string[]) => Promise.all(names.map(async (first_name) => (await crm.contact({ first_name })).id as string))
const log = async (fields: Row) => created(await crm.ws.post('/activities', { activity_type: 'meeting', ...fields }))
const read = async (id: string) => found(await crm.ws.get(`/activities/${id}`))
const activitiesOf = async (id: string, query = '') => ids(found(await crm.ws.get(`/contacts/${id}/activities?${query}`)))
const has = (contact_id: string | null, ...others: (string | undefined)[]) => ({
  contact_id,
  contact_ids: contact_id ? [contact_id, ...others] : others,
})

test('a meeting has several contacts, each of whom lists it once, in lists, filters and timelines', async () => {
  const [ana, ben, cleo] = (await people('Ana', 'Ben', 'Cleo')) as [string, string, string]
  const older = await log({ contact_ids: [ben, ana], occurred_at: '2026-01-01T10:00:00Z' })
  const made = await log({ contact_ids: [ana, ben], occurred_at: '2026-03-01T10:00:00Z', subject: 'Plans' })
  const own = await log({ contact_id: ben, occurred_at: '2026-02-01T10:00:00Z', activity_type: 'note' })
  expect(made).toMatchObject({ ...has(ana, ben), version: 1 })
  expect(older).toMatchObject(has(ben, ana))
  expect((await crm.events(made.id)).map(({ type, payload }) => [type, payload.contact_ids])).toEqual([['activity.created', [ana, ben]]])
  const all = [made.id, own.id, older.id]
  expect(await activitiesOf(ben)).toEqual(all)
  expect(await activitiesOf(ben, 'sort=occurred_at')).toEqual(all.toReversed())
  expect(await activitiesOf(ben, 'activity_type=note')).toEqual([own.id])
  expect(ids(await crm.walk(`/activities?contact_id=${ben}&limit=1`))).toEqual(all)
  expect(await activitiesOf(cleo)).toEqual([])
  const counted = await crm.ws.get(`/contacts/${ben}/activities?count=true`)
  expect(counted.body.page).toMatchObject({ count: 3, count_exact: true })
  for (const id of [ana, ben]) {
    const entries = found(await crm.ws.get(`/contacts/${id}/timeline?kinds=activity`))
    expect(entries[0]).toMatchObject({ id: made.id, data: { contact_ids: [ana, ben], subject: 'Plans' } })
    expect(new Set(ids(entries)).size).toBe(entries.length)
  }
  const search = async (filter: Row) => ids(found(await crm.ws.post('/contacts/search', { filter, sort: 'name' })))
  const plans = { has: 'activities', where: { field: 'subject', op: 'eq', value: 'Plans' } }
  expect(await search(plans)).toEqual([ana, ben])
  expect(await search({ field: 'last_activity_at', op: 'is_empty' })).toEqual([cleo])
  expect(await search({ field: 'last_activity_at', op: 'on', value: '2026-03-01' })).toEqual([ana, ben])
  // A new time takes effect for every contact.
  found(await crm.ws.patch(`/activities/${made.id}`, { occurred_at: '2025-12-01T10:00:00Z' }))
  expect(await activitiesOf(ben)).toEqual([own.id, older.id, made.id])
})

test('an update replaces the contacts, or the main one alone', async () => {
  const [ana, ben, cleo] = (await people('Ana', 'Ben', 'Cleo')) as [string, string, string]
  const { id } = await log({ contact_ids: [ana, ben, cleo] })
  const patch = async (fields: Row) => found(await crm.ws.patch(`/activities/${id}`, fields))
  expect(await patch({ contact_ids: [cleo, ana, ben] })).toMatchObject({ ...has(cleo, ana, ben), version: 2 })
  expect(await patch({ contact_id: ben, contact_ids: [ana, ben] })).toMatchObject({ ...has(ben, ana), version: 3 })
  expect(await activitiesOf(cleo)).toEqual([])
  expect(await patch({ contact_id: cleo })).toMatchObject({ ...has(cleo, ana), version: 4 })
  expect(await patch({ contact_id: ana })).toMatchObject(has(ana))
  expect(await patch({ contact_ids: [ana, ben] })).toMatchObject(has(ana, ben))
  expect(await patch({ contact_id: null })).toMatchObject(has(null, ben))
  expect(await patch(await read(id))).toMatchObject(has(null, ben))
  expect(await crm.ws.patch(`/activities/${id}`, { contact_ids: [] })).toMatchObject(refused('contact_id'))
  const types = (await crm.events(id)).map(({ type }) => type)
  expect(types).toEqual(['activity.created', ...types.slice(1).fill('activity.updated')])
})

test.each<[string, (ana: string) => Row]>([
  ['contact_ids.1', (ana) => ({ contact_ids: [ana, nobody] })],
  ['contact_ids.0', () => ({ contact_ids: [nobody] })],
  ['contact_ids', (ana) => ({ contact_ids: [ana, ana] })],
  ['contact_ids', (ana) => ({ contact_ids: ana })],
  ['contact_ids', () => ({ contact_ids: Array.from({ length: 101 }, () => crypto.randomUUID()) })],
  ['contact_id', (ana) => ({ contact_id: nobody, contact_ids: [ana] })],
])('%s is refused', async (path, fields) => {
  const [ana = ''] = await people('Ana')
  const { id } = await log({ contact_id: ana })
  expect(await crm.ws.post('/activities', { activity_type: 'note', ...fields(ana) })).toMatchObject(refused(path))
  expect(await crm.ws.patch(`/activities/${id}`, fields(ana))).toMatchObject(refused(path))
  const bulk = await crm.ws.post('/activities/bulk-create', { records: [{ activity_type: 'note', ...fields(ana) }] })
  expect(found(bulk).errors).toMatchObject([{ index: 0, error: { details: { issues: [{ path }] } } }])
})

test('an activity is deleted with the last of its contacts, and comes back with it', async () => {
  const [ana, ben] = (await people('Ana', 'Ben')) as [string, string]
  const { id } = await log({ contact_ids: [ana, ben] })
  found(await crm.ws.delete(`/contacts/${ana}`))
  expect(await read(id)).toMatchObject({ ...has(null, ben), version: 2 })
  expect(await activitiesOf(ben)).toEqual([id])
  found(await crm.ws.delete(`/contacts/${ben}`))
  expect(await crm.ws.get(`/activities/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  found(await crm.ws.post(`/contacts/${ben}/restore`))
  expect(await read(id)).toMatchObject(has(null, ben))
  found(await crm.ws.post(`/contacts/${ana}/restore`))
  expect(await read(id)).toMatchObject(has(ana, ben))
  found(await crm.ws.delete(`/contacts/${ben}`))
  expect(await read(id)).toMatchObject(has(ana))
  found(await crm.ws.post(`/contacts/${ben}/restore`))
  expect(await read(id)).toMatchObject(has(ana, ben))
})

test('of contacts that one call deleted, each brings back the activities that it was the last contact of', async () => {
  const [ana, ben, first, second] = (await people('Ana', 'Ben', 'First', 'Second')) as [string, string, string, string]
  const [one, two] = [await log({ contact_ids: [first, ana] }), await log({ contact_ids: [second, ben] })]
  for (const id of [first, second]) found(await crm.ws.delete(`/contacts/${id}`))
  found(await crm.ws.post('/contacts/bulk-delete', { ids: [ana, ben] }))
  const there = async () => (await Promise.all([one, two].map(({ id }) => crm.ws.get(`/activities/${id}`)))).map(({ status }) => status)
  expect(await there()).toEqual([404, 404])
  found(await crm.ws.post(`/contacts/${ana}/restore`))
  expect(await there()).toEqual([200, 404])
  found(await crm.ws.post(`/contacts/${ben}/restore`))
  expect(await there()).toEqual([200, 200])
  expect([(await read(one.id)).contact_ids, (await read(two.id)).contact_ids]).toEqual([[ana], [ben]])
})

test('a merge joins the contacts of activities, and an undo separates them', async () => {
  const [winner, loser, other] = (await people('Winner', 'Loser', 'Other')) as [string, string, string]
  const all = await Promise.all(
    [[loser], [loser, winner], [winner, loser], [other, loser], [other, winner, loser], [loser, other]].map((contact_ids) =>
      log({ contact_ids }),
    ),
  )
  const before = await everythingOf(crm)
  const done = await merge(crm, 'contacts', winner, [loser])
  expect(done.moved).toMatchObject({ activities: 3, activity_participations: 2 })
  const now = await Promise.all(all.map(({ id }) => read(id)))
  expect(now.map(({ contact_ids }) => contact_ids)).toEqual([
    [winner],
    [winner],
    [winner],
    [other, winner],
    [other, winner],
    [winner, other],
  ])
  expect((await activitiesOf(winner)).toSorted()).toEqual(ids(all).toSorted())
  await undo(crm, 'contacts', done.merge_id)
  expect(await everythingOf(crm)).toEqual(before)
})

test('a merge that leaves activities behind keeps the other contacts', async () => {
  const [winner, loser, other] = (await people('Winner', 'Loser', 'Other')) as [string, string, string]
  const { id } = await log({ contact_ids: [loser, other] })
  const done = await merge(crm, 'contacts', winner, [loser], { transfer: { activities: false } })
  expect(done.forced_categories).not.toContain('activities')
  expect(await read(id)).toMatchObject(has(null, other))
  await undo(crm, 'contacts', done.merge_id)
  expect(await read(id)).toMatchObject(has(loser, other))
})

test('a purge of one of several contacts leaves the activity without its text', async () => {
  const [ana, ben] = (await people('Ana', 'Ben')) as [string, string]
  const main = await log({ contact_ids: [ana, ben], subject: 'About Ana' })
  const further = await log({ contact_ids: [ben, ana], subject: 'Ana too' })
  const alone = await log({ contact_id: ana, subject: 'Ana only' })
  found(await crm.ws.delete(`/contacts/${ana}?purge=true`))
  expect(await read(main.id)).toMatchObject({ ...has(null, ben), subject: null })
  expect(await read(further.id)).toMatchObject({ ...has(ben), subject: null })
  expect(await crm.ws.get(`/activities/${alone.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('a bulk call logs each valid activity and reports the others', async () => {
  const [ana, ben] = (await people('Ana', 'Ben')) as [string, string]
  const records = [
    { activity_type: 'call', contact_ids: [ana, ben], direction: 'inbound', outcome: 'Sold' },
    { activity_type: 'note', contact_id: nobody },
    { activity_type: 'note' },
    { activity_type: 'note', direction: 'inbound', contact_id: ben },
    { activity_type: 'note', contact_id: ben, metadata: { a: 1, b: null } },
    { activity_type: 'note', contact_ids: [nobody] },
  ]
  const { results, errors } = found(await crm.ws.post('/activities/bulk-create', { records }))
  expect(results).toMatchObject([
    { ...has(ana, ben), outcome: 'Sold' },
    { ...has(ben), metadata: { a: 1 } },
  ])
  const paths = errors.map(({ index, error }: Row) => [index, ...error.details.issues.map(({ path }: Row) => path)])
  expect(paths).toEqual([
    [1, 'contact_id'],
    [2, 'contact_id'],
    [3, 'direction'],
    [5, 'contact_ids.0'],
  ])
  expect((await activitiesOf(ben)).toSorted()).toEqual(ids(results).toSorted())
})

test('a search of activities filters, sorts, and shows chosen fields and related records', async () => {
  const [ana, ben] = (await people('Ana', 'Ben')) as [string, string]
  const customer_id = await crm.company()
  const first = await log({ contact_ids: [ana, ben], occurred_at: '2026-01-01T10:00:00Z', duration_seconds: 60 })
  const second = await log({ contact_id: ben, customer_id, occurred_at: '2026-02-01T10:00:00Z', duration_seconds: 90, outcome: 'Sold' })
  const search = async (body: Row) => found(await crm.ws.post('/activities/search', body))
  const of = async (filter: Row, more: Row = {}) => ids(await search({ filter, ...more }))
  expect(await of({ field: 'duration_seconds', op: 'gte', value: 60 })).toEqual([second.id, first.id])
  expect(await of({ field: 'activity_type', op: 'eq', value: 'meeting' }, { sort: 'occurred_at' })).toEqual([first.id, second.id])
  expect(await of({ field: 'contact_id', op: 'eq', value: ben })).toEqual([second.id])
  expect(await of({ has: 'contacts', where: { field: 'id', op: 'eq', value: ben } })).toEqual([second.id, first.id])
  expect(await of({ has: 'company' })).toEqual([second.id])
  expect(await of({ field: 'outcome', op: 'is_empty' })).toEqual([first.id])
  const shown = await search({ fields: ['outcome'], include: ['company'], limit: 1 })
  expect(shown).toEqual([{ id: second.id, outcome: 'Sold', company: expect.objectContaining({ id: customer_id }) }])
  expect(await crm.ws.post('/activities/search', { sort: 'name' })).toMatchObject(refused('sort'))
  expect(await crm.ws.post('/activities/search', { fields: ['nothing'] })).toMatchObject(refused('fields.0'))
  expect(await crm.ws.post('/activities/search', { filter: { field: 'name', op: 'eq', value: 'x' } })).toMatchObject(
    refused('filter.field'),
  )
  const reader = await crm.ws.key({ scopes: ['activities:read'] })
  expect(await reader.post('/activities/search', { include: ['contact'] })).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
})
