import { expect, test } from 'vitest'
import { bySort, found, ids, nobody, type Row, refused, useCrm, walkWhileRowsComeAndGo, without } from './crm.ts'

const crm = useCrm()

const list = async (query: string) => found(await crm.ws.get(`/contacts?${query}`))

async function people(...records: Row[]): Promise<Row[]> {
  const { results } = found(
    await crm.ws.post('/contacts/bulk-create', { records: records.map((record) => ({ first_name: 'Ana', ...record })) }),
  )
  expect(results).toHaveLength(records.length)
  return results
}

test('a list shows whole records, newest first, in pages of 50', async () => {
  const first = await crm.contact({ first_name: 'First', customer_id: await crm.company() })
  const second = await crm.contact({ first_name: 'Second' })
  const answer = await crm.ws.get('/contacts')
  expect(answer.body).toEqual({
    data: [second, first].map((contact) => without(contact, 'company', 'stakeholder_types', 'opportunities', 'lists')),
    page: { limit: 50, next: null },
  })
  await people(...Array.from({ length: 50 }, () => ({})))
  const full = await crm.ws.get('/contacts')
  expect([found(full).length, typeof full.body.page.next]).toEqual([50, 'string'])
})

test('a filter finds the records with its value, and no others', async () => {
  const source_id = await crm.leadSource()
  const customer_id = await crm.company()
  const one = {
    email: 'one@x.co',
    phone: '+61412345678',
    customer_id,
    contact_type: 'Supplier',
    source: 'api',
    source_id,
    is_referrer: true,
    external_id: 'a',
  }
  const two = { email: 'two@x.co', phone: '+61412345679', contact_type: 'Customer', external_id: 'b' }
  const [first, second] = await people(one, two)
  for (const [name, value] of Object.entries(one)) {
    expect(ids(await list(`${name}=${encodeURIComponent(String(value))}`)), name).toEqual([first!.id])
  }
  expect(ids(await list('email=TWO@x.co'))).toEqual([second!.id])
  expect(ids(await list('is_referrer=false'))).toEqual([second!.id])
  expect(await list('source=api&contact_type=Customer'), 'all of several filters').toEqual([])
  expect(await list(`customer_id=${nobody}`)).toEqual([])
})

test('archived records are left out by default', async () => {
  const [active, archived] = await people({}, {})
  found(await crm.ws.patch(`/contacts/${archived!.id}`, { archived: true }))
  expect(ids(await list(''))).toEqual([active!.id])
  expect(ids(await list('archived=false'))).toEqual([active!.id])
  expect(ids(await list('archived=true'))).toEqual([archived!.id])
  expect(ids(await list('archived=all')).sort()).toEqual([active!.id, archived!.id].sort())
  found(await crm.ws.patch(`/contacts/${archived!.id}`, { archived: false }))
  expect(await list('')).toHaveLength(2)
})

test('created_after and created_before include their own moment', async () => {
  const made: Row[] = []
  for (const first_name of ['A', 'B', 'C']) made.push(await crm.contact({ first_name }))
  const [, second] = made
  const at = second!.created_at as string
  const names = async (query: string) => (await list(query)).map(({ first_name }) => first_name)
  expect(await names(`created_after=${at}`)).toEqual(['C', 'B'])
  expect(await names(`created_before=${at}`)).toEqual(['B', 'A'])
  expect(await names(`created_after=${at}&created_before=${at}`)).toEqual(['B'])
  const elsewhere = new Date(Date.parse(at) + 10 * 3_600_000).toISOString().replace('Z', '+10:00')
  expect(await names(`created_after=${elsewhere}&created_before=${encodeURIComponent(elsewhere)}`), 'the same moment elsewhere').toEqual([
    'B',
  ])
})

const searches: [string, string[]][] = [
  ['ana', ['Ana Lee', 'Mariana Cruz']],
  ['ANA lee', ['Ana Lee']],
  ['lee ana', ['Ana Lee']],
  ['  lee   ana ', ['Ana Lee']],
  ['bo@work', ['Bo 100%']],
  ['61412', ['Ana Lee']],
  ['100%', ['Bo 100%']],
  ['%%', []],
  ['a_a', ['Cy a_a']],
  ['__', []],
  ['\\\\', []],
  ["o'", ["Dee O'Hara"]],
  ['ＡＮＡ', ['Ana Lee', 'Mariana Cruz']],
  ['ana nobody', []],
  ['ana ana ana ana ana ana nobody', []],
]
test.each(searches)('searching for %j finds %j', async (words, names) => {
  await people(
    { last_name: 'Lee', phone: '0412 345 678' },
    { first_name: 'Mariana', last_name: 'Cruz' },
    { first_name: 'Bo', last_name: '100%', email: 'bo@work.example' },
    { first_name: 'Cy', last_name: 'a_a' },
    { first_name: 'Dee', last_name: "O'Hara" },
  )
  const data = await list(`search=${encodeURIComponent(words)}&sort=name`)
  expect(data.map(({ first_name, last_name }) => `${first_name} ${last_name}`)).toEqual(names)
})

test('a search sees what has changed, and only this workspace', async () => {
  const { id } = await crm.contact({ last_name: 'Lee' })
  await (await crm.app.workspace()).post('/contacts', { first_name: 'Ana', last_name: 'Lee' })
  expect(ids(await list('search=lee'))).toEqual([id])
  found(await crm.ws.patch(`/contacts/${id}`, { last_name: 'Moon' }))
  expect(await list('search=lee')).toEqual([])
  expect(ids(await list('search=moon'))).toEqual([id])
})

const notAccepted: [string, string][] = [
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['limit=ten', 'limit'],
  ['limit=5&limit=6', 'limit'],
  ['after=', 'after'],
  ['after=abc', 'after'],
  ['sort=phone', 'sort'],
  ['sort=--name', 'sort'],
  ['archived=maybe', 'archived'],
  ['search=a', 'search'],
  ['search=%20a%20', 'search'],
  ['created_after=yesterday', 'created_after'],
  ['created_before=2026-01-01', 'created_before'],
  ['is_referrer=yes', 'is_referrer'],
  ['customer_id=acme', 'customer_id'],
  ['source=campaign', 'source'],
  ['email=ana', 'email'],
  ['first_name=Ana', 'first_name'],
]
test.each(notAccepted)('?%s is refused, naming %s', async (query, path) => {
  expect(await crm.ws.get(`/contacts?${query}`)).toMatchObject(refused(path))
})

test('a cursor of another list, sort or filter is refused; another limit is not', async () => {
  await people({}, {}, {})
  await crm.opportunity()
  await crm.opportunity()
  const next = async (path: string) => (await crm.ws.get(path)).body.page.next
  const after = await next('/contacts?limit=1')
  for (const other of [
    '&sort=name',
    '&sort=created_at',
    '&archived=all',
    '&contact_type=Customer',
    '&search=ana',
    '&created_after=2020-01-01T00:00:00Z',
  ]) {
    expect(await crm.ws.get(`/contacts?after=${after}${other}`), other).toMatchObject(refused('after'))
  }
  expect(await crm.ws.get(`/opportunities?after=${after}`)).toMatchObject(refused('after'))
  expect(await crm.ws.get(`/contacts?after=${await next('/opportunities?limit=1')}`)).toMatchObject(refused('after'))
  expect(await crm.ws.get(`/contacts?after=${after.slice(0, -2)}`)).toMatchObject(refused('after'))
  expect(await list(`after=${after}&limit=2`)).toHaveLength(2)
  expect(await list(`after=${after}&sort=-created_at&archived=false`), 'the same as the defaults').toHaveLength(2)
})

const names = ['Émile', 'ana', 'Bo', 'Ana', 'zoë', 'Bo', 'Cy Lee', 'Cy-Lee', 'Ärger', 'bo', 'Zo', 'Ana', 'Ａna', 'Dee']
const norm = (text: string) => text.normalize('NFKC').toLowerCase()
const keys: Record<string, (contact: Row) => string> = {
  created_at: ({ created_at }) => created_at,
  updated_at: ({ updated_at }) => updated_at,
  name: ({ first_name }) => norm(first_name),
}
const walks = Object.keys(keys).flatMap((sort) =>
  [sort, `-${sort}`].flatMap((way) => ['false', 'all'].map((archived) => [way, archived] as const)),
)

test.each(walks)('walking by %s, archived %s, neither skips nor repeats a record while others come and go', async (sort, archived) => {
  // Two calls: within one, the records share their moment.
  const made = [
    ...(await people(...names.map((first_name) => ({ first_name })))),
    ...(await people(...names.map((first_name) => ({ first_name })))),
  ]
  for (const { id } of made.filter((_, i) => i % 6 === 0))
    found(await crm.ws.patch(`/contacts/${id}`, { city: 'Perth', archived: archived === 'all' }))
  const key = keys[sort.replace('-', '')]!
  const before = (await list(`limit=100&archived=${archived}&sort=${sort}`)) as Row[]
  expect(ids(before)).toEqual(ids(bySort(before, sort, key)))
  expect(before).toHaveLength(made.length)

  await walkWhileRowsComeAndGo(crm, `/contacts?limit=6&archived=${archived}&sort=${sort}`, before, {
    come: async () => {
      await people({ first_name: 'AAA' }, { first_name: 'Bob' }, { first_name: 'zzz' })
    },
    go: async (id) => {
      found(await crm.ws.delete(`/contacts/${id}`))
    },
  })
})

test('phone numbers are found in any format, and what is none is refused', async () => {
  const [one, two] = await people({ phone: '0412 345 678' }, { phone: '+44 20 7946 0018' })
  for (const phone of ['%2B61412345678', '+61 412 345 678', '0412345678', '0061412345678', '(0412)%20345-678'])
    expect(ids(await list(`phone=${phone}`)), phone).toEqual([one!.id])
  expect(ids(await list('phone=+442079460018'))).toEqual([two!.id])
  for (const phone of ['12345', 'soon', '']) expect(await crm.ws.get(`/contacts?phone=${phone}`)).toMatchObject(refused('phone'))
  for (const search of ['0412%20345%20678', '+61%20412%20345%20678', '(0412)%20345-678', '0412%20345', '0061412345678'])
    expect(ids(await list(`search=${search}`)), search).toEqual([one!.id])
  expect(ids(found(await crm.ws.post('/contacts/search', { search: '020 7946 0018' })))).toEqual([two!.id])
})

test('an address is also found among the alternate ones, by filter and by search', async () => {
  const [one, two, three] = await people(
    { email: 'main@x.co', alternate_emails: ['old@x.co'] },
    { email: 'old@x.co' },
    { alternate_emails: ['old@x.co', 'third@x.co'] },
  )
  expect(ids(await list('email=OLD@x.co'))).toEqual([three!.id, two!.id, one!.id])
  expect(ids(await crm.walk('/contacts?email=old@x.co&limit=1'))).toEqual([three!.id, two!.id, one!.id])
  expect(ids(await crm.walk('/contacts?email=old@x.co&limit=1&archived=all&sort=name'))).toEqual(ids([one, two, three] as Row[]).sort())
  expect(ids(await list('email=main@x.co'))).toEqual([one!.id])
  expect(ids(await list('search=third@x.co'))).toEqual([three!.id])
  expect(ids(await list('email=old@x.co&search=main'))).toEqual([one!.id])
})

test('a number is also found among the alternate ones, by filter and by search', async () => {
  const [one, two, three] = await people(
    { phone: '0412 345 678', alternate_phones: ['0498 765 432'] },
    { phone: '0498 765 432' },
    { alternate_phones: ['0498 765 432', '02 9374 4000'] },
  )
  expect(ids(await list('phone=0498%20765%20432'))).toEqual([three!.id, two!.id, one!.id])
  expect(ids(await crm.walk('/contacts?phone=0498765432&limit=1'))).toEqual([three!.id, two!.id, one!.id])
  expect(ids(await list('phone=0412345678'))).toEqual([one!.id])
  expect(ids(await list('search=02%209374%204000'))).toEqual([three!.id])
  expect(ids(await list('phone=0498765432&search=0412%20345'))).toEqual([one!.id])
  const file = await crm.ws.get('/contacts/export?phone=0293744000&fields=id,alternate_phones&bom=false')
  expect(file.body.trim().split(/\r?\n/)).toEqual(['id,alternate_phones', `${three!.id},"'+61498765432; +61293744000"`])
})

test('a company’s contacts are all whom it employs, whatever their main company is', async () => {
  const [acme, base] = [await crm.company(), await crm.company('Base')]
  const [main, second, other] = await people(
    { customer_id: acme, email: 'm@x.co' },
    { customer_id: base, alternate_emails: ['m@x.co'] },
    { customer_id: base },
  )
  found(await crm.ws.post(`/contacts/${second!.id}/employers/${acme}`))
  expect(ids(await list(`customer_id=${acme}`))).toEqual([second!.id, main!.id])
  expect(ids(await crm.walk(`/contacts?customer_id=${acme}&limit=1&sort=created_at`))).toEqual([main!.id, second!.id])
  expect(ids(await list(`customer_id=${base}`))).toEqual([other!.id, second!.id])
  expect(ids(await list(`customer_id=${acme}&email=m@x.co`))).toEqual([second!.id, main!.id])
  const file = await crm.ws.get(`/contacts/export?customer_id=${acme}&fields=id&bom=false`)
  expect(file.body.trim().split(/\r?\n/)).toEqual(['id', second!.id, main!.id])
})

test('accents and case do not matter in a search', async () => {
  const [one, two] = await people({ first_name: 'Zoë', last_name: 'Müller' }, { first_name: 'Zoe', last_name: 'Muller' })
  for (const search of ['zoë müller', 'ZOE MULLER', 'Zoe\u0308']) {
    expect(ids(await list(`search=${encodeURIComponent(search)}`)), search).toEqual([two!.id, one!.id])
  }
  const [odos] = await people({ first_name: 'ΟΔΟΣ' })
  for (const search of ['οδος', 'οδοσ']) expect(ids(await list(`search=${encodeURIComponent(search)}`))).toEqual([odos!.id])
})
