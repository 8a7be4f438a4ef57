import { expect, test } from 'vitest'
import { created, failed, found, nobody, type Row, refused, useCrm } from '../crm.ts'

const crm = useCrm()
const add = async (fields: Row) => created(await crm.ws.post('/lead-gen/results', { name: 'Ana Silva', ...fields }))
const get = async (id: string) => found(await crm.ws.get(`/lead-gen/results/${id}`))
const convert = (lead_result_ids: string[], fields: Row = {}) => crm.ws.post('/lead-gen/results/convert', { lead_result_ids, ...fields })
const list = async (path: string) => found(await crm.ws.get(path))

test('a result is added, read, changed, listed and deleted', async () => {
  const lead = await add({ email: 'Ana@Harbour-One.example', phone: '0412 345 678', source: 'Trade fair', source_id: 'stand-214' })
  expect(lead).toMatchObject({
    email: 'ana@harbour-one.example',
    phone: '+61412345678',
    status: 'new',
    consent_basis: 'none',
    matched_by: null,
  })
  expect(await get(lead.id)).toEqual(lead)
  const changed = found(await crm.ws.patch(`/lead-gen/results/${lead.id}`, { consent_basis: 'consent', city: 'Newcastle' }))
  expect(changed).toMatchObject({ consent_basis: 'consent', city: 'Newcastle', email: lead.email, version: 2 })
  const other = await add({ name: 'Bo Lind' })
  const ids = async (query: string) => (await list(`/lead-gen/results?${query}`)).map(({ id }: Row) => id)
  expect(await ids('source=Trade%20fair')).toEqual([lead.id])
  expect(await ids('consent_basis=none')).toEqual([other.id])
  expect(await ids('search=silva')).toEqual([lead.id])
  found(await crm.ws.delete(`/lead-gen/results/${lead.id}`))
  expect(await crm.ws.get(`/lead-gen/results/${lead.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('what cannot be stored is refused, with the field', async () => {
  const post = (fields: Row) => crm.ws.post('/lead-gen/results', { name: 'Ana', ...fields })
  expect(await crm.ws.post('/lead-gen/results', {})).toMatchObject(refused('name'))
  expect(await post({ phone: '12' })).toMatchObject(refused('phone'))
  expect(await post({ email: 'ana' })).toMatchObject(refused('email'))
  expect(await post({ website: 'javascript:alert(1)' })).toMatchObject(refused('website'))
  expect(await post({ consent_basis: 'maybe' })).toMatchObject(refused('consent_basis'))
  expect(await convert([nobody])).toMatchObject(refused('lead_result_ids.0'))
  expect(await convert([])).toMatchObject(refused('lead_result_ids'))
})

test('a duplicate is found by the surest value that both have', async () => {
  const first = await add({ email: 'ana@two.example', phone: '+61412000001', website: 'https://www.two.example/team', city: 'Perth' })
  const of = (lead: Row, matched_by: string) => expect(lead).toMatchObject({ status: 'duplicate', duplicate_of_id: first.id, matched_by })
  of(await add({ name: 'A. Silva', email: 'ANA@two.example' }), 'email')
  of(await add({ name: 'Silva', phone: '0412 000 001' }), 'phone')
  of(await add({ name: 'Two Pty Ltd', website: 'http://two.example' }), 'website')
  of(await add({ name: 'ana  silva', city: 'PERTH' }), 'name_and_city')
  // The same business, but another person: the addresses decide.
  expect(await add({ name: 'Bo', email: 'bo@two.example', website: 'https://two.example' })).toMatchObject({
    status: 'new',
    matched_by: null,
  })
  expect(await add({ city: 'Sydney' })).toMatchObject({ status: 'new' })
  expect(await add({ name: 'Two', website: 'https://facebook.com/two' })).toMatchObject({ status: 'new' })
})

test('of two that are added at the same time, one is the duplicate of the other', async () => {
  const leads = await Promise.all(Array.from({ length: 6 }, () => add({ email: 'race@three.example' })))
  expect(leads.filter(({ status }) => status === 'new')).toHaveLength(1)
})

test('a result that is a contact names it', async () => {
  const ana = await crm.contact({ email: 'ana@four.example', phone: '+61412000004', last_name: 'Silva', city: 'Hobart' })
  expect(await add({ email: 'ana@four.example' })).toMatchObject({ status: 'new', contact_id: ana.id, matched_by: 'email' })
  const second = await crm.contact({ first_name: 'Bo', phone: '+61412000005' })
  expect(await add({ name: 'B', phone: '0412 000 005' })).toMatchObject({ contact_id: second.id, matched_by: 'phone' })
  expect(await add({ city: 'Hobart' })).toMatchObject({ contact_id: ana.id, matched_by: 'name_and_city' })
  expect(await add({ name: 'Eve', phone: '+61412000004', email: 'eve@four.example' })).toMatchObject({ contact_id: null })
})

test('results are converted to contacts, companies and opportunities, once', async () => {
  const known = await crm.contact({ email: 'kim@five.example' })
  const [ana, bo, kim] = [
    await add({ name: 'Ana Maria Silva', email: 'ana@five.example', company_name: 'Five', website: 'https://five.example', city: 'Perth' }),
    await add({ name: 'Bo', email: 'bo@five.example', company_name: 'Five Pty', website: 'https://www.five.example' }),
    await add({ name: 'Kim', email: 'kim@five.example' }),
  ] as [Row, Row, Row]
  const ids = [ana.id, bo.id, kim.id]
  const { results } = found(await convert(ids))
  expect(results.map(({ id, status }: Row) => [id, status])).toEqual(ids.map((id) => [id, 'converted']))
  expect(results[0].customer_id).toBe(results[1].customer_id)
  expect(results[2]).toMatchObject({ contact_id: known.id, customer_id: null })
  const person = found(await crm.ws.get(`/contacts/${results[0].contact_id}`))
  expect(person).toMatchObject({ first_name: 'Ana Maria', last_name: 'Silva', email: 'ana@five.example', city: 'Perth' })
  expect(person.company).toMatchObject({ id: results[0].customer_id, name: 'Five' })
  const deal = found(await crm.ws.get(`/opportunities/${results[0].opportunity_id}`))
  expect(deal).toMatchObject({ name: 'Five', customer_id: results[0].customer_id })
  expect(deal.contacts).toMatchObject([{ contact_id: person.id }])
  expect(found(await convert(ids)).results).toEqual(results)
  expect([await crm.count('contacts'), await crm.count('companies'), await crm.count('opportunities')]).toEqual([3, 1, 3])
  expect(await crm.ws.patch(`/lead-gen/results/${ana.id}`, { status: 'rejected' })).toMatchObject(failed(409, 'INVALID_STATE'))
})

test('a company is known by its website, or by its name where the result has no website or that of nobody', async () => {
  const acme = await crm.company('Acme')
  const bolt = created(await crm.ws.post('/companies', { name: 'Bolt', website_url: 'https://bolt.example' })).id
  const leads = [
    await add({ name: 'Ana', company_name: 'acme' }),
    await add({ name: 'Bo', company_name: 'Acme', website: 'https://nobody.example' }),
    await add({ name: 'Cy', company_name: 'Acme', website: 'https://www.bolt.example' }),
  ]
  const { results } = found(await convert(leads.map(({ id }) => id)))
  expect(results.map(({ customer_id }: Row) => customer_id)).toEqual([acme, acme, bolt])
})

test('conversions at the same time make one contact, and a duplicate is not converted', async () => {
  const { id } = await add({ email: 'ana@six.example' })
  const answers = await Promise.all(Array.from({ length: 5 }, () => convert([id])))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect([await crm.count('contacts'), await crm.count('opportunities')]).toEqual([1, 1])
  const again = await add({ email: 'ana@six.example' })
  expect(again.status).toBe('duplicate')
  expect(await convert([again.id])).toMatchObject(failed(409, 'INVALID_STATE'))
  found(await crm.ws.patch(`/lead-gen/results/${again.id}`, { status: 'new' }))
  expect(found(await convert([again.id], { create_opportunities: false })).results[0]).toMatchObject({ opportunity_id: null })
  expect(await crm.count('contacts')).toBe(1)
})

test('a hundred are converted in one call', async () => {
  const leads = await Promise.all(Array.from({ length: 100 }, (_, n) => add({ name: `Lead ${n}`, email: `n${n}@seven.example` })))
  expect(found(await convert(leads.map(({ id }) => id))).results).toHaveLength(100)
  expect([await crm.count('contacts'), await crm.count('opportunities')]).toEqual([100, 100])
}, 60_000)

test('a pipeline of another workspace is refused, also where no opportunity is made', async () => {
  const { id } = await add({ email: 'ana@ten.example' })
  const other = await crm.app.workspace()
  const [foreign, own] = [found(await other.get('/pipelines'))[0], found(await crm.ws.get('/pipelines'))[0]]
  const fields = { create_opportunities: false }
  expect(await convert([id], { ...fields, pipeline_id: foreign?.id })).toMatchObject(refused('pipeline_id'))
  expect(await crm.count('contacts')).toBe(0)
  found(await convert([id], { ...fields, pipeline_id: own?.id }))
  expect(await convert([id], { pipeline_id: foreign?.id })).toMatchObject(refused('pipeline_id'))
})

test('all are converted, or none', async () => {
  await crm.ws.post('/custom-fields', { object: 'contact', key: 'vat', label: 'VAT', type: 'text', required: true })
  const { id } = await add({ email: 'ana@eight.example', company_name: 'Eight' })
  expect(await convert([id])).toMatchObject(refused('lead_result_ids.0'))
  expect(await crm.count('companies')).toBe(0)
})

test('nothing crosses workspaces', async () => {
  const { id } = await add({ email: 'ana@nine.example' })
  const other = await crm.app.workspace()
  expect(await other.get(`/lead-gen/results/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await other.post('/lead-gen/results/convert', { lead_result_ids: [id] })).toMatchObject(refused('lead_result_ids.0'))
  expect(created(await other.post('/lead-gen/results', { name: 'Ana', email: 'ana@nine.example' })).status).toBe('new')
})
