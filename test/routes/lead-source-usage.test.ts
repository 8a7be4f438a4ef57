import { expect, test } from 'vitest'
import { created, failed, found, nobody, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm()

const source = async (name: string) => created(await crm.ws.post('/lead-sources', { name })).id as string

test('use is counted by contacts that came through it and opportunities that name it', async () => {
  const [fair, web] = [await source('Trade fair'), await source('Website')]
  await crm.contact({ source_id: fair })
  await crm.contact({ source_id: fair })
  await crm.opportunity({ lead_source: 'Trade fair' })
  expect(await crm.walk('/lead-sources/usage?limit=1')).toEqual([
    { id: fair, name: 'Trade fair', contacts: { count: 2, more: false }, opportunities: { count: 1, more: false } },
    { id: web, name: 'Website', contacts: { count: 0, more: false }, opportunities: { count: 0, more: false } },
  ])
})

test('a rename carries over to the opportunities that name it; contacts refer to it anyway', async () => {
  const fair = await source('Trade fair')
  await source('Website')
  const contact = await crm.contact({ source_id: fair })
  const { id } = await crm.opportunity({ lead_source: 'Trade fair' })
  const other = (await crm.opportunity({ lead_source: 'Radio' })).id
  expect(found(await crm.ws.post('/lead-sources/rename', { from: 'trade  fair', to: 'Exhibition' }))).toMatchObject({
    changed: 1,
    more: false,
  })
  expect(found(await crm.ws.get(`/lead-sources/${fair}`)).name).toBe('Exhibition')
  expect(found(await crm.ws.get(`/contacts/${contact.id}`)).source_id).toBe(fair)
  expect(found(await crm.ws.get(`/opportunities/${id}`)).lead_source).toBe('Exhibition')
  expect(found(await crm.ws.get(`/opportunities/${other}`)).lead_source).toBe('Radio')
  expect((await crm.events(fair)).map(({ type }) => type)).toEqual(['lead_source.created', 'lead_source.updated'])
  expect((await crm.events(id)).map(({ type }) => type)).toContain('opportunity.updated')
  expect(await crm.ws.post('/lead-sources/rename', { from: 'Exhibition', to: 'website' })).toMatchObject(failed(409, 'CONFLICT'))
  expect(await crm.ws.post('/lead-sources/rename', { from: 'Nothing', to: 'X' })).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('one in use goes only with another one for contacts and opportunities', async () => {
  const [fair, web] = [await source('Trade fair'), await source('Website')]
  const contact = await crm.contact({ source_id: fair })
  const deal = await crm.opportunity({ lead_source: 'Trade fair' })
  expect(await crm.ws.delete(`/lead-sources/${fair}`)).toMatchObject({
    status: 409,
    body: { error: { code: 'CONFLICT', details: { referenced_by: 'contacts', count: 2, more: false } } },
  })
  const theirs = created(await (await crm.app.workspace()).post('/lead-sources', { name: 'Theirs' })).id
  for (const wrong of [fair, theirs, nobody])
    expect(await crm.ws.delete(`/lead-sources/${fair}?replace_with=${wrong}`), wrong).toMatchObject(refused('replace_with'))
  const answer = found(await crm.ws.delete(`/lead-sources/${fair}?replace_with=${web}`)) as Row
  expect(answer).toEqual({ id: fair, deleted: true, changed: 2, more: false })
  expect(found(await crm.ws.get(`/contacts/${contact.id}`)).source_id).toBe(web)
  expect(found(await crm.ws.get(`/opportunities/${deal.id}`)).lead_source).toBe('Website')
  expect(await crm.ws.get(`/lead-sources/${fair}`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('more than one call changes stays until the next one', async () => {
  const [fair, web] = [await source('Trade fair'), await source('Website')]
  await crm.app.owner.query(
    "insert into contacts (workspace_id, first_name, source_id) select $1, 'C' || i, $2 from generate_series(1, 2001) i",
    [crm.ws.id, fair],
  )
  expect(found(await crm.ws.delete(`/lead-sources/${fair}?replace_with=${web}`))).toMatchObject({
    deleted: false,
    changed: 2000,
    more: true,
  })
  expect(found(await crm.ws.delete(`/lead-sources/${fair}?replace_with=${web}`))).toMatchObject({ deleted: true, changed: 1, more: false })
})
