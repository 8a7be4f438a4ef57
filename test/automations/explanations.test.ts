import { expect, test } from 'vitest'
import { created, found, type Row, useCrm } from '../routes/crm.ts'
import { useAutomations } from './automation.ts'

/** What an explanation says about records other than the one that an event created or changed. */

const crm = useCrm({ ownServer: true })
const { published, settle } = useAutomations(crm)

const latest = async ({ id }: Row, record: string, type: string): Promise<Row> =>
  (found(await crm.ws.get(`/automations/${id}/explain?${record}`)) as Row[]).find((event) => event.type === type) as Row

test('a condition over the records that an event names has their values', async () => {
  const byTask = (on: string, filter: Row) =>
    published({ trigger: { type: 'event', event_types: ['task.created'] }, conditions: [{ on, filter }], steps: [] })
  const city = { field: 'city', op: 'eq', value: 'Perth' }
  const both = { all: [city, { field: 'name', op: 'contains', value: 'zork' }] }
  const [onContact, onName, onCompany, onDeal] = await Promise.all([
    byTask('contact', city),
    byTask('contact', both),
    byTask('company', { field: 'industry', op: 'eq', value: 'Mining' }),
    byTask('opportunity', { field: 'status', op: 'eq', value: 'won' }),
  ])
  const company = created(await crm.ws.post('/companies', { name: 'Lighthouse', industry: 'Construction' }))
  const contact = await crm.contact({ first_name: 'Ana', last_name: 'Lee', city: 'Hobart' })
  created(await crm.ws.post('/tasks', { title: 'Call', contact_id: contact.id, customer_id: company.id }))
  await settle()
  const failed = async (automation: Row) => (await latest(automation, `contact_id=${contact.id}`, 'task.created')).failed
  expect(await failed(onContact)).toEqual({ path: 'conditions.0.filter', expected: city, actual: 'Hobart' })
  expect(await failed(onName)).toMatchObject({ expected: both, actual: { city: 'Hobart', name: 'Ana Lee' } })
  expect(await failed(onCompany)).toMatchObject({ actual: 'Construction' })
  // The task is about no opportunity.
  expect(await failed(onDeal)).toMatchObject({ expected: { field: 'status' }, actual: null })
  // It is the present value.
  found(await crm.ws.patch(`/contacts/${contact.id}`, { city: 'Darwin' }))
  expect(await failed(onContact)).toMatchObject({ actual: 'Darwin' })
})

test('a condition over related records has the values of the first of them', async () => {
  const industry = { has: 'company', where: { field: 'industry', op: 'eq', value: 'Mining' } }
  const people = { all: [{ has: 'contacts', where: { field: 'city', op: 'eq', value: 'Perth' } }, { not: { has: 'company' } }] }
  const ofContact = await published({ trigger: { type: 'contact_created' }, conditions: [{ on: 'contact', filter: industry }], steps: [] })
  const ofDeal = await published({
    trigger: { type: 'event', event_types: ['opportunity.updated'] },
    conditions: [{ on: 'opportunity', filter: people }],
    steps: [],
  })
  const company = created(await crm.ws.post('/companies', { name: 'Lighthouse', industry: 'Construction' }))
  const contact = await crm.contact({ city: 'Hobart', customer_id: company.id })
  const alone = await crm.contact({ city: 'Hobart' })
  const deal = created(await crm.ws.post('/opportunities', { name: 'Deal', customer_id: company.id }))
  created(await crm.ws.post(`/opportunities/${deal.id}/contacts`, { contact_id: contact.id }))
  found(await crm.ws.patch(`/opportunities/${deal.id}`, { value: 5 }))
  await settle()
  expect((await latest(ofContact, `contact_id=${contact.id}`, 'contact.created')).failed).toEqual({
    path: 'conditions.0.filter',
    expected: industry,
    actual: { 'company.industry': ['Construction'] },
  })
  expect((await latest(ofContact, `contact_id=${alone.id}`, 'contact.created')).failed).toMatchObject({
    actual: { 'company.industry': [] },
  })
  expect((await latest(ofDeal, `opportunity_id=${deal.id}`, 'opportunity.updated')).failed).toMatchObject({
    actual: { 'contacts.city': ['Hobart'], company: [company.id] },
  })
})

test('an explanation takes the right to read the records', async () => {
  const automation = await published({
    trigger: { type: 'event', event_types: ['task.created'] },
    conditions: [{ on: 'company', filter: { field: 'industry', op: 'eq', value: 'Mining' } }],
    steps: [],
  })
  const contact = await crm.contact()
  const blind = await crm.ws.key({ scopes: ['automations:read', 'contacts:read', 'opportunities:read'] })
  expect(await blind.get(`/automations/${automation.id}/explain?contact_id=${contact.id}`)).toMatchObject({ status: 403 })
})

test('what an event says of a record that the reader may not read is left out', async () => {
  const trigger = { type: 'event', event_types: ['task.created'] }
  const secret = { field: 'payload.title', op: 'eq', value: 'Secret' }
  const [byCondition, bySetting] = await Promise.all([
    published({ trigger, conditions: [{ on: 'trigger', filter: secret }], steps: [] }),
    published({ trigger: { ...trigger, where: secret }, steps: [] }),
  ])
  const contact = await crm.contact()
  created(await crm.ws.post('/tasks', { title: 'Pay the ransom', contact_id: contact.id }))
  await settle()
  const partial = await crm.ws.key({ scopes: ['automations:read', 'contacts:read', 'companies:read', 'opportunities:read'] })
  for (const [automation, path] of [
    [byCondition, 'conditions.0.filter'],
    [bySetting, 'trigger.where'],
  ] as const) {
    const explained = async (reader: typeof partial) => {
      const events: Row[] = found(await reader.get(`/automations/${automation.id}/explain?contact_id=${contact.id}`))
      return events.find(({ type }) => type === 'task.created')?.failed
    }
    expect(await explained(crm.ws)).toEqual({ path, expected: secret, actual: 'Pay the ransom' })
    expect(await explained(partial)).toEqual({ path, expected: secret, actual: null })
  }
})
