import { expect, test } from 'vitest'
import { created, failed, found, ids, nobody, refused, useCrm } from './crm.ts'

const crm = useCrm()

const source = async (name: string) => created(await crm.ws.post('/lead-sources', { name }))

test('a lead source is made, read, changed and deleted', async () => {
  const answer = await crm.ws.post('/lead-sources', { name: ' Trade fair ' })
  const made = created(answer)
  expect(made).toMatchObject({ name: 'Trade fair', is_active: true, version: 1 })
  expect(answer.headers.get('location')).toBe(`/v1/lead-sources/${made.id}`)
  expect(found(await crm.ws.patch(`/lead-sources/${made.id}`, { is_active: false }))).toMatchObject({
    name: 'Trade fair',
    is_active: false,
    version: 2,
  })
  expect(found(await crm.ws.get(`/lead-sources/${made.id}`))).toMatchObject({ is_active: false })
  found(await crm.ws.delete(`/lead-sources/${made.id}`))
  expect(await crm.ws.get(`/lead-sources/${made.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect((await crm.events(made.id)).map(({ type }) => type)).toEqual(['lead_source.created', 'lead_source.updated', 'lead_source.deleted'])
  expect(found(await crm.ws.get(`/lead-sources/${made.id}/history`)).map(({ action }) => action)).toEqual(['deleted', 'updated', 'created'])
})

test('a name is there once, however it is written', async () => {
  await source('Trade fair')
  const { id } = await source('Website')
  for (const name of ['Trade fair', 'TRADE  FAIR', ' trade fair ']) {
    expect(await crm.ws.post('/lead-sources', { name }), name).toMatchObject(failed(409, 'CONFLICT'))
    expect(await crm.ws.patch(`/lead-sources/${id}`, { name }), name).toMatchObject(failed(409, 'CONFLICT'))
  }
  created(await (await crm.app.workspace()).post('/lead-sources', { name: 'Trade fair' }))
  expect(await crm.ws.post('/lead-sources', { name: '' })).toMatchObject(refused('name'))
})

test('one that contacts came through is not deleted', async () => {
  const { id } = await source('Trade fair')
  const contact = await crm.contact({ source_id: id })
  expect(await crm.ws.delete(`/lead-sources/${id}`)).toMatchObject({
    status: 409,
    body: { error: { code: 'CONFLICT', details: { referenced_by: 'contacts' } } },
  })
  found(await crm.ws.patch(`/contacts/${contact.id}`, { source_id: null }))
  found(await crm.ws.delete(`/lead-sources/${id}`))
})

test('the list is sorted and filtered', async () => {
  const made = []
  for (const name of ['b', 'A', 'c']) made.push(await source(name))
  found(await crm.ws.patch(`/lead-sources/${made[0]!.id}`, { is_active: false }))
  const names = async (query: string) => (await crm.walk(`/lead-sources?limit=2&${query}`)).map(({ name }) => name)
  expect(await names('sort=name')).toEqual(['A', 'b', 'c'])
  expect(await names('sort=-name')).toEqual(['c', 'b', 'A'])
  expect(await names('sort=created_at')).toEqual(['b', 'A', 'c'])
  expect(await names('sort=-updated_at')).toEqual(['b', 'c', 'A'])
  expect(await names('is_active=false')).toEqual(['b'])
})

test('the scopes are those of the company, and another workspace’s lead source is unknown', async () => {
  const { id } = await source('Mine')
  const reader = await crm.ws.key({ scopes: ['company:read'] })
  expect(ids(found(await reader.get('/lead-sources')))).toEqual([id])
  expect(await reader.post('/lead-sources', { name: 'X' })).toMatchObject({
    status: 403,
    body: { error: { details: { missing_scopes: ['company:write'] } } },
  })
  expect(await reader.delete(`/lead-sources/${id}`)).toMatchObject({
    status: 403,
    body: { error: { details: { missing_scopes: ['company:delete'] } } },
  })
  const theirs = created(await (await crm.app.workspace()).post('/lead-sources', { name: 'Theirs' })).id
  for (const other of [nobody, theirs])
    expect(await crm.ws.patch(`/lead-sources/${other}`, { name: 'X' })).toMatchObject(failed(404, 'NOT_FOUND'))
})
