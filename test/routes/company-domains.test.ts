import { beforeEach, describe, expect, test } from 'vitest'
import { toCompanyDomain } from '../../src/domain/web-addresses.ts'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm()
const { imported } = useImports(crm)
const company = async (fields: Row): Promise<Row> => created(await crm.ws.post('/companies', { name: 'Acme', ...fields }))
const ids = (rows: Row[]) => rows.map(({ id }) => id)
const codes = ({ body }: { body: Row }) => (body._warnings ?? []).map(({ code, field }: Row) => `${code} ${field}`)

describe('the domains of a company', () => {
  test('are kept in ASCII, without www and path, each once', async () => {
    const domains = ['WWW.Example.com.au', 'https://www.example.com.au/about', 'müller.de']
    const answer = await crm.ws.post('/companies', { name: 'Acme', domains })
    expect(codes(answer)).toEqual(['DUPLICATES_DROPPED domains'])
    expect(created(answer).domains).toEqual(['example.com.au', 'xn--mller-kva.de'])
    const { id } = created(answer)
    expect(found(await crm.ws.patch(`/companies/${id}`, { domains: ['acme.nz'] })).domains).toEqual(['acme.nz'])
    expect(found(await crm.ws.patch(`/companies/${id}`, { domains: null })).domains).toEqual([])
  })

  test.each([
    [['example'], 'domains.0'],
    [['acme.com', 'facebook.com'], 'domains.1'],
    [['ana@acme.com'], 'domains.0'],
    [['10.0.0.1'], 'domains.0'],
    ['acme.com', 'domains'],
    [Array.from({ length: 11 }, (_, n) => `acme${n}.com`), 'domains'],
  ])('%j is refused', async (domains, path) => {
    expect(await crm.ws.post('/companies', { name: 'Acme', domains })).toMatchObject(refused(path))
  })

  test('find it in lists, filters and exports, as that of its website does', async () => {
    const one = await company({ website_url: 'https://www.acme.com', domains: ['acme.com.au'] })
    const two = await company({ domains: ['acme.com', 'acme.nz'] })
    const list = async (query: string) => ids(found(await crm.ws.get(`/companies?${query}`)))
    expect(await list('domain=ACME.com')).toEqual([two.id, one.id])
    expect(ids(await crm.walk('/companies?domain=acme.com&limit=1'))).toEqual([two.id, one.id])
    expect(await list('domain=acme.com.au')).toEqual([one.id])
    expect(await list('domain=other.com')).toEqual([])
    const search = async (op: string, value: unknown) =>
      ids(found(await crm.ws.post('/companies/search', { filter: { field: 'domains', op, value } })))
    expect(await search('contains', 'www.Acme.nz')).toEqual([two.id])
    expect(await search('not_in', ['acme.nz'])).toEqual([one.id])
    const file = await crm.ws.get('/companies/export?domain=acme.nz&fields=id,domains&bom=false')
    expect(file.body.trim().split(/\r?\n/)).toEqual(['id,domains', `${two.id},"acme.com; acme.nz"`])
  })

  test('match it in upserts, and stay when a website with one of them is sent', async () => {
    const one = await company({ website_url: 'https://acme.com', domains: ['acme.com.au'] })
    const answer = await crm.ws.post('/companies/upsert', { website_url: 'https://www.acme.com.au/about', city: 'Perth' })
    expect(found(answer)).toMatchObject({ id: one.id, matched_by: 'website_url', website_url: 'https://acme.com', city: 'Perth' })
    expect(codes(answer)).toEqual(['KEPT_AS_ALTERNATE website_url'])
    const both = { website_url: 'https://acme.com.au', domains: ['acme.com'] }
    expect(found(await crm.ws.post('/companies/upsert', both))).toMatchObject({ id: one.id, ...both })
    await company({ name: 'Other', domains: ['acme.com.au'] })
    expect(await crm.ws.post('/companies/upsert', { website_url: 'https://acme.com.au' })).toMatchObject(failed(409, 'CONFLICT'))
    const records = [
      { name: 'New', domains: ['new.com'], email: 'info@new.com' },
      { website_url: 'https://new.com', city: 'Perth' },
    ]
    expect(found(await crm.ws.post('/companies/bulk-upsert', { records })).results).toMatchObject([
      { created: true },
      { created: false, matched_by: 'website_url' },
    ])
  })

  test('make candidates for merging, and a merge keeps them all', async () => {
    const one = await company({ name: 'Acme', website_url: 'https://acme.com' })
    const two = await company({ name: 'Zebra', domains: ['acme.com', 'zebra.com'] })
    const three = await company({ name: 'Quokka', website_url: 'https://quokka.com', domains: ['zebra.com'] })
    const of = async ({ id }: Row) =>
      (found(await crm.ws.get(`/companies/${id}/duplicates`)) as Row[]).map(({ record, reasons }) => [record.id, reasons[0].field])
    expect(await of(one)).toEqual([[two.id, 'domains']])
    expect((await of(two)).sort()).toEqual(
      [
        [one.id, 'domains'],
        [three.id, 'domains'],
      ].sort(),
    )
    const pairs = (found(await crm.ws.get('/companies/duplicates')) as Row[]).flatMap(({ record, candidates }) =>
      candidates.map((other: Row) => [record.name, other.record.name].sort().join(' = ')),
    )
    expect(pairs.sort()).toEqual(['Acme = Zebra', 'Quokka = Zebra'])
    const merge = found(await crm.ws.post('/companies/merge', { winner_id: one.id, loser_ids: [two.id, three.id] }))
    expect(merge.winner).toMatchObject({ website_url: 'https://acme.com', domains: ['zebra.com', 'quokka.com'] })
  })

  test('are imported from one cell or several columns', async () => {
    const run = await imported('Company,Website,Domains,Other domains\nAcme,https://acme.com,acme.nz; www.acme.com.au,acme.io\n')
    expect(run).toMatchObject({ state: 'finished', progress: { created: 1 } })
    expect(found(await crm.ws.get('/companies'))).toMatchObject([{ domains: ['acme.nz', 'acme.com.au', 'acme.io'] }])
  })
})

test('a domain has the same form in the Worker and in the database', async () => {
  const hosts = [
    'acme.com',
    'www.Acme.com',
    'shop.acme.co.uk',
    'au.linkedin.com',
    'facebook.com',
    'x.com',
    'notx.com',
    'github.com',
    'mygithub.com',
  ]
  const urls = hosts.flatMap((host) => [`https://${host}`, `http://${host}/about?x=1`, `https://user@${host}:8080#top`])
  const { rows } = await crm.app.owner.query('select u, website_domain(u) as domain from unnest($1::text[]) u', [urls])
  expect(rows).toEqual(urls.map((u) => ({ u, domain: toCompanyDomain(u) ?? null })))
})

describe('a new contact', () => {
  let acme: Row
  beforeEach(async () => {
    acme = await company({ website_url: 'https://www.acme.com', domains: ['acme.com.au', 'gmail.com'] })
    found(await crm.ws.patch('/company/crm-settings', { link_contacts_by_domain: true }))
  })
  const one = async (fields: Row) => crm.ws.post('/contacts', { first_name: 'Ana', ...fields })
  const inBulk = async (path: string, fields: Row) => {
    const { status, body } = await crm.ws.post(`/contacts/${path}`, { records: [{ first_name: 'Ana', ...fields }] })
    return { status, body: { ...body, data: body.data.results[0] } }
  }
  const ways = {
    create: [one, 'customer_id'],
    'bulk create': [(fields: Row) => inBulk('bulk-create', fields), 'records.0.customer_id'],
    upsert: [(fields: Row) => crm.ws.post('/contacts/upsert', { first_name: 'Ana', ...fields }), 'customer_id'],
    'bulk upsert': [(fields: Row) => inBulk('bulk-upsert', fields), 'records.0.customer_id'],
  } as const

  test.each(Object.entries(ways))('is linked to the company that has the domain of its address: %s', async (_, [write, path]) => {
    const answer = await write({ email: 'Ana@Acme.com' })
    expect(codes(answer)).toEqual([`LINKED_BY_DOMAIN ${path}`])
    expect(answer.body._warnings[0].details).toEqual({ customer_id: acme.id })
    expect(answer.body.data).toMatchObject({ customer_id: acme.id, company: { id: acme.id } })
    expect(found(await crm.ws.get(`/contacts/${answer.body.data.id}/employers`))).toMatchObject([{ customer_id: acme.id, is_main: true }])
    expect((await write({ email: 'bo@acme.com.au' })).body.data.customer_id).toBe(acme.id)
    const base = await crm.company('Base')
    for (const [customer_id, email] of [
      [base, 'cy@acme.com'],
      [null, 'dee@acme.com'],
    ]) {
      const named = await write({ email, customer_id })
      expect([named.body.data.customer_id, codes(named)]).toEqual([customer_id, []])
    }
    for (const email of ['ana@gmail.com', 'ana@sub.acme.com', 'ana@other.com', null]) {
      const unknown = await write({ email, external_id: `e ${email}` })
      expect([unknown.body.data.customer_id, codes(unknown)], String(email)).toEqual([null, []])
    }
  })

  test('is linked by an import too, unless the line names a company', async () => {
    const base = await crm.company('Base')
    await imported('First name,Email,Company\nAna,ana@acme.com,\nBo,bo@acme.com,Base\nCy,cy@other.com,\n')
    const people = found(await crm.ws.get('/contacts?sort=name')) as Row[]
    expect(people.map(({ first_name, customer_id }) => [first_name, customer_id])).toEqual([
      ['Ana', acme.id],
      ['Bo', base],
      ['Cy', null],
    ])
  })

  test('is linked to none of two companies, nor to an archived one', async () => {
    const other = await company({ name: 'Other', website_url: 'https://acme.com.au' })
    expect(created(await one({ email: 'ana@acme.com.au' })).customer_id).toBe(null)
    found(await crm.ws.patch(`/companies/${other.id}`, { archived: true }))
    expect(created(await one({ email: 'bo@acme.com.au' })).customer_id).toBe(acme.id)
    found(await crm.ws.patch(`/companies/${acme.id}`, { archived: true }))
    expect(created(await one({ email: 'cy@acme.com.au' })).customer_id).toBe(null)
  })

  test('is linked in its own workspace, and only where the setting says so', async () => {
    const elsewhere = await crm.app.workspace()
    found(await elsewhere.patch('/company/crm-settings', { link_contacts_by_domain: true }))
    expect(created(await elsewhere.post('/contacts', { first_name: 'Ana', email: 'ana@acme.com' })).customer_id).toBe(null)
    expect(found(await crm.ws.patch('/company/crm-settings', { link_contacts_by_domain: false })).link_contacts_by_domain).toBe(false)
    const answer = await one({ email: 'ana@acme.com' })
    expect([created(answer).customer_id, codes(answer)]).toEqual([null, []])
  })

  test('that is matched by an upsert, or updated, keeps its company', async () => {
    const { id } = created(await one({ phone: '0412 345 678' }))
    expect(found(await crm.ws.post('/contacts/upsert', { phone: '0412 345 678', email: 'ana@acme.com' })).customer_id).toBe(null)
    expect(codes(await crm.ws.patch(`/contacts/${id}`, { email: 'ana@acme.com' }))).toEqual([])
    expect(found(await crm.ws.get(`/contacts/${id}`)).customer_id).toBe(null)
  })
})
