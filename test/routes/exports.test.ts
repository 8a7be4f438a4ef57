import { describe, expect, test } from 'vitest'
import { failed, found, type Row, refused, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm()
const { imported } = useImports(crm)

const read = (answer: { status: number; body: string }): string[] => {
  expect(answer.status, answer.body).toBe(200)
  return answer.body.replace('\uFEFF', '').trimEnd().split('\r\n')
}
const exported = async (path: string) => read(await crm.ws.get(path))

describe('an export', () => {
  test('has the records of the list, by its filters, search and sort', async () => {
    const company = await crm.company('Acme')
    await crm.contact({ first_name: 'Ana', email: 'ana@example.com', customer_id: company })
    await crm.contact({ first_name: 'Bo', contact_type: 'Press' })
    await crm.contact({ first_name: 'Cy', contact_type: 'Press' })
    const answer = await crm.ws.get('/contacts/export?fields=first_name,company,email&sort=name')
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="contacts-\d{4}-\d\d-\d\d\.csv"; filename\*=UTF-8''contacts-\d{4}-\d\d-\d\d\.csv$/,
    )
    const bytes = await crm.app.fetch('/v1/contacts/export', { headers: { authorization: `Bearer ${crm.ws.apiKey}` } })
    expect([...new Uint8Array(await bytes.arrayBuffer()).slice(0, 3)], 'a byte order mark').toEqual([0xef, 0xbb, 0xbf])
    expect(read(answer)).toEqual(['first_name,company,email', 'Ana,Acme,ana@example.com', 'Bo,,', 'Cy,,'])
    expect(await exported('/contacts/export?fields=first_name&contact_type=Press&sort=-name')).toEqual(['first_name', 'Cy', 'Bo'])
    expect(await exported('/contacts/export?fields=first_name&search=ana')).toEqual(['first_name', 'Ana'])
    const filter = { has: 'company', where: { field: 'name', op: 'eq', value: 'acme' } }
    expect(read(await crm.ws.post('/contacts/export', { filter, fields: ['first_name'] }))).toEqual(['first_name', 'Ana'])
  })

  test('includes the names of referenced records, also in a search', async () => {
    await crm.ws.post('/companies', { name: 'Beta works', parent_company_id: await crm.company('Acme') })
    await crm.app.owner.query("insert into companies (workspace_id, name) select $1, 'Company ' || n from generate_series(1, 1200) n", [
      crm.ws.id,
    ])
    expect(await exported('/companies/export?fields=name,parent_company&search=beta')).toEqual(['name,parent_company', 'Beta works,Acme'])
  })

  test('streams all pages, and reports a truncation', async () => {
    await crm.app.owner.query("insert into contacts (workspace_id, first_name) select $1, 'Person ' || n from generate_series(1, 2503) n", [
      crm.ws.id,
    ])
    const whole = await crm.ws.get('/contacts/export?fields=id&bom=false')
    expect(whole.headers.get('x-truncated')).toBeNull()
    expect(new Set(read(whole)).size).toBe(2504)
    const cut = await crm.ws.get('/contacts/export?fields=id&limit=1500')
    expect(cut.headers.get('x-truncated')).toBe('1')
    expect(read(cut)).toHaveLength(1501)
    expect((await crm.ws.get('/contacts/export?fields=id&limit=2503')).headers.get('x-truncated')).toBeNull()
  })

  test('is safe in a spreadsheet, and usable there', async () => {
    await crm.contact({ first_name: '=HYPERLINK("http://x")', last_name: '@SUM(1)', phone: '+61412345678', notes: '-5', job_title: '-x' })
    expect(await exported('/contacts/export?fields=first_name,last_name,phone,notes,job_title')).toEqual([
      'first_name,last_name,phone,notes,job_title',
      `"'=HYPERLINK(""http://x"")",'@SUM(1),+61412345678,-5,'-x`,
    ])
  })

  test('reports an unknown field, and requires the scopes of the filtered records', async () => {
    expect(await crm.ws.get('/contacts/export?fields=zork')).toMatchObject(refused('fields'))
    const own = await crm.ws.key({ scopes: ['contacts:read'] })
    const filter = { has: 'company', where: { field: 'name', op: 'eq', value: 'acme' } }
    expect(await own.post('/contacts/export', { filter })).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
    expect(await crm.ws.post('/contacts/export', { limit: 250_001 })).toMatchObject(refused('limit'))
  })

  test('is JSON lines too', async () => {
    await crm.opportunity({ name: 'Deal', value: 12.5, tags: [{ name: 'VIP' }] })
    const { body, headers } = await crm.ws.get('/opportunities/export?format=jsonl&fields=name,value,tags,stage,pipeline')
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    expect(JSON.parse(body)).toEqual({
      name: 'Deal',
      value: 12.5,
      tags: [{ name: 'VIP', color: null }],
      stage: 'New',
      pipeline: 'Sales pipeline',
    })
  })
})

const own = ({ id: _, version: __, created_at: ___, updated_at: ____, ...row }: Row) => row
const rowsOf = async (object: string) => found(await crm.ws.get(`/${object}?sort=created_at&limit=100`)).map(own)

test('an export can be imported unchanged', async () => {
  for (const [key, type, more] of [
    ['tier', 'select', { options: ['Gold', 'Silver; old'] }],
    ['areas', 'multi_select', { options: ['North', 'South; East'] }],
    ['score', 'number', {}],
    ['met', 'date', {}],
    ['vip', 'boolean', {}],
    ['memo', 'long_text', {}],
  ] as const)
    await crm.ws.post('/custom-fields', { object: 'contact', key, label: key, type, ...more })
  await crm.company('Acme, "Ltd"')
  const [company] = found(await crm.ws.get('/companies'))
  await crm.leadSource('Trade fair')
  const [source] = found(await crm.ws.get('/lead-sources'))
  await crm.contact({
    first_name: "'=odd",
    last_name: '=1+1',
    email: 'ana@example.com',
    alternate_emails: ['a@example.com', 'b@example.com'],
    phone: '+61412345678',
    alternate_phones: ['+61498765432', '+442079460018'],
    landline: '+61293744000',
    notes: ' two\r\nlines, "quoted" \n',
    customer_id: company?.id,
    source_id: source?.id,
    date_of_birth: '1980-02-29',
    is_primary: true,
    sms_unsubscribed: true,
    relationship_started_at: '2024-07-01T09:30:00.123Z',
    timezone: 'Australia/Perth',
    postal_code: '0800',
    external_id: '007',
    source: 'api',
    country: 'New Zealand',
    metadata: { tier: 'Silver; old', areas: ['North', 'South; East'], score: -1.5, met: '2026-01-31', vip: false, memo: '-dash\n' },
  })
  await crm.contact({ first_name: 'Bo', country: '' })
  const before = await rowsOf('contacts')
  const file = (await crm.ws.get('/contacts/export?sort=created_at')).body
  for (const { id } of found(await crm.ws.get('/contacts'))) await crm.ws.delete(`/contacts/${id}`)
  const run = await imported(file)
  expect(run).toMatchObject({ state: 'finished', object: 'contacts', progress: { created: 2, failed: 0 } })
  const after = await rowsOf('contacts')
  const started = { relationship_started_at: expect.any(String) }
  expect(after).toEqual(before.map((row, at) => (at === 0 ? row : { ...row, ...started })))
})

test('so can opportunities and companies', async () => {
  const parent = await crm.company('Acme')
  await crm.ws.post('/companies', {
    name: 'Beta',
    parent_company_id: parent,
    annual_revenue: 1250.5,
    assigned_to: crm.ws.userId,
    founded_year: 1998,
    website_url: 'https://b.example.com',
  })
  const { stages } = await crm.firstPipeline()
  await crm.offerReasons(['Price', 'Timing'])
  await crm.opportunity({
    name: 'Lost deal',
    value: 4821.5,
    customer_id: parent,
    stage_id: stages.Lost,
    lost_reasons: ['Price', 'Timing'],
    closed_at: '2017-03-01',
    opened_at: '2016-10-20',
    tags: [{ name: 'VIP' }, { name: 'Old; new' }],
    assigned_to: crm.ws.userId,
  })
  await crm.opportunity({ name: 'Open deal', expected_close_date: '2027-01-31', next_action_at: '2026-12-01T09:00:00Z' })
  const stamps = ({ stage_entered_at: _, ...row }: Row) => row
  const before = (await rowsOf('opportunities')).map(stamps)
  const files = {
    companies: (await crm.ws.get('/companies/export?sort=created_at')).body,
    opportunities: (await crm.ws.get('/opportunities/export?sort=created_at')).body,
  }
  for (const { id } of found(await crm.ws.get('/opportunities'))) await crm.ws.delete(`/opportunities/${id}`)
  expect(await imported(files.opportunities)).toMatchObject({ object: 'opportunities', progress: { created: 2, failed: 0 } })
  expect((await rowsOf('opportunities')).map(stamps)).toEqual(before)

  const companies = await rowsOf('companies')
  await crm.ws.post('/companies/bulk-update', {
    records: found(await crm.ws.get('/companies')).map(({ id }) => ({ id, industry: 'Odd', parent_company_id: null })),
  })
  expect(await imported(files.companies, { mode: 'update', match_by: 'id', clear_empty: true })).toMatchObject({
    progress: { updated: 2, failed: 0 },
  })
  expect(await rowsOf('companies')).toEqual(companies)
})
