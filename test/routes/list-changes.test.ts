import { expect, test } from 'vitest'
import { created, failed, found, nobody, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm()

const filter = { field: 'city', op: 'eq', value: 'Perth' }
const list = async (fields: Row) => created(await crm.ws.post('/lists', { name: 'Fair', object: 'contacts', ...fields })).id as string
const patch = (id: string, fields: Row) => crm.ws.patch(`/lists/${id}`, fields)

test('a static list takes neither a filter nor search words, and is as it was', async () => {
  const id = await list({ kind: 'static' })
  const before = found(await crm.ws.get(`/lists/${id}`))
  expect(await patch(id, { filter })).toMatchObject(refused('filter'))
  expect(await patch(id, { search: 'perth' })).toMatchObject(refused('search'))
  expect(found(await crm.ws.get(`/lists/${id}`))).toEqual(before)
  expect(found(await patch(id, { name: 'Trade fair', filter: null, search: null }))).toMatchObject({ name: 'Trade fair', filter: null })
})

test('a live list keeps a filter or search words', async () => {
  const id = await list({ kind: 'live', filter, search: 'perth' })
  expect(found(await patch(id, { search: null }))).toMatchObject({ filter, search: null })
  expect(await patch(id, { filter: null })).toMatchObject(refused('filter'))
  expect(found(await patch(id, { search: 'perth', filter: null }))).toMatchObject({ filter: null, search: 'perth' })
  expect(await patch(id, { search: null })).toMatchObject(refused('filter'))
})

test('a list that there is not is not found, whatever is changed', async () => {
  for (const fields of [{ name: 'New' }, { filter }, { search: 'perth' }, { visibility: 'shared' }])
    expect(await patch(nobody, fields), JSON.stringify(fields)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('words in the search of a list that another list names are found in opportunities as they are', async () => {
  const deals = { object: 'opportunities' }
  const { id: deal } = await crm.opportunity({ name: 'Renovation 2026' })
  await crm.opportunity({ name: 'Garden' })
  const words = await list({ ...deals, kind: 'live', search: 'renovation 2026' })
  const named = await list({ ...deals, name: 'Named', kind: 'live', filter: { field: 'list', op: 'in', value: words } })
  expect(found(await crm.ws.get(`/lists/${named}/members`)).map(({ id }) => id)).toEqual([deal])
})

test('of an id that is sent several times the first one is added, in whatever order', async () => {
  const id = await list({ kind: 'static' })
  const contacts: string[] = []
  for (let n = 0; n < 25; n++) contacts.push((await crm.contact({ first_name: `Contact ${n}` })).id)
  const ids = [...contacts, ...contacts.toReversed(), ...contacts, ...contacts]
  const { results, skipped, errors } = found(await crm.ws.post(`/lists/${id}/members`, { ids }))
  expect(results).toEqual(contacts.map((contact) => ({ id: contact, added: true })))
  expect([skipped.length, new Set(skipped.map(({ reason }: Row) => reason)), errors]).toEqual([
    75,
    new Set(['Duplicate id in request']),
    [],
  ])
})
