import { expect, test } from 'vitest'
import { created, found, useCrm } from './crm.ts'

const crm = useCrm()
const NONE = { count: 0, more: false, newest: [] }

test('a contact tells its stakeholder types and opportunities', async () => {
  const type = created(await crm.ws.post('/stakeholder-types', { name: 'Installers' }))
  const ana = await crm.contact()
  expect(ana).toMatchObject({ stakeholder_types: NONE, opportunities: NONE })
  found(await crm.ws.post(`/stakeholder-types/${type.id}/members`, { contact_id: ana.id }))
  const opportunity = await crm.opportunity({ contacts: [{ contact_id: ana.id, role: 'Buyer' }] })
  const contact = found(await crm.ws.get(`/contacts/${ana.id}`))
  expect(contact).toMatchObject({
    stakeholder_types: { count: 1, more: false, newest: [{ id: type.id, name: 'Installers' }] },
    opportunities: { count: 1, more: false, newest: [{ id: opportunity.id, name: 'Workstations', status: 'open', role: 'Buyer' }] },
  })
  expect(found(await crm.ws.patch(`/contacts/${ana.id}`, contact))).toEqual(contact)
})

test('of many opportunities the newest ten are returned, and that there are more than a hundred', async () => {
  const { id } = await crm.contact()
  await crm.app.owner.query(
    `with made as (insert into opportunities (workspace_id, name) select $1, 'Deal ' || n from generate_series(1, 103) n
      returning workspace_id, id)
      insert into opportunity_contacts (workspace_id, opportunity_id, contact_id) select workspace_id, id, $2 from made`,
    [crm.ws.id, id],
  )
  expect(found(await crm.ws.get(`/contacts/${id}`)).opportunities).toMatchObject({ count: 100, more: true })
  expect(found(await crm.ws.get(`/contacts/${id}`)).opportunities.newest).toHaveLength(10)
})

test('opportunities and lists are returned only to those who may read them', async () => {
  const ana = await crm.contact()
  const reader = await crm.ws.key({ scopes: ['contacts:read'] })
  expect(found(await reader.get(`/contacts/${ana.id}`))).toMatchObject({ stakeholder_types: NONE, opportunities: null, lists: null })
})

test('a contact tells its static lists, of the private ones those of the caller', async () => {
  const ana = await crm.contact()
  const list = async (name: string, visibility: string) => {
    const { id } = created(await crm.ws.post('/lists', { name, object: 'contacts', kind: 'static', visibility }))
    found(await crm.ws.post(`/lists/${id}/members`, { ids: [ana.id] }))
    return { id, name }
  }
  const [shared, own] = [await list('Newsletter', 'shared'), await list('Mine', 'private')]
  const archived = await list('Old', 'shared')
  found(await crm.ws.patch(`/lists/${archived.id}`, { archived: true }))
  expect(found(await crm.ws.get(`/contacts/${ana.id}`)).lists).toEqual({ count: 2, more: false, newest: [own, shared] })
  const editor = await crm.ws.key({ role: 'client_editor' })
  expect(found(await editor.get(`/contacts/${ana.id}`)).lists).toEqual({ count: 1, more: false, newest: [shared] })
})
