import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { created, failed, found, type Row, refused } from './crm.ts'

let app: Harness
let ws: TestWorkspace
const id: Record<string, string> = {}

const add = async (path: string, name: string, fields: Row, workspace = ws) => {
  const row = created(await workspace.post(path, fields))
  if (workspace === ws) id[name] = row.id
}
const company = (name: string, fields: Row = {}, workspace = ws) => add('/companies', name, { name, ...fields }, workspace)
const contact = (name: string, fields: Row = {}, workspace = ws) => add('/contacts', name, { first_name: name, ...fields }, workspace)
const deal = (name: string, fields: Row = {}, workspace = ws) => add('/opportunities', name, { name, ...fields }, workspace)
const activity = (name: string, fields: Row) => add('/activities', name, { activity_type: 'note', ...fields })

/** Behind every trigger's back. */
async function backdate(table: string, name: string, fields: Row): Promise<void> {
  const client = await app.owner.connect()
  const sets = Object.keys(fields).map((column, index) => `${column} = $${index + 2}`)
  await client.query('begin; set local session_replication_role = replica')
  await client.query(`update ${table} set ${sets} where id = $1`, [id[name], ...Object.values(fields)])
  await client.query('commit')
  client.release()
}

const field = (fields: Row, workspace = ws) => workspace.post('/custom-fields', fields)
const CUSTOM = [
  { object: 'contact', key: 'tier', label: 'Tier', type: 'select', options: ['Gold', 'Silver'] },
  { object: 'contact', key: 'score', label: 'Score', type: 'number' },
  { object: 'contact', key: 'since', label: 'Since', type: 'date' },
  { object: 'contact', key: 'vip', label: 'VIP', type: 'boolean' },
  { object: 'contact', key: 'likes', label: 'Likes', type: 'multi_select', options: ['Red', 'Blue', 'Green'] },
  { object: 'contact', key: 'code', label: 'Code', type: 'text' },
  { object: 'contact', key: 'mobile', label: 'Mobile', type: 'phone' },
  { object: 'contact', key: 'story', label: 'Story', type: 'long_text' },
  { object: 'opportunity', key: 'region', label: 'Region', type: 'text' },
]

beforeAll(async () => {
  app = await start()
  const other = await app.workspace()
  ws = await app.workspace()
  for (const workspace of [ws, other]) for (const definition of CUSTOM) created(await field(definition, workspace))
  await company('Acme', { industry: 'Construction', annual_revenue: 1000000.5, employee_count: 10, founded_year: 1998 })
  await company('Bolt', { industry: 'Retail', parent_company_id: id.Acme })
  await contact('Ana', {
    last_name: 'O’Brien 100%',
    city: 'Sydney',
    email: 'ana@x.co',
    alternate_emails: ['ana@home.co'],
    phone: '0412 345 678',
    contact_type: 'Customer',
    date_of_birth: '1990-05-01',
    is_referrer: true,
    customer_id: id.Acme,
    metadata: {
      tier: 'Gold',
      score: 10,
      since: '2026-01-15',
      vip: true,
      likes: ['Red', 'Blue'],
      code: 'A_1',
      mobile: '+61 (400) 111-222',
      story: 'Long',
    },
  })
  await contact('Ben', {
    city: 'SYDNEY',
    contact_type: 'Lead',
    source: 'api',
    customer_id: id.Bolt,
    metadata: { tier: 'Silver', score: -3.5, since: '2026-03-01', vip: false, likes: ['Blue'], code: 'Axb', free: 'x' },
  })
  await contact('Cleo', { notes: 'Perth or Hobart', metadata: { score: 1e12 } })
  await contact('Dan', { city: 'Perth' })
  found(await ws.patch(`/contacts/${id.Dan}`, { archived: true }))
  await deal('Deck', {
    value: 1000.1,
    customer_id: id.Acme,
    contacts: [{ contact_id: id.Ana }],
    tags: [{ name: 'VIP' }, { name: 'Hot, very' }],
    expected_close_date: '2026-06-30',
    metadata: { region: 'North' },
  })
  await deal('Roof', { value: 50, customer_id: id.Bolt, contacts: [{ contact_id: id.Ana }], tags: [{ name: 'cold' }] })
  await deal('Shed', { value: 0, contacts: [{ contact_id: id.Ben }] })
  found(await ws.patch(`/opportunities/${id.Shed}`, { archived: true }))
  const [pipeline] = found(await ws.get('/pipelines'))
  const won = (pipeline as Row).stages.find((stage: Row) => stage.kind === 'won')
  found(await ws.post(`/opportunities/${id.Roof}/move`, { stage_id: won.id }))
  await activity('call', { contact_id: id.Ana, activity_type: 'call', occurred_at: '2026-01-10T00:00:00Z' })
  await activity('note', { contact_id: id.Ben, deal_id: id.Deck, occurred_at: '2026-03-01T00:00:00Z' })
  await backdate('contacts', 'Ana', { created_at: '2026-03-31T13:30:00Z', relationship_started_at: '2026-03-31T12:30:00Z' })
  await backdate('contacts', 'Ben', { created_at: '2026-04-02T00:00:00Z', relationship_started_at: null })
  await contact('Eve', { city: 'Sydney', email: 'ana@x.co', metadata: { tier: 'Gold', score: 10, vip: true, code: 'A_1' } }, other)
  await deal('Elsewhere', { value: 1000.1, tags: [{ name: 'VIP' }] }, other)
})
afterAll(() => app.close())

async function names(object: 'contacts' | 'companies' | 'opportunities', filter: unknown, more: Row = {}): Promise<string[]> {
  const rows = found(await ws.post(`/${object}/search`, { filter, archived: 'all', ...more }))
  return rows.map((row: Row) => row.first_name ?? row.name).sort()
}
const is = (field: string, op: string, value?: unknown) => ({ field, op, value })

const ALL = ['Ana', 'Ben', 'Cleo', 'Dan']
const recently = () => new Date(Date.now() - 1000 * 86_400_000).toISOString().slice(0, 10)

describe('contacts whose', () => {
  test.each<[unknown, string[]]>(
    [
      [is('city', 'eq', 'sydney'), ['Ana', 'Ben']],
      [is('city', 'not_eq', 'Sydney'), ['Cleo', 'Dan']],
      [is('city', 'in', ['PERTH', 'hobart']), ['Dan']],
      [is('city', 'not_in', ['Perth', 'Hobart']), ['Ana', 'Ben', 'Cleo']],
      [is('city', 'contains', 'YDN'), ['Ana', 'Ben']],
      [is('city', 'not_contains', 'ydn'), ['Cleo', 'Dan']],
      [is('city', 'starts_with', 'p'), ['Dan']],
      [is('city', 'is_empty'), ['Cleo']],
      [is('city', 'is_not_empty'), ['Ana', 'Ben', 'Dan']],
      [is('name', 'eq', ' ana o’brien  100% '), ['Ana']],
      [is('name', 'in', ['BEN', 'cleo']), ['Ben', 'Cleo']],
      [is('name', 'starts_with', 'AN'), ['Ana']],
      [is('name', 'contains', 'brien'), ['Ana']],
      [is('first_name', 'contains', 'le'), ['Cleo']],
      [is('last_name', 'contains', '100%'), ['Ana']],
      [is('last_name', 'contains', '%'), ['Ana']],
      [is('last_name', 'contains', '_'), []],
      [is('last_name', 'starts_with', '%'), []],
      [is('last_name', 'starts_with', 'o’b'), ['Ana']],
      [is('email', 'eq', 'ANA@x.co'), ['Ana']],
      [is('email', 'contains', '@x.'), ['Ana']],
      [is('alternate_emails', 'in', ['ANA@home.co', 'b@x.co']), ['Ana']],
      [is('alternate_emails', 'not_contains', 'ana@home.co'), ['Ben', 'Cleo', 'Dan']],
      [is('alternate_emails', 'is_empty'), ['Ben', 'Cleo', 'Dan']],
      [is('phone', 'eq', '(04) 1234 5678'), ['Ana']],
      [is('phone', 'contains', '412 345'), ['Ana']],
      [is('contact_type', 'eq', 'Customer'), ['Ana']],
      [is('contact_type', 'eq', 'customer'), []],
      [is('contact_type', 'not_in', ['Customer']), ['Ben', 'Cleo', 'Dan']],
      [is('source', 'eq', 'api'), ['Ben']],
      [is('source', 'not_in', ['api', 'import']), ['Ana', 'Cleo', 'Dan']],
      [is('is_referrer', 'eq', true), ['Ana']],
      [is('is_referrer', 'not_eq', true), ['Ben', 'Cleo', 'Dan']],
      [is('archived', 'eq', true), ['Dan']],
      [is('customer_id', 'is_empty'), ['Cleo', 'Dan']],
      [is('date_of_birth', 'on', '1990-05-01'), ['Ana']],
      [is('date_of_birth', 'before', '1990-05-01'), []],
      [is('date_of_birth', 'after', '1990-04-30'), ['Ana']],
      [is('date_of_birth', 'between', ['1990-05-01', '1990-05-01']), ['Ana']],
      [is('date_of_birth', 'within_last', { days: 36500 }), ['Ana']],
      [is('date_of_birth', 'within_next', { days: 30 }), []],
      [is('date_of_birth', 'is_not_empty'), ['Ana']],
      // Half past midnight of 1 April in Sydney, which is 31 March in UTC.
      [is('created_at', 'on', '2026-04-01'), ['Ana']],
      [is('created_at', 'on', '2026-03-31'), []],
      [is('created_at', 'before', '2026-04-01'), []],
      [is('created_at', 'before', '2026-04-02'), ['Ana']],
      [is('created_at', 'before', '2026-03-31T13:30:00Z'), []],
      [is('created_at', 'before', '2026-03-31T13:30:00.001Z'), ['Ana']],
      [is('created_at', 'after', '2026-04-01'), ['Ben', 'Cleo', 'Dan']],
      [is('created_at', 'after', '2026-03-31'), ALL],
      [is('created_at', 'between', ['2026-04-01', '2026-04-02']), ['Ana', 'Ben']],
      [is('created_at', 'between', ['2026-03-31T13:30:00Z', '2026-04-02T00:00:00Z']), ['Ana', 'Ben']],
      [is('created_at', 'within_last', { days: 1 }), ['Cleo', 'Dan']],
      [is('created_at', 'within_next', { days: 1 }), []],
      [is('relationship_started_at', 'on', '2026-03-31'), ['Ana']],
      [is('relationship_started_at', 'is_empty'), ['Ben']],
      [is('last_activity_at', 'before', '2026-02-01'), ['Ana']],
      [is('last_activity_at', 'after', '2026-02-01T00:00:00Z'), ['Ben']],
      [is('last_activity_at', 'is_empty'), ['Cleo', 'Dan']],
      [is('last_activity_at', 'between', ['2026-01-01', recently()]), []],
    ].map(([filter, expected]) => [filter, expected] as [unknown, string[]]),
  )('%j', async (filter, expected) => {
    expect(await names('contacts', filter)).toEqual(expected)
  })
})

describe('custom fields:', () => {
  test.each<[unknown, string[]]>([
    [is('metadata.tier', 'eq', 'Gold'), ['Ana']],
    [is('custom.tier', 'eq', 'gold'), ['Ana']],
    [is('metadata.tier', 'not_eq', 'Gold'), ['Ben', 'Cleo', 'Dan']],
    [is('metadata.tier', 'in', ['Gold', 'Silver']), ['Ana', 'Ben']],
    [is('metadata.tier', 'not_in', ['Silver']), ['Ana', 'Cleo', 'Dan']],
    [is('metadata.tier', 'is_empty'), ['Cleo', 'Dan']],
    [is('metadata.score', 'eq', 10), ['Ana']],
    [is('metadata.score', 'not_eq', 10), ['Ben', 'Cleo', 'Dan']],
    [is('metadata.score', 'in', [-3.5, 1e12]), ['Ben', 'Cleo']],
    [is('metadata.score', 'gt', 10), ['Cleo']],
    [is('metadata.score', 'gte', 10), ['Ana', 'Cleo']],
    [is('metadata.score', 'lt', -3.4), ['Ben']],
    [is('metadata.score', 'lte', 10), ['Ana', 'Ben']],
    [is('metadata.score', 'between', [-4, 10]), ['Ana', 'Ben']],
    [is('metadata.since', 'on', '2026-01-15'), ['Ana']],
    [is('metadata.since', 'before', '2026-03-01'), ['Ana']],
    [is('metadata.since', 'after', '2026-01-15'), ['Ben']],
    [is('metadata.since', 'between', ['2026-01-15', '2026-03-01']), ['Ana', 'Ben']],
    [is('metadata.since', 'within_next', { days: 1 }), []],
    [is('metadata.since', 'is_not_empty'), ['Ana', 'Ben']],
    [is('metadata.vip', 'eq', true), ['Ana']],
    [is('metadata.vip', 'eq', false), ['Ben']],
    [is('metadata.vip', 'not_eq', true), ['Ben', 'Cleo', 'Dan']],
    [is('metadata.likes', 'in', ['red', 'Green']), ['Ana']],
    [is('metadata.likes', 'in', ['Blue']), ['Ana', 'Ben']],
    [is('metadata.likes', 'not_in', ['Red']), ['Ben', 'Cleo', 'Dan']],
    [is('metadata.likes', 'contains', 'Blue'), ['Ana', 'Ben']],
    [is('metadata.likes', 'contains', 'Blu'), []],
    [is('metadata.likes', 'not_contains', ['Blue', 'Green']), ['Cleo', 'Dan']],
    [is('metadata.likes', 'is_empty'), ['Cleo', 'Dan']],
    [is('metadata.code', 'eq', 'a_1'), ['Ana']],
    [is('metadata.code', 'starts_with', 'a'), ['Ana', 'Ben']],
    [is('metadata.code', 'starts_with', 'a_'), ['Ana']],
    [is('metadata.code', 'contains', '_'), ['Ana']],
    [is('metadata.code', 'not_contains', 'x'), ['Ana', 'Cleo', 'Dan']],
    [is('metadata.mobile', 'eq', '61400111222'), ['Ana']],
    [is('metadata.mobile', 'contains', '400 111'), ['Ana']],
    [is('metadata.story', 'is_not_empty'), ['Ana']],
    [{ all: [is('metadata.vip', 'eq', false), { not: is('metadata.score', 'gt', 0) }] }, ['Ben']],
  ])('%j', async (filter, expected) => {
    expect(await names('contacts', filter)).toEqual(expected)
  })

  test.each<[unknown, string]>([
    [is('metadata.nope', 'eq', 1), 'filter.all.0.field'],
    [is('metadata.free', 'eq', 'x'), 'filter.all.0.field'],
    [is('metadata.region', 'eq', 'x'), 'filter.all.0.field'],
    [is('metadata.score', 'contains', 'x'), 'filter.all.0.op'],
    [is('metadata.story', 'contains', 'x'), 'filter.all.0.op'],
    [is('metadata.tier', 'gt', 1), 'filter.all.0.op'],
    [is('metadata.score', 'eq', 'x'), 'filter.all.0.value'],
    [is('metadata.tier', 'eq', 5), 'filter.all.0.value'],
    [is('metadata.score', 'between', ['2026-01-01', '2026-01-02']), 'filter.all.0.value'],
  ])('refuses %j', async (condition, path) => {
    expect(await ws.post('/contacts/search', { filter: { all: [condition] } })).toMatchObject(refused(path))
  })
})

describe('groups and relations:', () => {
  const VIP = is('tags', 'in', ['vip'])
  test.each<['contacts' | 'companies' | 'opportunities', unknown, string[]]>([
    ['contacts', { all: [is('city', 'eq', 'Sydney'), is('is_referrer', 'eq', true)] }, ['Ana']],
    ['contacts', { any: [is('city', 'eq', 'Perth'), is('is_referrer', 'eq', true)] }, ['Ana', 'Dan']],
    ['contacts', { not: is('city', 'eq', 'Sydney') }, ['Cleo', 'Dan']],
    ['contacts', { not: { not: is('city', 'eq', 'Sydney') } }, ['Ana', 'Ben']],
    ['contacts', { not: { all: [is('city', 'eq', 'Sydney'), is('source', 'eq', 'api')] } }, ['Ana', 'Cleo', 'Dan']],
    ['contacts', { all: [{ any: [is('city', 'is_empty'), is('city', 'eq', 'Perth')] }, { not: is('archived', 'eq', true) }] }, ['Cleo']],
    ['contacts', { any: [{ all: [{ any: [{ all: [{ not: is('city', 'is_not_empty') }] }] }] }] }, ['Cleo']],
    ['contacts', { has: 'opportunities' }, ['Ana']],
    ['contacts', { not: { has: 'opportunities' } }, ['Ben', 'Cleo', 'Dan']],
    ['contacts', { has: 'opportunities', where: is('archived', 'eq', true) }, ['Ben']],
    ['contacts', { has: 'opportunities', where: is('archived', 'in', [true]) }, []],
    ['contacts', { has: 'opportunities', where: { all: [is('status', 'eq', 'open'), is('value', 'gt', 1000)] } }, ['Ana']],
    ['contacts', { has: 'opportunities', where: { all: [is('status', 'eq', 'won'), is('value', 'gt', 1000)] } }, []],
    ['contacts', { has: 'opportunities', where: VIP }, ['Ana']],
    ['contacts', { has: 'opportunities', where: is('metadata.region', 'eq', 'north') }, ['Ana']],
    ['contacts', { has: 'company', where: is('industry', 'eq', 'Retail') }, ['Ben']],
    ['contacts', { has: 'companies', where: { has: 'opportunities', where: is('status', 'eq', 'won') } }, ['Ben']],
    ['contacts', { has: 'activities', where: is('activity_type', 'eq', 'call') }, ['Ana']],
    ['contacts', { has: 'activities', where: is('occurred_at', 'after', '2026-02-01') }, ['Ben']],
    ['companies', { has: 'contacts', where: is('metadata.tier', 'eq', 'Gold') }, ['Acme']],
    ['companies', { has: 'contacts', where: { not: is('metadata.tier', 'eq', 'Gold') } }, ['Bolt']],
    ['companies', { has: 'opportunities', where: is('value', 'lt', 100) }, ['Bolt']],
    ['companies', { has: 'parent', where: is('name', 'eq', 'acme') }, ['Bolt']],
    ['companies', { has: 'subsidiaries', where: { has: 'subsidiaries' } }, []],
    ['companies', { has: 'subsidiaries' }, ['Acme']],
    ['companies', is('annual_revenue', 'eq', 1000000.5), ['Acme']],
    ['companies', is('annual_revenue', 'between', [1000000.4, 1000000.5]), ['Acme']],
    ['companies', is('employee_count', 'in', [9.5, 10]), ['Acme']],
    ['companies', is('employee_count', 'lt', 1e300), ['Acme']],
    ['companies', is('founded_year', 'is_empty'), ['Bolt']],
    ['companies', is('parent_company_id', 'is_not_empty'), ['Bolt']],
    ['opportunities', VIP, ['Deck']],
    ['opportunities', is('tags', 'in', ['cold', 'hot, very']), ['Deck', 'Roof']],
    ['opportunities', is('tags', 'not_in', ['VIP']), ['Roof', 'Shed']],
    ['opportunities', is('tags', 'is_empty'), ['Shed']],
    ['opportunities', is('value', 'eq', 1000.1), ['Deck']],
    ['opportunities', is('value', 'eq', 1000.105), []],
    ['opportunities', is('value', 'not_eq', 1000.1), ['Roof', 'Shed']],
    ['opportunities', is('value', 'gt', 1000.1), []],
    ['opportunities', is('value', 'gte', 1000.1), ['Deck']],
    ['opportunities', is('value', 'gt', 1000.095), ['Deck']],
    ['opportunities', is('value', 'lt', 50), ['Shed']],
    ['opportunities', is('value', 'lte', 50), ['Roof', 'Shed']],
    ['opportunities', is('value', 'lt', 50.005), ['Roof', 'Shed']],
    ['opportunities', is('value', 'between', [-1e308, 1e308]), ['Deck', 'Roof', 'Shed']],
    ['opportunities', is('status', 'in', ['won', 'lost']), ['Roof']],
    ['opportunities', is('won_reasons', 'is_empty'), ['Deck', 'Roof', 'Shed']],
    ['opportunities', is('won_reasons', 'not_in', ['Price']), ['Deck', 'Roof', 'Shed']],
    ['opportunities', is('expected_close_date', 'before', '2026-07-01'), ['Deck']],
    ['opportunities', is('expected_close_date', 'is_empty'), ['Roof', 'Shed']],
    ['opportunities', { has: 'company', where: is('industry', 'eq', 'Construction') }, ['Deck']],
    ['opportunities', { has: 'contacts', where: is('metadata.vip', 'eq', true) }, ['Deck', 'Roof']],
    ['opportunities', { has: 'activities' }, ['Deck']],
    ['opportunities', { all: [VIP, { has: 'contacts', where: { has: 'company', where: is('name', 'contains', 'CME') } }] }, ['Deck']],
  ])('%s %j', async (object, filter, expected) => {
    if (JSON.stringify(filter).includes('"op":"in","value":[true]'))
      expect(await ws.post(`/${object}/search`, { filter })).toMatchObject(refused('filter.where.op'))
    else expect(await names(object, filter)).toEqual(expected)
  })
})

describe('hostile filters:', () => {
  test.each<[string, unknown]>([
    ['a quote', "' or '1'='1"],
    ['a statement', "x'); drop table contacts; --"],
    ['a comment', '*/ or true /*'],
    ['a dollar quote', '$$ or true $$'],
    ['a backslash', '\\'],
    ['braces', '{"a"}'],
    ['an identifier', '"contacts"."city"'],
    ['a placeholder', '$1'],
  ])('%s is only text', async (_, value) => {
    for (const [name, op] of [
      ['city', 'eq'],
      ['city', 'not_in'],
      ['name', 'eq'],
      ['name', 'contains'],
      ['name', 'starts_with'],
      ['email', 'contains'],
      ['metadata.code', 'eq'],
      ['metadata.code', 'contains'],
      ['metadata.likes', 'in'],
      ['alternate_emails', 'in'],
    ]) {
      const list = op === 'in' || op === 'not_in'
      expect(await names('contacts', is(name as string, op as string, list ? [value] : value)), `${name} ${op}`).toEqual(
        op === 'not_in' ? ALL : [],
      )
    }
    expect(await names('opportunities', is('tags', 'in', [value]))).toEqual([])
    expect(await names('opportunities', is('tags', 'not_in', [value]))).toEqual(['Deck', 'Roof', 'Shed'])
  })

  test('too many conditions and too deep a nesting are refused', async () => {
    const nested = (depth: number) => Array.from({ length: depth }).reduce((inner) => ({ all: [inner] }), is('city', 'is_empty') as unknown)
    expect(await ws.post('/contacts/search', { filter: { all: Array(50).fill(is('city', 'is_empty')) } })).toMatchObject({ status: 200 })
    expect(await ws.post('/contacts/search', { filter: { all: Array(51).fill(is('city', 'is_empty')) } })).toMatchObject(refused('filter'))
    expect(await ws.post('/contacts/search', { filter: nested(5) })).toMatchObject({ status: 200 })
    expect(await ws.post('/contacts/search', { filter: nested(6) })).toMatchObject(refused('filter.all.0.all.0.all.0.all.0.all.0'))
    expect(await ws.post('/contacts/search', { filter: nested(2000) })).toMatchObject({ status: 400 })
  })

  test('everything wrong is told at once, beside the rest of the body', async () => {
    const filter = { any: [is('city', 'gt', 1), { has: 'company', where: is('name', 'eq', '') }] }
    expect(await ws.post('/contacts/search', { filter, sort: 'city', zork: 1 })).toMatchObject({
      status: 400,
      body: {
        error: {
          details: {
            issues: expect.arrayContaining(
              ['filter.any.0.op', 'filter.any.1.where.value', 'sort', 'zork'].map((path) => expect.objectContaining({ path })),
            ),
          },
        },
      },
    })
  })
})

describe('pages', () => {
  async function walk(body: Row): Promise<string[]> {
    const seen: string[] = []
    for (let after: string | undefined; ; ) {
      const answer = await ws.post('/contacts/search', { archived: 'all', limit: 1, ...body, after })
      seen.push(...found(answer).map(({ first_name }: Row) => first_name))
      if (!answer.body.page.next) return seen
      after = answer.body.page.next
    }
  }

  test.each<[Row, string[]]>([
    [{ sort: 'name' }, ['Ana', 'Ben', 'Cleo', 'Dan']],
    [{ sort: '-created_at' }, ['Dan', 'Cleo', 'Ben', 'Ana']],
    [{ sort: 'metadata.score' }, ['Ben', 'Ana', 'Cleo', 'Dan']],
    [{ sort: '-metadata.score' }, ['Cleo', 'Ana', 'Ben', 'Dan']],
    [{ sort: 'metadata.since' }, ['Ana', 'Ben', 'Cleo', 'Dan']],
    [{ sort: '-custom.since' }, ['Ben', 'Ana', 'Dan', 'Cleo']],
    [{ sort: 'metadata.tier' }, ['Ana', 'Ben', 'Cleo', 'Dan']],
    [{ sort: '-metadata.tier', archived: 'false' }, ['Ben', 'Ana', 'Cleo']],
    [{ sort: 'metadata.vip', filter: is('city', 'is_not_empty') }, ['Ben', 'Ana', 'Dan']],
    [{ sort: 'metadata.story' }, []],
  ])('%j', async (body, expected) => {
    if (body.sort === 'metadata.story') expect(await ws.post('/contacts/search', body)).toMatchObject(refused('sort'))
    else expect(await walk(body)).toEqual(expected)
  })

  test('a custom sort pages through equal values by id', async () => {
    for (const name of ['F1', 'F2', 'F3']) await contact(name, { metadata: { score: 7 }, city: 'Ties' })
    for (const limit of [1, 2])
      expect(await walk({ sort: 'metadata.score', filter: is('city', 'eq', 'Ties'), limit })).toEqual(['F1', 'F2', 'F3'])
    for (const name of ['F1', 'F2', 'F3']) found(await ws.delete(`/contacts/${id[name]}`))
  })

  test('a cursor fits its own filter and sort alone', async () => {
    const first = await ws.post('/contacts/search', { filter: is('city', 'is_not_empty'), limit: 1, sort: 'metadata.score' })
    const { next } = first.body.page
    for (const body of [
      { filter: is('city', 'is_empty'), sort: 'metadata.score' },
      { filter: is('city', 'is_not_empty'), sort: 'metadata.since' },
      { sort: '-created_at' },
    ])
      expect(await ws.post('/contacts/search', { ...body, after: next })).toMatchObject(refused('after'))
    expect(await ws.post('/contacts/search', { sort: 'metadata.score', after: 'zork' })).toMatchObject(refused('after'))
  })

  test('a search for words narrows the filter', async () => {
    expect(await names('contacts', is('city', 'is_not_empty'), { search: 'brien' })).toEqual(['Ana'])
    expect(await names('contacts', undefined, { search: 'ben' })).toEqual(['Ben'])
  })

  test('an unknown custom field to sort by is refused', async () => {
    for (const sort of ['metadata.nope', 'metadata.likes', 'city'])
      expect(await ws.post('/contacts/search', { sort })).toMatchObject(refused('sort'))
  })

  test('answers like the lists', async () => {
    for (const object of ['contacts', 'companies', 'opportunities']) {
      const [listed, searched] = [await ws.get(`/${object}`), await ws.post(`/${object}/search`, {})]
      expect(searched.body).toEqual(listed.body)
    }
    for (const [old, path] of [
      ['customers', 'companies'],
      ['deals', 'opportunities'],
    ]) {
      const answer = await ws.post(`/${old}/search`, {})
      expect(answer.headers.get('deprecation')).toBe('true')
      expect(answer.body).toEqual((await ws.get(`/${path}`)).body)
    }
  })
})

describe('who may search', () => {
  test('keys that only read, viewers and keys whose writes are held: it happens at once and leaves no trace', async () => {
    const keys = [await ws.key({ level: 'read_only' }), await ws.key({ role: 'client_viewer' }), await ws.key({ level: 'approval' })]
    for (const key of keys)
      expect(await key.post('/contacts/search', { filter: is('city', 'eq', 'Perth'), archived: 'true' })).toMatchObject({
        status: 200,
        body: { data: [{ first_name: 'Dan' }] },
      })
    expect(found(await ws.get('/approvals'))).toEqual([])
    expect(await ws.post('/contacts/search', { require_approval: true })).toMatchObject(refused('require_approval'))
    expect(await ws.call('POST', '/contacts/search?dry_run=true', {})).toMatchObject(refused('dry_run'))
  })

  test('related records need their own scope', async () => {
    const key = await ws.key({ scopes: ['contacts:read'] })
    expect((await key.post('/contacts/search', { filter: is('city', 'eq', 'Perth') })).status).toBe(200)
    for (const [filter, scope] of [
      [{ has: 'opportunities' }, 'opportunities:read'],
      [{ not: { has: 'company', where: is('name', 'eq', 'x') } }, 'companies:read'],
      [is('last_activity_at', 'is_empty'), 'activities:read'],
    ])
      expect(await key.post('/contacts/search', { filter })).toMatchObject({
        status: 403,
        body: { error: { code: 'INSUFFICIENT_SCOPE', details: { missing_scopes: [scope] } } },
      })
    expect(await key.post('/companies/search', {})).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  })

  test('it takes one round trip', async () => {
    const before = app.proxy.requests
    await names('contacts', { all: [is('metadata.score', 'gt', 0), { has: 'opportunities' }] }, { sort: 'metadata.score' })
    expect(app.proxy.requests - before).toBe(1)
  })
})

describe('the catalogue', () => {
  test('names fields with their operators, custom ones and relations', async () => {
    const { fields, relations, object } = found(await ws.get('/filters/contacts')) as Row
    expect(object).toBe('contacts')
    const called = (name: string) => fields.find((one: Row) => one.field === name)
    expect(called('source')).toMatchObject({ kind: 'choice', options: expect.arrayContaining(['api']), custom: false })
    expect(called('created_at')).toMatchObject({ kind: 'instant', sortable: true, operators: { within_last: 'days', on: 'date' } })
    expect(called('contact_type')).toMatchObject({ exact: true })
    expect(called('metadata.tier')).toEqual({
      field: 'metadata.tier',
      label: 'Tier',
      kind: 'choice',
      operators: { eq: 'option', not_eq: 'option', in: 'option[]', not_in: 'option[]', is_empty: 'none', is_not_empty: 'none' },
      options: ['Gold', 'Silver'],
      exact: false,
      custom: true,
      sortable: true,
    })
    expect(called('metadata.story')).toMatchObject({ kind: null, sortable: false })
    expect(called('metadata.region')).toBeUndefined()
    expect(relations).toContainEqual({ relation: 'opportunities', object: 'opportunities' })
  })

  test('each field can be asked with each of its operators', async () => {
    const values: Row = {
      text: 'x',
      option: 'x',
      number: 1,
      date: '2026-01-01',
      moment: '2026-01-01T00:00:00Z',
      boolean: true,
      id: '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d',
      days: { days: 1 },
    }
    const valueOf = (what: string, options: string[] | null): unknown => {
      if (what === 'none') return undefined
      if (what.startsWith('two ')) return [valueOf(what.slice(4, -1), options), valueOf(what.slice(4, -1), options)]
      if (what.endsWith('[]')) return [valueOf(what.replace(/^text or |\[\]$/g, ''), options)]
      return what === 'option' && options ? options[0] : values[what]
    }
    for (const object of ['contacts', 'companies', 'opportunities', 'activities']) {
      const { fields } = found(await ws.get(`/filters/${object}`)) as Row
      for (const { field, kind, operators, options } of fields) {
        for (const [op, what] of Object.entries(operators as Record<string, string>)) {
          const value =
            field.endsWith('phone') || field === 'landline' ? valueOf(what.replace('text', 'text'), options) : valueOf(what, options)
          const fits = kind === 'text' && typeof value === 'string' && /phone|landline|mobile/.test(field) ? '123' : value
          const condition = is(field, op, fits)
          const filter = object === 'activities' ? { has: 'activities', where: condition } : condition
          const { status, body } = await ws.post(`/${object === 'activities' ? 'contacts' : object}/search`, { filter })
          expect(status, JSON.stringify({ condition, body })).toBe(200)
        }
      }
    }
  })
})
