import { describe, expect, test } from 'vitest'
import { proving } from '../proof.ts'
import { failed, found, ids, nobody, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm()

const list = async (kind = 'contacts', query = '') => found(await crm.ws.get(`/${kind}/duplicates${query}`)) as Row[]
const of = async (id: string, kind = 'contacts') => found(await crm.ws.get(`/${kind}/${id}/duplicates`)) as Row[]
/** Pairs as sets of names, in one form. */
const pairs = (items: Row[]) =>
  items
    .flatMap(({ record, candidates }) => candidates.map((candidate: Row) => [record.name, candidate.record.name].sort().join(' = ')))
    .sort()
const fields = (reasons: Row[]) => reasons.map(({ field, kind }) => `${field} ${kind}`)
const company = async (fields: Row) => (await crm.ws.post('/companies', fields)).body.data.id as string

describe('contacts', () => {
  test('are candidates by address, number and name, the pair once and with all its reasons', async () => {
    const acme = await crm.company()
    await crm.contact({ first_name: 'Ana', last_name: 'Lee', email: 'ana@x.co', phone: '0412 345 678' })
    await crm.contact({ first_name: 'A.', last_name: 'Lee', email: 'Ana@X.co', phone: '+61412345678' })
    await crm.contact({ first_name: 'Bo', email: 'bo@x.co', alternate_emails: ['bo.old@x.co'] })
    await crm.contact({ first_name: 'Bob', email: 'bo.old@x.co' })
    await crm.contact({ first_name: 'Cy', alternate_emails: ['cy@x.co'] })
    await crm.contact({ first_name: 'Cyril', alternate_emails: ['cy@x.co', 'cyril@x.co'] })
    await crm.contact({ first_name: 'Fay', phone: '0498 765 432', alternate_phones: ['0498 765 431'] })
    await crm.contact({ first_name: 'F.', alternate_phones: ['0498 765 432'] })
    await crm.contact({ first_name: 'Gus', phone: '0498 765 411' })
    await crm.contact({ first_name: 'G.', alternate_phones: ['0498 765 411'] })
    await crm.contact({ first_name: 'Dee', landline: '02 9374 4000' })
    await crm.contact({ first_name: 'D.', landline: '+61 2 9374 4000' })
    await crm.contact({ first_name: 'Erika', last_name: 'Muster', customer_id: acme })
    await crm.contact({ first_name: 'Erica', last_name: 'Muster', customer_id: acme })
    await crm.contact({ first_name: 'ERIKA ', last_name: ' Muster' })
    await crm.contact({ first_name: 'Erin', last_name: 'Masters' })
    await crm.contact({ first_name: 'Lone', email: 'ana+crm@x.co' })
    const items = await list()
    expect(pairs(items)).toEqual(
      [
        'A. Lee = Ana Lee',
        'Bo = Bob',
        'Cy = Cyril',
        'D. = Dee',
        'ERIKA Muster = Erika Muster',
        'Erica Muster = Erika Muster',
        'F. = Fay',
        'G. = Gus',
      ].sort(),
    )
    const candidates = new Map(
      items.flatMap(({ record, candidates }) => candidates.map((one: Row) => [[record.name, one.record.name].sort().join(), one] as const)),
    )
    const lees = candidates.get('A. Lee,Ana Lee') as Row
    expect(fields(lees.reasons)).toEqual(['email exact', 'phone exact', 'name similar'])
    expect(lees.reasons[0]).toMatchObject({ value: 'ana@x.co' })
    expect(lees.score).toBeGreaterThan(0.98)
    expect(fields((candidates.get('Bo,Bob') as Row).reasons)).toEqual(
      ['alternate_emails exact', 'name similar'].slice(0, (candidates.get('Bo,Bob') as Row).reasons.length),
    )
    expect((candidates.get('F.,Fay') as Row).reasons).toMatchObject([{ field: 'alternate_phones', kind: 'exact', value: '+61498765432' }])
    expect(fields((candidates.get('Erica Muster,Erika Muster') as Row).reasons)).toEqual(['name similar', 'customer_id exact'])
    expect(candidates.get('D.,Dee')).toMatchObject({ score: 0.4, record: { email: null, created_at: expect.stringMatching(/Z$/) } })
  })

  test('have candidates of their own, the likeliest first, wherever their names stand in the alphabet', async () => {
    const { id } = await crm.contact({ first_name: 'Katherine', last_name: 'Jonson', email: 'kj@x.co', phone: '0498 765 432' })
    const twin = await crm.contact({ first_name: 'Catherine', last_name: 'Johnson', alternate_emails: ['kj@x.co'] })
    const sameNumber = await crm.contact({ first_name: 'K.', alternate_phones: ['0498 765 432'] })
    const alike = await crm.contact({ first_name: 'Katherine', last_name: 'Johnson' })
    await crm.contact({ first_name: 'Jon', last_name: 'Katz' })
    const archived = await crm.contact({ first_name: 'Old', email: 'kj@x.co' })
    await crm.ws.patch(`/contacts/${archived.id}`, { archived: true })
    const found = await of(id)
    expect(found.map(({ record }) => record.id)).toEqual([twin.id, sameNumber.id, alike.id])
    expect(fields(found[2]!.reasons)).toEqual(['name similar'])
    expect(found[0]!.score).toBeGreaterThan(found[1]!.score)
    expect(await crm.ws.get(`/contacts/${id}/duplicates?limit=1`)).toMatchObject({ body: { data: [{}] } })
    expect(await crm.ws.get(`/contacts/${nobody}/duplicates`)).toMatchObject(failed(404, 'NOT_FOUND'))
  })

  test('with one number and different names, or with a common name alone, are proposed only below the usual score', async () => {
    const shared = { phone: '02 9374 4000' }
    const ana = await crm.contact({ first_name: 'Ana', last_name: 'Lee', email: 'ana@x.co', ...shared })
    await crm.contact({ first_name: 'Ben', last_name: 'Ho', email: 'ben@x.co', ...shared })
    const wei = await crm.contact({ first_name: 'Wei', last_name: 'Chen', email: 'wei@one.co', phone: '0412 345 678' })
    await crm.contact({ first_name: 'Wei', last_name: 'Chen', email: 'wei@two.co', phone: '0498 765 432' })
    expect([await list(), await of(ana.id), await of(wei.id)]).toEqual([[], [], []])
    const low = await list('contacts', '?min_score=0.2')
    expect(pairs(low)).toEqual(['Ana Lee = Ben Ho', 'Wei Chen = Wei Chen'])
    const found = low.flatMap(({ candidates }) => candidates)
    expect(found).toMatchObject([
      { score: 0.24, differences: ['name'], reasons: [{ field: 'phone' }] },
      { score: 0.216, differences: ['email', 'phone'], reasons: [{ field: 'name' }] },
    ])
    expect(await crm.ws.get(`/contacts/${wei.id}/duplicates?min_score=0.2`)).toMatchObject({ body: { data: [{ score: 0.216 }] } })
    expect(await crm.ws.get(`/contacts/${wei.id}/duplicates?min_score=0.22`)).toMatchObject({ body: { data: [] } })
    for (const score of ['-0.1', '1.1', 'x'])
      expect(await crm.ws.get(`/contacts/duplicates?min_score=${score}`)).toMatchObject(refused('min_score'))
  })

  test('that were dismissed are candidates no more, until that is taken back', async () => {
    const [a, b] = [await crm.contact({ email: 'a@x.co' }), await crm.contact({ email: 'a@x.co', first_name: 'Bo' })]
    const dismiss = (list: string[]) => crm.ws.post('/contacts/duplicates/dismiss', { ids: list })
    const first = found(await dismiss([b.id, a.id]))
    expect(first).toMatchObject({ object: 'contact', first_id: a.id, second_id: b.id, dismissed_by: crm.ws.userId })
    expect(found(await dismiss([a.id, b.id])).id).toBe(first.id)
    expect([await list(), await of(a.id), await of(b.id)]).toEqual([[], [], []])
    expect(ids(found(await crm.ws.get('/contacts/duplicates/dismissed')))).toEqual([first.id])
    expect(found(await crm.ws.get('/companies/duplicates/dismissed'))).toEqual([])
    expect(await crm.ws.delete(`/companies/duplicates/dismissed/${first.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    found(await crm.ws.delete(`/contacts/duplicates/dismissed/${first.id}`))
    expect(pairs(await list())).toHaveLength(1)
    expect((await crm.events(first.id)).map(({ type }) => type)).toEqual(['dismissed_duplicate.created', 'dismissed_duplicate.deleted'])
    expect(await dismiss([a.id])).toMatchObject(refused('ids'))
    expect(await dismiss([a.id, a.id])).toMatchObject(refused('ids'))
    expect(await dismiss([a.id, nobody])).toMatchObject(refused('ids.1'))
    const stranger = await crm.app.workspace()
    expect(await stranger.post('/contacts/duplicates/dismiss', { ids: [a.id, b.id] })).toMatchObject(refused('ids.0'))
    expect((await stranger.get('/contacts/duplicates')).body.data).toEqual([])
  })

  test('are walked to the end page by page, each pair once, also where many share a number', async () => {
    const people = proving ? 6_000 : 2_000
    await crm.app.owner.query(
      `insert into contacts (workspace_id, first_name, last_name, email, landline, created_at)
       select $1, 'Person', 'No' || n, case when n % 1000 < 2 then 'shared' || n / 1000 || '@x.co' else 'p' || n || '@x.co' end,
         case when n <= 40 then '+61293744000' end, now() - n * interval '1 second'
       from generate_series(1, $2::int) n`,
      [crm.ws.id, people],
    )
    const size = proving ? 3 : 20
    const seen: Row[] = []
    let after = ''
    let pages = 0
    do {
      const answer = await crm.ws.get(`/contacts/duplicates?limit=${size}${after && `&after=${after}`}`)
      seen.push(...found(answer))
      expect(answer.body.data.length).toBeLessThanOrEqual(size)
      after = answer.body.page.next ?? ''
      pages++
    } while (after && pages < 3000 && seen.filter(({ candidates }) => candidates[0].reasons[0].field === 'name').length < 30)
    const keys = seen.flatMap(({ record, candidates }) => candidates.map((one: Row) => [record.id, one.record.id].sort().join()))
    expect(new Set(keys).size).toBe(keys.length)
    const by = (field: string) => seen.filter(({ candidates }) => candidates[0].reasons[0].field === field)
    expect(by('email')).toHaveLength(people / 1_000 - 1)
    expect(by('landline')).toHaveLength(39)
    expect(by('landline').filter(({ candidates }) => candidates.length === 3)).toHaveLength(37)
    expect(await crm.ws.get('/contacts/duplicates?after=zork')).toMatchObject(refused('after'))
    const { body } = await crm.ws.get('/contacts/duplicates?limit=3')
    expect(await crm.ws.get(`/companies/duplicates?limit=3&after=${body.page.next}`)).toMatchObject(refused('after'))
  })
})

test('companies are candidates by address, number and name, and more so by business number and web site', async () => {
  await company({ name: 'Harbour Renovations', email: 'info@harbour.co', abn: '51 824 753 556' })
  await company({ name: 'Harbour Renovations Pty Ltd', website_url: 'https://www.harbour.co/about', abn: '51824753556' })
  await company({ name: 'Harbour Renovation Group', website_url: 'https://harbour.co' })
  await company({ name: 'Something else', email: 'INFO@harbour.co' })
  const lone = await company({ name: 'Lone' })
  const items = await list('companies')
  expect(pairs(items)).toEqual([
    'Harbour Renovation Group = Harbour Renovations',
    'Harbour Renovation Group = Harbour Renovations Pty Ltd',
    'Harbour Renovations = Harbour Renovations Pty Ltd',
    'Harbour Renovations = Something else',
  ])
  const pty = items.find(({ record }) => record.name === 'Harbour Renovations Pty Ltd') as Row
  expect(pty.candidates.map(({ reasons }: Row) => fields(reasons))).toEqual([['abn exact', 'name similar']])
  const group = items.find(({ record }) => record.name === 'Harbour Renovation Group') as Row
  expect(group.candidates.map(({ reasons }: Row) => fields(reasons))).toContainEqual(['website_url exact', 'name similar'])
  expect(await of(lone, 'customers')).toEqual([])
  expect(await of(pty.record.id, 'companies')).toHaveLength(2)
})

test('opportunities are candidates by the same or a similar name at one company', async () => {
  const [acme, other] = [await crm.company('Acme'), await crm.company('Other')]
  const first = await crm.opportunity({ name: '12 workstations', customer_id: acme })
  await crm.opportunity({ name: '12 Workstations ', customer_id: acme })
  await crm.opportunity({ name: '12 workstations', customer_id: other })
  await crm.opportunity({ name: '12 workstations' })
  expect(pairs(await list('deals'))).toEqual(['12 Workstations = 12 workstations'])
  expect(await of(first.id, 'opportunities')).toMatchObject([
    {
      score: 0.72,
      reasons: [
        { field: 'name', kind: 'exact' },
        { field: 'customer_id', kind: 'exact' },
      ],
    },
  ])
})

test('companies of one name with different business numbers, and deals that differ by a number, are none', async () => {
  await company({ name: 'City Plumbing', abn: '51 824 753 556', phone: '02 9374 4001' })
  await company({ name: 'City Plumbing', abn: '83 914 571 673', phone: '03 9374 4001' })
  expect(await list('companies')).toEqual([])
  const acme = await crm.company('Acme')
  for (const year of [2024, 2025]) await crm.opportunity({ name: `Annual service contract ${year}`, customer_id: acme })
  expect(await list('opportunities')).toEqual([])
})

test('companies with the same business number or web site are candidates whatever their names are', async () => {
  for (const name of ['Mid', 'Middle', 'Midway', 'Midwest']) await company({ name })
  const one = await company({ name: 'Alpha', abn: '51 824 753 556', website_url: 'https://www.facebook.com/alpha' })
  const two = await company({ name: 'Zulu', abn: 'ABN 51824753556', website_url: 'https://www.facebook.com/zulu' })
  const three = await company({ name: 'Beta', website_url: 'http://shared-host.com.au/beta' })
  const four = await company({ name: 'Yankee', website_url: 'https://WWW.shared-host.com.au' })
  const reasons = (items: Row[]) => items.flatMap(({ candidates }) => candidates.map((candidate: Row) => fields(candidate.reasons)))
  expect(
    reasons(await list('companies'))
      .flat()
      .filter((reason) => reason.endsWith('exact')),
  ).toEqual(['abn exact', 'website_url exact'])
  for (const [id, other, reason] of [
    [one, two, 'abn exact'],
    [three, four, 'website_url exact'],
  ] as const) {
    expect((await of(id, 'companies')).map(({ record, reasons }: Row) => [record.id, fields(reasons)])).toEqual([[other, [reason]]])
  }
})
