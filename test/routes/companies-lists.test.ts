import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { compile } from '../../src/data/db.ts'
import { listCompanyContacts, listSubsidiaries } from '../../src/features/companies/plans/companies.ts'
import { bySort, created, failed, found, ids, nobody, type Row, refused, useCrm, walkWhileRowsComeAndGo, without } from './crm.ts'

const crm = useCrm({ own: true })

const list = async (query: string) => found(await crm.ws.get(`/companies?${query}`))

async function companies(...records: Row[]): Promise<Row[]> {
  const { results } = found(
    await crm.ws.post('/companies/bulk-create', { records: records.map((record) => ({ name: 'Acme', ...record })) }),
  )
  expect(results).toHaveLength(records.length)
  return results
}

test('a filter finds the records with its value, and no others', async () => {
  const [parent] = await companies({ name: 'Holding' })
  const one = {
    industry: 'Retail',
    account_type: 'Customer',
    assigned_to: crm.ws.userId,
    parent_company_id: parent!.id,
    email: 'one@x.co',
    external_id: 'a',
  }
  const [first] = await companies(one, { industry: 'Mining', account_type: 'Supplier', email: 'two@x.co', external_id: 'b' })
  for (const [name, value] of Object.entries(one))
    expect(ids(await list(`${name}=${encodeURIComponent(value)}`)), name).toEqual([first!.id])
  expect(await list('industry=Retail&account_type=Supplier'), 'all of several filters').toEqual([])
  expect(await crm.ws.get('/companies?founded_year=1998')).toMatchObject(refused('founded_year'))
})

test('a search finds words of the name, the email and the website', async () => {
  const [acme] = await companies(
    { name: 'Acme Tools', email: 'hello@acme.example', website_url: 'https://tools.example' },
    { name: 'Other' },
  )
  for (const words of ['acme', 'TOOLS acme', 'hello', 'tools.example'])
    expect(ids(await list(`search=${encodeURIComponent(words)}`)), words).toEqual([acme!.id])
  expect(await list('search=acme%20nobody')).toEqual([])
})

test('archived companies are left out unless asked for', async () => {
  const [active, archived] = await companies({}, {})
  found(await crm.ws.patch(`/companies/${archived!.id}`, { archived: true }))
  expect(ids(await list(''))).toEqual([active!.id])
  expect(ids(await list('archived=true'))).toEqual([archived!.id])
  expect(ids(await list('archived=all')).sort()).toEqual([active!.id, archived!.id].sort())
})

test('a company’s opportunities are its own, in the order asked for', async () => {
  const [one, two] = await companies({ name: 'One' }, { name: 'Two' })
  const small = await crm.opportunity({ customer_id: one!.id, value: 10 })
  const large = await crm.opportunity({ customer_id: one!.id, value: 900 })
  await crm.opportunity({ customer_id: two!.id })
  for (const path of ['companies', 'customers'])
    expect(ids(found(await crm.ws.get(`/${path}/${one!.id}/opportunities?sort=-value`)))).toEqual([large.id, small.id])
  expect(await crm.ws.get(`/companies/${small.id}/opportunities`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

const sorts: [string, (row: Row) => string][] = [
  ['created_at', (row) => row.created_at],
  ['updated_at', (row) => row.updated_at],
  ['name', (row) => row.name.toLowerCase()],
]
test.each(
  sorts.flatMap(
    ([name, key]) =>
      [
        [name, key],
        [`-${name}`, key],
      ] as const,
  ),
)('sorted by %s, pages join without gap or repetition', async (sort, key) => {
  const made = await companies(...['b', 'A', 'c', 'a', 'B', 'C', 'b'].map((name) => ({ name })))
  for (const { id } of [made[4]!, made[1]!]) found(await crm.ws.patch(`/companies/${id}`, { notes: 'touched' }))
  const all = await list('')
  expect(ids(await crm.walk(`/companies?limit=2&sort=${sort}`))).toEqual(ids(bySort(all, sort, key)))
})

test('a company that comes or goes between two pages moves no other', async () => {
  const before = (await companies(...Array.from({ length: 20 }, () => ({})))).toSorted((a, b) => (a.id < b.id ? 1 : -1))
  await walkWhileRowsComeAndGo(crm, '/companies?limit=3', before, {
    come: () => companies({}),
    go: (id) => crm.ws.delete(`/companies/${id}`),
  })
})

test('the people of a company are all who are linked to it, the latest link first', async () => {
  const [company, other] = await companies({}, {})
  const first = await crm.contact({ first_name: 'First', customer_id: company!.id })
  const second = await crm.contact({ first_name: 'Second', customer_id: other!.id })
  await crm.contact({ first_name: 'Stranger', customer_id: other!.id })
  found(await crm.ws.post(`/contacts/${second.id}/employers/${company!.id}`))
  const people = await crm.ws.get(`/companies/${company!.id}/contacts`)
  const record = without(found(await crm.ws.get(`/contacts/${second.id}`)), 'company', 'stakeholder_types', 'opportunities', 'lists')
  expect(ids(found(people))).toEqual([second.id, first.id])
  expect(people.body.data[0], 'as in the list of contacts').toEqual(record)
  expect(ids(await crm.walk(`/companies/${company!.id}/contacts?limit=1`))).toEqual([second.id, first.id])
  found(await crm.ws.patch(`/contacts/${first.id}`, { archived: true }))
  expect(ids(found(await crm.ws.get(`/companies/${company!.id}/contacts`)))).toEqual([second.id])
  expect(ids(found(await crm.ws.get(`/companies/${company!.id}/contacts?archived=all`)))).toEqual([second.id, first.id])
})

test('the primary contact is handed over, also when two become it at once', async () => {
  const [company] = await companies({})
  const people = [
    await crm.contact({ customer_id: company!.id }),
    await crm.contact({ customer_id: company!.id }),
    await crm.contact({ customer_id: company!.id, is_primary: true }),
  ]
  await Promise.all(people.slice(0, 2).map(({ id }) => crm.ws.patch(`/contacts/${id}`, { is_primary: true })))
  const primary = found(await crm.ws.get(`/companies/${company!.id}/contacts`)).filter(({ is_primary }) => is_primary)
  expect(primary).toHaveLength(1)
  expect(ids(people.slice(0, 2))).toContain(primary[0]!.id)
})

test('the subsidiaries of a company are those directly below it', async () => {
  const [top] = await companies({})
  const [one, two] = await companies({ parent_company_id: top!.id }, { parent_company_id: top!.id })
  await companies({ parent_company_id: one!.id })
  expect(ids(await crm.walk(`/companies/${top!.id}/subsidiaries?limit=1`)).sort()).toEqual([one!.id, two!.id].sort())
  found(await crm.ws.patch(`/companies/${two!.id}`, { archived: true }))
  expect(ids(found(await crm.ws.get(`/companies/${top!.id}/subsidiaries`)))).toEqual([one!.id])
})

test.each(['', '/contacts', '/subsidiaries'])('of an unknown or foreign company GET /companies/:id%s knows nothing', async (rest) => {
  const foreign = created(await (await crm.app.workspace()).post('/companies', { name: 'Theirs' })).id
  for (const id of [nobody, foreign]) expect(await crm.ws.get(`/companies/${id}${rest}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.get(`/companies/x${rest}`)).toMatchObject(refused('company_id'))
})

test('the people of a company need both scopes', async () => {
  const [company] = await companies({})
  const key = await crm.ws.key({ scopes: ['companies:*'] })
  found(await key.get(`/companies/${company!.id}/subsidiaries`))
  expect(await key.get(`/companies/${company!.id}/contacts`)).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
})

test('what belongs to a company is found without a look at what does not', async () => {
  const [company] = await companies({})
  const load = `with firms as (insert into companies (workspace_id, name, parent_company_id)
      select $1, 'Firm ' || n, case when n <= 1000 then $2::uuid end from generate_series(1, 5000) n returning id),
      people as (insert into contacts (workspace_id, first_name) select $1, 'Ana' from generate_series(1, 5000) returning id)
    insert into employers (workspace_id, contact_id, customer_id) select $1, p.id, case when p.n <= 1000 then $2 else f.id end
      from (select id, row_number() over () as n from people) p join (select id, row_number() over () as n from firms) f using (n)`
  const client = await crm.app.owner.connect()
  await client.query('set session_replication_role = replica')
  await client.query(load, [crm.ws.id, company!.id])
  await client.query('reset session_replication_role')
  await client.query('analyze')
  client.release()
  const query = { limit: 50, archived: 'false' }
  for (const { result: answer } of [listCompanyContacts(company!.id, query), listSubsidiaries(company!.id, query)]) {
    expect(await rowsRead(compile(answer.query))).toBeLessThan(300)
  }
})

/** How many rows the app's role reads, in all tables, to answer. */
async function rowsRead({ sql: text, params }: { sql: string; params: unknown[] }): Promise<number> {
  const { rows } = await crm.app.owner.query('select current_database() as name')
  const url = new URL(inject('postgresUrl'))
  const role = new pg.Client({ host: url.hostname, port: Number(url.port), user: 'app', password: 'app', database: rows[0].name })
  await role.connect()
  await role.query("select set_config('app.workspace_id', $1, false)", [crm.ws.id])
  const explained = await role.query(`explain (analyze, format json) ${text}`, params)
  await role.end()
  return read(explained.rows[0]['QUERY PLAN'][0].Plan)
}

function read(plan: Row): number {
  const own = plan['Relation Name'] ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'] : 0
  return (plan.Plans ?? []).reduce((sum: number, part: Row) => sum + read(part), own)
}
