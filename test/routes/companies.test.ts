import { expect, test } from 'vitest'
import { created, failed, found, held, ids, nobody, type Row, refused, useCrm, uuid } from './crm.ts'

const crm = useCrm()

const company = async (fields: Row = {}) => created(await crm.ws.post('/companies', { name: 'Harbour Renovations', ...fields }))
const foreign = async (fields: Row = {}) =>
  created(await (await crm.app.workspace()).post('/companies', { name: 'Theirs', ...fields })).id as string
const patch = (id: string, fields: Row) => crm.ws.patch(`/companies/${id}`, fields)
const traces = async () => [await crm.count('companies'), await crm.count('changes'), await crm.count('outbox')]

const EMPTY = {
  description: null,
  email: null,
  phone: null,
  website_url: null,
  domains: [],
  industry: null,
  account_type: null,
  abn: null,
  address_line1: null,
  address_line2: null,
  city: null,
  state: null,
  postal_code: null,
  country: null,
  timezone: null,
  founded_year: null,
  annual_revenue: null,
  employee_count: null,
  parent_company_id: null,
  assigned_to: null,
  tags: [],
  notes: null,
  metadata: {},
  external_id: null,
  archived: false,
  version: 1,
}

test('a name is enough for a company', async () => {
  const answer = await crm.ws.post('/companies', { name: '  Harbour Renovations ' })
  const made = created(answer)
  expect(made).toEqual({ id: uuid, name: 'Harbour Renovations', ...EMPTY, created_at: made.created_at, updated_at: made.created_at })
  expect(answer.headers.get('location')).toBe(`/v1/companies/${made.id}`)
  expect(answer.headers.get('etag')).toBe('"1"')
  expect(found(await crm.ws.get(`/companies/${made.id}`))).toEqual(made)
  expect(await crm.ws.post('/companies', { name: ' ' })).toMatchObject(refused('name'))
  expect(await crm.ws.post('/companies', {})).toMatchObject(refused('name'))
})

test('every field is stored as sent, or normalised', async () => {
  const parent_company_id = (await company({ name: 'Holding' })).id
  const sent = {
    description: 'Builds\ndecks',
    email: 'Office@Harbour.example',
    phone: '(02) 9374 4000',
    website_url: 'https://harbour.example',
    industry: 'Construction',
    account_type: 'Customer',
    abn: '51 824 753 556',
    address_line1: '12 Bridge Street',
    address_line2: 'Suite 4',
    city: 'Newcastle',
    state: 'NSW',
    postal_code: '2300',
    country: 'Australia',
    timezone: 'NSW',
    founded_year: 1998,
    annual_revenue: 1250000.5,
    employee_count: 0,
    parent_company_id,
    assigned_to: crm.ws.userId,
    notes: '  as sent ',
    metadata: { tier: 'gold' },
    external_id: 'hub-1',
  }
  const made = await company(sent)
  expect(made).toMatchObject({ ...sent, email: 'office@harbour.example', phone: '+61293744000', timezone: 'Australia/Sydney' })
  const cleared = Object.fromEntries(
    Object.keys(sent)
      .filter((name) => name !== 'metadata')
      .map((name) => [name, null]),
  )
  expect(found(await patch(made.id, { ...cleared, metadata: { tier: null } }))).toMatchObject({ ...EMPTY, version: 2 })
})

test.each([
  [{ country: 'New Zealand', phone: '09 377 1234' }, '+6493771234'],
  [{ country: 'US', phone: '(415) 555-2671' }, '+14155552671'],
  [{ phone: '02 9374 4000' }, '+61293744000'],
  [{ phone: '+44 20 7946 0958' }, '+442079460958'],
])('%j has the number %s', async (fields, phone) => {
  expect(await company(fields)).toMatchObject({ phone })
})

test('an update reads a national number and a state by the country that is stored, or by the one it sends', async () => {
  const { id } = await company({ country: 'New Zealand' })
  expect(found(await patch(id, { phone: '09 377 1234' }))).toMatchObject({ phone: '+6493771234' })
  expect(found(await patch(id, { timezone: 'Otago' }))).toMatchObject({ timezone: 'Pacific/Auckland' })
  expect(found(await patch(id, { phone: '02 9374 4000', country: 'Australia' }))).toMatchObject({ phone: '+61293744000' })
  expect(await patch(id, { phone: '12', timezone: 'Mars' })).toMatchObject(refused('phone', 'timezone'))
})

test('metadata merges, and null removes a name', async () => {
  const { id } = await company({ metadata: { tier: 'gold', region: { code: 1 }, old: true } })
  const merged = found(await patch(id, { metadata: { region: { name: 'North' }, old: null, extra: [1] } }))
  expect(merged.metadata).toEqual({ tier: 'gold', region: { name: 'North' }, extra: [1] })
})

test.each([
  [{ email: 'x' }, 'email'],
  [{ website_url: 'harbour' }, 'website_url'],
  [{ founded_year: 12 }, 'founded_year'],
  [{ annual_revenue: -1 }, 'annual_revenue'],
  [{ annual_revenue: 1.234 }, 'annual_revenue'],
  [{ employee_count: 1.5 }, 'employee_count'],
  [{ metadata: [] }, 'metadata'],
  [{ parent_company_id: 'x' }, 'parent_company_id'],
  [{ zork: 1 }, 'zork'],
  [{ archived: true }, 'archived'],
])('%j is refused, naming %s', async (fields, path) => {
  expect(await crm.ws.post('/companies', { name: 'X', ...fields })).toMatchObject(refused(path))
})

test('references lead to records of this workspace', async () => {
  const { id } = await company()
  const before = await traces()
  const other = await crm.app.workspace()
  for (const parent_company_id of [nobody, await foreign()]) {
    expect(await crm.ws.post('/companies', { name: 'X', parent_company_id })).toMatchObject(refused('parent_company_id'))
    expect(await patch(id, { parent_company_id })).toMatchObject(refused('parent_company_id'))
  }
  for (const assigned_to of [nobody, other.userId, await crm.formerMember()]) {
    expect(await crm.ws.post('/companies', { name: 'X', assigned_to })).toMatchObject(refused('assigned_to'))
    expect(await patch(id, { assigned_to })).toMatchObject(refused('assigned_to'))
  }
  expect((await traces())[0]).toBe(before[0])
})

test('who was removed keeps what they look after, and may be sent again, but gets nothing new', async () => {
  const { userId } = await crm.ws.key()
  const { id } = await company({ assigned_to: userId })
  found(await crm.ws.delete(`/company/users/${userId}`))
  expect(found(await patch(id, { assigned_to: userId, name: 'Renamed' }))).toMatchObject({ assigned_to: userId, name: 'Renamed' })
  expect(await patch((await company()).id, { assigned_to: userId })).toMatchObject(refused('assigned_to'))
})

test('an external_id is there once in a workspace', async () => {
  await company({ external_id: 'a-1' })
  await foreign({ external_id: 'b-1' })
  expect(await crm.ws.post('/companies', { name: 'X', external_id: 'a-1' })).toMatchObject(failed(409, 'CONFLICT'))
  expect(await patch((await company({ external_id: 'b-1' })).id, { external_id: 'a-1' })).toMatchObject(failed(409, 'CONFLICT'))
})

test('no company comes to be above itself', async () => {
  const [a, b, c] = [(await company()).id, (await company()).id, (await company()).id]
  found(await patch(b, { parent_company_id: a }))
  found(await patch(c, { parent_company_id: b }))
  for (const parent_company_id of [a, b, c]) expect(await patch(a, { parent_company_id })).toMatchObject(refused('parent_company_id'))
  found(await patch(c, { parent_company_id: null }))
  found(await patch(a, { parent_company_id: c }))
})

test('two companies moved under one another at once do not make a circle', async () => {
  for (let round = 0; round < 5; round++) {
    const [a, b] = [(await company()).id, (await company()).id]
    const answers = await Promise.all([patch(a, { parent_company_id: b }), patch(b, { parent_company_id: a })])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  }
})

test('a chain of companies has an end', async () => {
  let parent_company_id: string | null = null
  for (let level = 0; level < 50; level++) parent_company_id = (await company({ parent_company_id })).id
  const { id } = await company()
  expect(await patch(id, { parent_company_id })).toMatchObject(refused('parent_company_id'))
})

test('If-Match guards an update and a deletion against a change in between', async () => {
  const { id } = await company()
  found(await crm.ws.patch(`/companies/${id}`, { name: 'B' }, { 'if-match': '"1"' }))
  expect(await crm.ws.patch(`/companies/${id}`, { name: 'C' }, { 'if-match': '"1"' })).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
  expect(await crm.ws.delete(`/companies/${id}`, { 'if-match': '"1"' })).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
  found(await crm.ws.delete(`/companies/${id}`, { 'if-match': '"2"' }))
})

test('each change has its event, and its row in the history, which outlives the company', async () => {
  const { id } = await company({ industry: 'Retail' })
  found(await patch(id, { industry: 'Construction', notes: 'x' }))
  found(await patch(id, { industry: 'Construction' }))
  found(await crm.ws.delete(`/companies/${id}`))
  expect((await crm.events(id)).map(({ type }) => type)).toEqual(['company.created', 'company.updated', 'company.deleted'])
  const history = found(await crm.ws.get(`/companies/${id}/history`))
  expect(history.map(({ action, version }) => [action, version])).toEqual([
    ['deleted', 3],
    ['updated', 2],
    ['created', 1],
  ])
  expect(history[1]!.fields).toEqual({ industry: { before: 'Retail', after: 'Construction' }, notes: { before: null, after: 'x' } })
})

test('a deletion leaves the people, without the link; their next company becomes the main one', async () => {
  const [first, second] = [(await company()).id, (await company()).id]
  const { id } = await crm.contact({ customer_id: first, is_primary: true })
  const only = await crm.contact({ customer_id: first })
  await crm.ws.post(`/contacts/${id}/employers/${second}`)
  found(await crm.ws.delete(`/companies/${first}`))
  expect(await crm.ws.get(`/companies/${first}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.delete(`/companies/${first}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(found(await crm.ws.get(`/contacts/${id}`))).toMatchObject({ customer_id: second, is_primary: false })
  expect(found(await crm.ws.get(`/contacts/${only.id}`))).toMatchObject({ customer_id: null, company: null })
})

test('a company that others refer to is not deleted', async () => {
  const { id } = await company()
  const child = await company({ parent_company_id: id })
  expect(await crm.ws.delete(`/companies/${id}`)).toMatchObject({
    status: 409,
    body: { error: { code: 'CONFLICT', details: { referenced_by: 'companies' } } },
  })
  found(await crm.ws.delete(`/companies/${child.id}`))
  const deal = await crm.opportunity({ customer_id: id })
  expect(await crm.ws.delete(`/companies/${id}`)).toMatchObject({
    status: 409,
    body: { error: { details: { referenced_by: 'opportunities' } } },
  })
  found(await crm.ws.delete(`/opportunities/${deal.id}`))
  found(await crm.ws.delete(`/companies/${id}`))
})

test('a company about to be deleted gets no new subsidiary at the same time', async () => {
  for (let round = 0; round < 5; round++) {
    const { id } = await company()
    const [removal, child] = await Promise.all([
      crm.ws.delete(`/companies/${id}`),
      crm.ws.post('/companies', { name: 'X', parent_company_id: id }),
    ])
    expect([
      [200, 400],
      [409, 201],
    ]).toContainEqual([removal.status, child.status])
  }
})

test('the older path answers the same and names its successor', async () => {
  const { id } = await company()
  const answer = await crm.ws.get(`/customers/${id}`)
  expect(answer.body).toEqual((await crm.ws.get(`/companies/${id}`)).body)
  expect(answer.headers.get('deprecation')).toBe('true')
  expect(answer.headers.get('link')).toBe(`</v1/companies/${id}>; rel="successor-version"`)
  expect(found(await crm.ws.patch(`/customers/${id}`, { name: 'Renamed' }))).toMatchObject({ name: 'Renamed' })
})

test('a write may be held for approval or tried out, and then nothing has happened', async () => {
  const { id } = await company()
  const before = await traces()
  expect(await crm.ws.post('/companies', { name: 'X', require_approval: true })).toMatchObject(held)
  expect(await crm.ws.delete(`/companies/${id}?require_approval=true`)).toMatchObject(held)
  expect(await crm.ws.patch(`/companies/${id}?dry_run=true`, { name: 'Y' })).toMatchObject({
    status: 200,
    body: { data: { name: 'Y' }, dry_run: { events: [{ type: 'company.updated' }] } },
  })
  const [companies] = before
  expect(await crm.count('companies')).toBe(companies)
  expect(ids(found(await crm.ws.get('/companies?archived=all')))).toEqual([id])
})
