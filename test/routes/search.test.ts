import { describe, expect, test } from 'vitest'
import { created, failed, found, type Row, refused, tripsOf, useCrm } from './crm.ts'

const crm = useCrm()

const search = async (q: string, more = '') => found(await crm.ws.get(`/search?q=${encodeURIComponent(q)}${more}`)) as Row
const titles = async (q: string, section = 'contacts') => (await search(q))[section].map(({ title }: Row) => title)
const company = async (name: string, fields: Row = {}) => created(await crm.ws.post('/companies', { name, ...fields }))
const people = (...names: string[]) =>
  Promise.all(
    names.map((name) => {
      const [first_name, ...rest] = name.split(' ')
      return crm.contact({ first_name, last_name: rest.join(' ') || null })
    }),
  )

test('answers contacts, companies and opportunities, each with what it was found by', async () => {
  const { id: customer_id } = await company('Cancity Pty Ltd', { website_url: 'https://cancity.example' })
  const contact = await crm.contact({ first_name: 'Cancity', last_name: 'Lee', email: 'lee@x.co' })
  const deal = await crm.opportunity({ name: 'Cancity fit-out', customer_id })
  expect(await search('cancty')).toEqual({
    documents: [],
    contacts: [
      { type: 'contact', id: contact.id, title: 'Cancity Lee', subtitle: 'lee@x.co', matched_on: 'name', score: expect.any(Number) },
    ],
    companies: [
      {
        type: 'company',
        id: customer_id,
        title: 'Cancity Pty Ltd',
        subtitle: 'https://cancity.example',
        matched_on: 'name',
        score: expect.any(Number),
      },
    ],
    opportunities: [
      {
        type: 'opportunity',
        id: deal.id,
        title: 'Cancity fit-out',
        subtitle: 'Cancity Pty Ltd · New',
        matched_on: 'name',
        score: expect.any(Number),
      },
    ],
  })
})

describe('a name is found', () => {
  test.each([
    ['with a letter left out', 'cancty', 'Cancity'],
    ['with a letter too many', 'canncity', 'Cancity'],
    ['with another letter', 'kancity', 'Cancity'],
    ['with two letters swapped', 'cnacity', 'Cancity'],
    ['with two other letters', 'kanciti', 'Cancity'],
    ['with two letters left out', 'cncty', 'Cancity'],
    ['with a wrong letter in each word', 'jonathon smyth', 'Jonathan Smith'],
    ['with two wrong letters in a long word', 'kansingten', 'Kensington'],
    ['with a wrong letter in a short word', 'anna lea', 'Ana Lee'],
    ['in another order', 'smith jonathan', 'Jonathan Smith'],
    ['by its beginning', 'jon', 'Jonathan Smith'],
    ['by one letter', 'k', 'Kensington'],
    ['by two letters of the last word', 'sm', 'Jonathan Smith'],
    ['by the beginnings of its words', 'j smi', 'Jonathan Smith'],
    ['by one of its words', 'SMITH', 'Jonathan Smith'],
    ['without its accent', 'jose', 'José O’Brien'],
    ['without its apostrophe', 'obrien', 'José O’Brien'],
    ['with another apostrophe', "o'brien", 'José O’Brien'],
    ['in full width', 'ＣＡＮＣＩＴＹ', 'Cancity'],
    ['in its own script', '山田', '山田太郎'],
  ])('%s: %s', async (_, q, expected) => {
    await people('Cancity', 'Jonathan Smith', 'Kensington', 'Ana Lee', 'José O’Brien', '山田太郎', 'Wholly Different')
    expect(await titles(q)).toEqual([expected])
  })

  test('after it was changed, and no longer by what it was', async () => {
    const { id } = await crm.contact({ first_name: 'Oldname' })
    found(await crm.ws.patch(`/contacts/${id}`, { first_name: 'Fresher' }))
    expect(await titles('freshar')).toEqual(['Fresher'])
    expect(await titles('oldname')).toEqual([])
  })

  test('the closest one first', async () => {
    await people('Smithson Ann', 'Ann Smyth', 'Ann Smith', 'Ann Smithers')
    const found = await search('ann smith')
    expect(found.contacts[0]).toMatchObject({ title: 'Ann Smith', score: 1 })
    const scores = found.contacts.map(({ score }: Row) => score)
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a))
    expect(await titles('ann smith')).toEqual(['Ann Smith', 'Ann Smithers', 'Smithson Ann', 'Ann Smyth'])
  })
})

describe('what is exact comes first', () => {
  test.each([
    ['email', 'ANA@Example.com', 'email'],
    ['another email', 'ana@home.co', 'alternate_emails'],
    ['phone number in E.164', '+61412345678', 'phone'],
    ['phone number as it is dialled', '0412 345 678', 'phone'],
    ['phone number with brackets', '(04) 1234-5678', 'phone'],
    ['another phone number', '0498 765 432', 'alternate_phones'],
    ['phone number of another country', '+44 7911 123456', 'landline'],
    ['external id', 'hubspot-7', 'external_id'],
  ])('%s: %s', async (_, q, matched_on) => {
    await people('Ana Example Com', 'Hubspot 7')
    const { id } = await crm.contact({
      first_name: 'Right',
      email: 'ana@example.com',
      alternate_emails: ['ana@home.co'],
      phone: '0412345678',
      alternate_phones: ['0498765432'],
      landline: '+447911123456',
      external_id: 'hubspot-7',
    })
    expect((await search(q)).contacts[0]).toMatchObject({ id, matched_on, score: 1 })
  })

  test('an id finds its record alone, of any kind', async () => {
    const { id } = await company('Acme')
    const [contact, deal] = [await crm.contact(), await crm.opportunity()]
    for (const [wanted, section] of [
      [id, 'companies'],
      [contact.id, 'contacts'],
      [deal.id.toUpperCase(), 'opportunities'],
    ] as const) {
      const answer = await search(wanted)
      expect(Object.values(answer).flat()).toMatchObject([{ id: wanted.toLowerCase(), matched_on: 'id', score: 1 }])
      expect(answer[section]).toHaveLength(1)
    }
  })

  test('a part of a phone number or an address is found too', async () => {
    await crm.contact({ first_name: 'Ana', email: 'ana.lee@harbour.example', phone: '0412345678' })
    await company('Bolt', { website_url: 'https://harbour.example', email: 'office@bolt.co', phone: '02 9374 4000' })
    expect((await search('412 345')).contacts).toMatchObject([{ title: 'Ana', matched_on: 'phone' }])
    expect((await search('ana.lee@harb')).contacts).toMatchObject([{ title: 'Ana', matched_on: 'email' }])
    expect((await search('harbour')).contacts).toMatchObject([{ title: 'Ana', matched_on: 'email' }])
    expect((await search('harbour')).companies).toMatchObject([{ title: 'Bolt', matched_on: 'website_url' }])
    expect((await search('office@bolt.co')).companies).toMatchObject([{ title: 'Bolt', matched_on: 'email', score: 1 }])
    expect((await search('+61293744000')).companies).toMatchObject([{ title: 'Bolt', matched_on: 'phone', score: 1 }])
  })
})

test('finds nothing for what is no word, or hostile, or far from any name', async () => {
  await people('Ana Lee')
  for (const q of [
    '!!!',
    "' or 1=1 --",
    '%',
    '_',
    '\\',
    ':*',
    '&|!',
    "a' | 'b",
    '((',
    'zzzzzz',
    '00000000-0000-4000-8000-000000000000',
    '𝄞',
  ])
    expect(Object.values(await search(q)).flat(), q).toEqual([])
})

test('leaves archived records out', async () => {
  const { id } = await crm.contact({ first_name: 'Archived', email: 'a@x.co' })
  found(await crm.ws.patch(`/contacts/${id}`, { archived: true }))
  for (const q of ['archived', 'archivd', 'a@x.co', id]) expect(await titles(q)).toEqual([])
})

test('knows nothing of another workspace', async () => {
  const stranger = await crm.app.workspace()
  const { id } = created(
    await stranger.post('/contacts', { first_name: 'Cancity', email: 'c@x.co', phone: '0412345678', external_id: 'e-1' }),
  )
  created(await stranger.post('/companies', { name: 'Cancity' }))
  created(await stranger.post('/opportunities', { name: 'Cancity' }))
  for (const q of ['cancity', 'cancty', 'can', 'c@x.co', '0412345678', '412345', 'e-1', id])
    expect(Object.values(await search(q)).flat(), q).toEqual([])
})

test('answers the sections asked for, by older names too, and at most limit of each', async () => {
  await people('Ann A', 'Ann B', 'Ann C')
  await company('Ann Co')
  expect(Object.keys(await search('ann', '&types=contacts'))).toEqual(['contacts'])
  expect(Object.keys(await search('ann', '&types=deals,customers'))).toEqual(['companies', 'opportunities'])
  expect((await search('ann', '&limit=2')).contacts).toHaveLength(2)
  for (const query of ['', '?q=', '?q=%20', '?q=a%00', `?q=${'x'.repeat(121)}`])
    expect(await crm.ws.get(`/search${query}`)).toMatchObject(refused('q'))
  expect(await crm.ws.get('/search?q=a&types=tasks')).toMatchObject(refused('types'))
  expect(await crm.ws.get('/search?q=a&limit=51')).toMatchObject(refused('limit'))
})

test('a section that the key may not read is left out, with a warning', async () => {
  await people('Ann A')
  await company('Ann Co')
  const key = await crm.ws.key({ scopes: ['companies:read'] })
  const answer = await key.get('/search?q=ann')
  expect(answer).toMatchObject({
    status: 200,
    body: {
      data: { companies: [{ title: 'Ann Co' }] },
      _warnings: [
        { code: 'INSUFFICIENT_SCOPE', field: 'contacts', details: { required_scopes: ['contacts:read'] } },
        { code: 'INSUFFICIENT_SCOPE', field: 'opportunities' },
        { code: 'INSUFFICIENT_SCOPE', field: 'documents' },
      ],
    },
  })
  expect(Object.keys(answer.body.data)).toEqual(['companies'])
  const any = await crm.ws.key({ scopes: ['*:read'], level: 'read_only', role: 'client_viewer' })
  expect(Object.keys((await any.get('/search?q=ann')).body.data)).toHaveLength(4)
  expect((await any.get('/search?q=ann')).body._warnings).toBeUndefined()
  expect(await crm.app.fetch('/v1/search?q=ann').then(({ status }) => status)).toBe(401)
  expect(await crm.ws.post('/search', { q: 'ann' })).toMatchObject(failed(405, 'METHOD_NOT_ALLOWED'))
})

test('takes one round trip', async () => {
  expect(await tripsOf(crm.app, () => search('jonathon smyth'))).toBe(1)
})

test('names of a bulk call are learnt too', async () => {
  found(await crm.ws.post('/contacts/bulk-create', { records: [{ first_name: 'Bartholomew' }, { first_name: 'Wilhelmina' }] }))
  expect(await titles('bartolomew')).toEqual(['Bartholomew'])
  expect(await titles('wilhelmine')).toEqual(['Wilhelmina'])
})

test('twenty records with the same new word at once do not mind', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      crm.ws.post('/contacts', { first_name: `Zanzibar${'abcdefghijklmnopqrst'[at % 3]}`, last_name: 'Newword' }),
    ),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect((await search('newwrod', '&limit=50')).contacts).toHaveLength(20)
})
