import { expect, test } from 'vitest'
import { bySort, failed, found, ids, nobody, type Row, refused, stagesByName, useCrm, walkWhileRowsComeAndGo, without } from './crm.ts'

const crm = useCrm()

const list = async (query = '') => found(await crm.ws.get(`/opportunities?${query}`))

async function cards(...records: Row[]): Promise<Row[]> {
  const answer = await crm.ws.post('/opportunities/bulk-create', {
    records: records.map((record) => ({ name: 'Workstations', ...record })),
  })
  expect(found(answer).results).toHaveLength(records.length)
  return answer.body.data.results
}

test('a list shows opportunities without their parts, newest first, in pages of 50', async () => {
  const first = await crm.opportunity({ name: 'First', products: [{ name: 'Desk' }] })
  const second = await crm.opportunity({ name: 'Second' })
  const answer = await crm.ws.get('/opportunities')
  const parts = ['company', 'placements', 'products', 'products_total', 'contacts', 'users', 'buckets', 'billing_parties']
  expect(answer.body).toEqual({ data: [second, first].map((row) => without(row, ...parts)), page: { limit: 50, next: null } })
})

test('a filter finds the records with its value, and no others', async () => {
  const { pipeline, stages } = await crm.firstPipeline()
  const renewals = await crm.pipeline()
  const customer_id = await crm.company()
  const { id: contact_id } = await crm.contact()
  const one = { stage_id: stages.Lost, assigned_to: crm.ws.userId, customer_id, lead_source: 'Spring', external_id: 'a' }
  const [first, second] = await cards(
    { ...one, contacts: [{ contact_id }] },
    { pipeline_id: renewals.id, external_id: 'b', lead_source: 'Autumn' },
  )
  const filters = { ...one, pipeline_id: pipeline, status: 'lost', contact_id }
  for (const [name, value] of Object.entries(filters)) expect(ids(await list(`${name}=${value}`)), name).toEqual([first!.id])
  expect(ids(await list(`pipeline_id=${renewals.id}`))).toEqual([second!.id])
  expect(ids(await list(`stage_id=${stagesByName(renewals).New}&status=open`))).toEqual([second!.id])
  expect(await list(`status=lost&pipeline_id=${renewals.id}`), 'all of several filters').toEqual([])
  for (const name of ['pipeline_id', 'stage_id', 'assigned_to', 'customer_id', 'contact_id'])
    expect(await list(`${name}=${nobody}`), name).toEqual([])
})

test("a contact's opportunities", async () => {
  const [ana, bo] = [await crm.contact(), await crm.contact({ first_name: 'Bo' })]
  const contacts = [{ contact_id: ana.id }]
  const [one, two, three] = await cards(
    { name: 'One', contacts },
    { name: 'Two', contacts, value: 5 },
    { name: 'Three', contacts: [{ contact_id: bo.id }] },
  )
  const of = async (contact: Row, query = '') => ids(found(await crm.ws.get(`/contacts/${contact.id}/deals?${query}`)))
  expect(await of(ana)).toEqual([two!.id, one!.id])
  expect(await of(bo)).toEqual([three!.id])
  expect(await of(ana, 'sort=value')).toEqual([one!.id, two!.id])
  expect(await of(ana, 'search=two')).toEqual([two!.id])
  found(await crm.ws.patch(`/opportunities/${one!.id}`, { archived: true }))
  expect(await of(ana)).toEqual([two!.id])
  expect(await of(ana, 'archived=true')).toEqual([one!.id])
  const { next } = (await crm.ws.get(`/contacts/${ana.id}/deals?archived=all&limit=1`)).body.page
  expect(await of(ana, `archived=all&limit=1&after=${next}`)).toEqual([one!.id])
  expect(await crm.ws.get(`/contacts/${bo.id}/deals?archived=all&after=${next}`)).toMatchObject(refused('after'))
  found(await crm.ws.delete(`/opportunities/${two!.id}/contacts/${ana.id}`))
  expect(await of(ana)).toEqual([])
})

test('archived opportunities are left out by default', async () => {
  const [active, archived] = await cards({}, {})
  found(await crm.ws.patch(`/opportunities/${archived!.id}`, { archived: true }))
  expect(ids(await list())).toEqual([active!.id])
  expect(ids(await list('archived=false'))).toEqual([active!.id])
  expect(ids(await list('archived=true'))).toEqual([archived!.id])
  expect(await list('archived=all')).toHaveLength(2)
  expect(found(await crm.ws.patch(`/opportunities/${archived!.id}`, { archived: false })).archived).toBe(false)
  expect(await list()).toHaveLength(2)
})

test('created_after and created_before include their own moment', async () => {
  const made: Row[] = []
  for (const name of ['A', 'B', 'C']) made.push(await crm.opportunity({ name }))
  const at = made[1]!.created_at
  const names = async (query: string) => (await list(query)).map(({ name }) => name)
  expect(await names(`created_after=${at}`)).toEqual(['C', 'B'])
  expect(await names(`created_before=${at}`)).toEqual(['B', 'A'])
  expect(await names(`created_after=${at}&created_before=${at}`)).toEqual(['B'])
})

const searches: [string, string[]][] = [
  ['work', ['12 workstations', 'Workbench 50%']],
  ['BENCH work', ['Workbench 50%']],
  ['50%', ['Workbench 50%']],
  ['a_b', ['Desk a_b']],
  ['%%', []],
  ['__', []],
  ['hub-7', ['Desk a_b']],
  ['work nothing', []],
]
test.each(searches)('searching for %j finds %j', async (words, names) => {
  await cards({ name: '12 workstations' }, { name: 'Workbench 50%' }, { name: 'Desk a_b', external_id: 'hub-7' })
  expect((await list(`search=${encodeURIComponent(words)}&sort=name`)).map(({ name }) => name)).toEqual(names)
})

const notAccepted: [string, string][] = [
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['after=abc', 'after'],
  ['sort=probability', 'sort'],
  ['archived=yes', 'archived'],
  ['search=a', 'search'],
  ['status=closed', 'status'],
  ['pipeline_id=sales', 'pipeline_id'],
  ['stage_id=new', 'stage_id'],
  ['assigned_to=me', 'assigned_to'],
  ['contact_id=ana', 'contact_id'],
  ['customer_id=acme', 'customer_id'],
  ['created_after=2026-01-01', 'created_after'],
  ['created_before=now', 'created_before'],
  ['owner=me', 'owner'],
]
test.each(notAccepted)('?%s is refused, naming %s', async (query, path) => {
  expect(await crm.ws.get(`/opportunities?${query}`)).toMatchObject(refused(path))
})

test('a cursor of another list, sort or filter is refused', async () => {
  const { pipeline } = await crm.firstPipeline()
  await cards({}, {})
  const after = (await crm.ws.get('/opportunities?limit=1')).body.page.next
  for (const other of ['sort=value', 'sort=created_at', 'archived=all', 'status=open', `pipeline_id=${pipeline}`, 'search=work']) {
    expect(await crm.ws.get(`/opportunities?after=${after}&${other}`), other).toMatchObject(refused('after'))
  }
  expect(await crm.ws.get(`/contacts?after=${after}`)).toMatchObject(refused('after'))
  expect(await list(`after=${after}&limit=100`)).toHaveLength(1)
})

test('deals of a contact need both scopes', async () => {
  const { id } = await crm.contact()
  for (const scopes of [['contacts:read'], ['opportunities:read']]) {
    expect(await (await crm.ws.key({ scopes })).get(`/contacts/${id}/deals`)).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  }
  found(await (await crm.ws.key({ scopes: ['contacts:read', 'opportunities:read'] })).get(`/contacts/${id}/deals`))
})

const keys: Record<string, (row: Row) => string | number> = {
  created_at: ({ created_at }) => created_at,
  updated_at: ({ updated_at }) => updated_at,
  name: ({ name }) => name.toLowerCase(),
  value: ({ value }) => value,
  expected_close_date: ({ expected_close_date }) => expected_close_date ?? 'none, so last',
}
const walks = Object.keys(keys).flatMap((sort) =>
  [sort, `-${sort}`].flatMap((way) => ['false', 'all'].map((archived) => [way, archived] as const)),
)

test.each(walks)('walking by %s, archived %s, neither skips nor repeats a record while others come and go', async (sort, archived) => {
  const values = [100, 0.1, 99.99, 20, 100, 0, 9, 1_000_000]
  const dates = [null, '2026-12-24', '2026-01-31', null, '2027-01-01', '2026-12-24']
  const batch = () =>
    cards(
      ...Array.from({ length: 11 }, (_, i) => ({ name: `Deal ${'abAB'[i % 4]}`, value: values[i % 8], expected_close_date: dates[i % 6] })),
    )
  const made = [...(await batch()), ...(await batch())]
  const touched = made.filter((_, i) => i % 6 === 0).map(({ id }) => ({ id, notes: 'Touched', archived: archived === 'all' }))
  for (const record of touched) found(await crm.ws.post('/opportunities/bulk-update', { records: [record] }))
  const before = (await list(`limit=100&archived=${archived}&sort=${sort}`)) as Row[]
  expect(ids(before)).toEqual(ids(bySort(before, sort, keys[sort.replace('-', '')]!)))
  expect(before).toHaveLength(made.length)

  await walkWhileRowsComeAndGo(crm, `/opportunities?limit=6&archived=${archived}&sort=${sort}`, before, {
    come: () =>
      cards({ name: 'Aaa', value: 0 }, { name: 'Deal a', value: 20, expected_close_date: '2026-12-24' }, { name: 'Zzz', value: 2_000_000 }),
    go: async (id) => found(await crm.ws.delete(`/opportunities/${id}`)),
  })
})
