import { expect, test } from 'vitest'
import { created, found, nobody, refused, useCrm, uuid } from './crm.ts'

const crm = useCrm()

test('a contact needs a first name and nothing else; the rest has its defaults', async () => {
  const contact = await crm.contact({ first_name: '  Ana ' })
  const { id, created_at, updated_at, relationship_started_at, ...rest } = contact
  expect(id).toEqual(uuid)
  expect(rest).toEqual({
    first_name: 'Ana',
    last_name: null,
    email: null,
    alternate_emails: [],
    phone: null,
    alternate_phones: [],
    landline: null,
    job_title: null,
    contact_type: null,
    date_of_birth: null,
    notes: null,
    source: 'manual',
    source_id: null,
    address_line1: null,
    address_line2: null,
    city: null,
    state: null,
    postal_code: null,
    country: 'Australia',
    timezone: null,
    is_primary: false,
    metadata: {},
    email_unsubscribed: false,
    sms_unsubscribed: false,
    voice_unsubscribed: false,
    whatsapp_unsubscribed: false,
    is_referrer: false,
    referrer_category: null,
    referrer_opportunity_id: null,
    customer_id: null,
    assigned_to: null,
    tags: [],
    company: null,
    stakeholder_types: { count: 0, more: false, newest: [] },
    lists: { count: 0, more: false, newest: [] },
    opportunities: { count: 0, more: false, newest: [] },
    external_id: null,
    archived: false,
    version: 1,
  })
  expect(Math.abs(Date.parse(created_at) - Date.now())).toBeLessThan(60_000)
  expect(updated_at).toBe(created_at)
  expect(relationship_started_at, 'the relationship begins with the record').toBe(created_at)
  expect(found(await crm.ws.get(`/contacts/${id}`))).toEqual(contact)
})

const texts = {
  last_name: 'Lee',
  job_title: 'Head of Operations',
  contact_type: 'Customer',
  notes: 'Prefers calls\n  before noon. ',
  address_line1: 'Suite 4',
  address_line2: '12 Bridge Street',
  city: 'Newcastle',
  state: 'NSW',
  postal_code: '02300',
  referrer_category: 'Gold',
  external_id: 'hubspot-1042',
}

test('texts are kept as they are sent', async () => {
  const { id } = await crm.contact(texts)
  expect(found(await crm.ws.get(`/contacts/${id}`))).toMatchObject(texts)
})

test('an update changes what was sent and nothing else', async () => {
  const before = await crm.contact({ ...texts, email: 'ana@example.com', metadata: { tier: 'gold' }, is_referrer: true })
  const after = found(await crm.ws.patch(`/contacts/${before.id}`, { city: 'Maitland' }))
  expect(after).toEqual({ ...before, city: 'Maitland', version: 2, updated_at: after.updated_at })
})

test.each([
  ['an empty string', ''],
  ['white space', '  '],
  ['null', null],
])('%s clears a field', async (_, blank) => {
  const { id } = await crm.contact({
    ...texts,
    email: 'ana@example.com',
    phone: '0412 345 678',
    landline: '02 9374 4000',
    date_of_birth: '1988-02-29',
    timezone: 'Australia/Perth',
    relationship_started_at: '2020-07-01',
    source_id: await crm.leadSource(),
    customer_id: await crm.company(),
    referrer_opportunity_id: (await crm.opportunity()).id,
  })
  const stored = found(await crm.ws.get(`/contacts/${id}`))
  const fields = [...Object.keys(texts), 'email', 'phone', 'landline', 'date_of_birth', 'timezone', 'relationship_started_at', 'country']
  const named = [...fields, 'source_id', 'customer_id', 'referrer_opportunity_id']
  for (const field of named) expect(stored[field], field).not.toBeNull()
  const cleared = found(await crm.ws.patch(`/contacts/${id}`, Object.fromEntries(named.map((field) => [field, blank]))))
  expect(Object.fromEntries(named.map((field) => [field, cleared[field]]))).toEqual(Object.fromEntries(named.map((field) => [field, null])))
  expect(cleared.company).toBeNull()
})

const notAccepted: [string, unknown][] = [
  ['first_name', undefined],
  ['first_name', ''],
  ['first_name', '   '],
  ['first_name', null],
  ['first_name', 7],
  ['last_name', 7],
  ['job_title', ['Chef']],
  ['contact_type', {}],
  ['notes', false],
  ['landline', 299],
  ['email', 'ana'],
  ['email', 'ana@example'],
  ['email', 'ana@@example.com'],
  ['phone', 'soon'],
  ['phone', '12'],
  ['phone', 412345678],
  ['date_of_birth', '29/02/1988'],
  ['date_of_birth', '1988-2-9'],
  ['date_of_birth', '1987-02-29'],
  ['date_of_birth', '2999-01-01'],
  ['source', 'campaign'],
  ['source', 'Manual'],
  ['source_id', 'web'],
  ['source_id', nobody],
  ['timezone', 'Narnia'],
  ['timezone', '+10:00'],
  ['is_primary', 'yes'],
  ['metadata', []],
  ['metadata', 'gold'],
  ['relationship_started_at', 'yesterday'],
  ['relationship_started_at', '2999-01-01'],
  ['relationship_started_at', '2999-01-01T00:00:00Z'],
  ['email_unsubscribed', 'no'],
  ['sms_unsubscribed', 1],
  ['voice_unsubscribed', null],
  ['whatsapp_unsubscribed', 'true'],
  ['is_referrer', 1],
  ['referrer_category', 3],
  ['referrer_opportunity_id', nobody],
  ['customer_id', nobody],
  ['customer_id', 'acme'],
  ['alternate_emails', 'b@example.com'],
  ['alternate_phones', '+61412345678'],
  ['alternate_phones.1', ['+61412345678', '12345']],
  ['alternate_phones.0', ['soon']],
  ['colour', 'red'],
]
test.each(notAccepted)('a %s of %j is refused by its name, on create and on update, and nothing is stored', async (field, value) => {
  const [name = ''] = field.split('.')
  const given = { first_name: 'Ana', [name]: value }
  expect(await crm.ws.post('/contacts', given)).toMatchObject(refused(field))
  expect(await crm.count('contacts')).toBe(0)
  if (value === undefined) return
  const contact = await crm.contact()
  expect(await crm.ws.patch(`/contacts/${contact.id}`, { last_name: 'Lee', [name]: value })).toMatchObject(refused(field))
  expect(found(await crm.ws.get(`/contacts/${contact.id}`))).toEqual(contact)
})

test('all issues of a contact are reported together', async () => {
  const answer = await crm.ws.post('/contacts', { email: 'ana', date_of_birth: 'May', colour: 'red' })
  expect(answer.body.error.details.issues.map(({ path }: { path: string }) => path).sort()).toEqual([
    'colour',
    'date_of_birth',
    'email',
    'first_name',
  ])
})

const phones: [string, string | undefined, string][] = [
  ['0412 345 678', undefined, '+61412345678'],
  ['(02) 9374-4000', undefined, '+61293744000'],
  ['+61 (0)412.345.678', undefined, '+61412345678'],
  ['+1 212 555 0123', undefined, '+12125550123'],
  ['0011 64 21 123 4567', undefined, '+64211234567'],
  ['13 11 14', undefined, '+61131114'],
  ['021 123 4567', 'New Zealand', '+64211234567'],
  ['00 61 412 345 678', 'NZ', '+61412345678'],
  ['(212) 555-0123', 'USA', '+12125550123'],
  ['020 7946 0018', 'United Kingdom', '+442079460018'],
  ['020 7946 0018', 'england', '+442079460018'],
]
test.each(phones)('the phone %s of a contact in %s is kept as %s', async (phone, country, e164) => {
  const contact = await crm.contact({ phone, landline: phone, country })
  expect(contact).toMatchObject({ phone: e164, landline: e164 })
  expect(found(await crm.ws.get(`/contacts/${contact.id}`))).toMatchObject({ phone: e164, landline: e164 })

  const other = await crm.contact({ country })
  expect(found(await crm.ws.patch(`/contacts/${other.id}`, { phone })).phone, "by the contact's own country").toBe(e164)
  const third = await crm.contact({ country })
  const bulk = found(await crm.ws.post('/contacts/bulk-update', { records: [{ id: third.id, phone, landline: phone }] }))
  expect(bulk.results).toMatchObject([{ phone: e164, landline: e164 }])
  const fourth = await crm.contact({ country: 'Japan' })
  expect(
    found(await crm.ws.patch(`/contacts/${fourth.id}`, { phone, country: country ?? 'Australia' })).phone,
    'by the country sent along',
  ).toBe(e164)
})

test('a landline may be something to read out; a phone may not', async () => {
  const { id } = await crm.contact({ landline: '9374 4000 ext. 12' })
  expect(found(await crm.ws.get(`/contacts/${id}`)).landline).toBe('9374 4000 ext. 12')
})

test('addresses are kept in lower case, and the main one never among the others', async () => {
  const contact = await crm.contact({
    email: 'Ana@Example.com',
    alternate_emails: ['ANA@work.example', 'ana@EXAMPLE.com', 'ana@work.example', 'a@b.co'],
  })
  expect(contact).toMatchObject({ email: 'ana@example.com', alternate_emails: ['ana@work.example', 'a@b.co'] })
})

type Emails = { email?: string | null; alternate_emails?: string[] | null }
const emailUpdates: [string, Emails, Emails][] = [
  ['the list is replaced as a whole', { alternate_emails: ['NEW@x.co'] }, { email: 'main@x.co', alternate_emails: ['new@x.co'] }],
  ['an empty list empties it', { alternate_emails: [] }, { email: 'main@x.co', alternate_emails: [] }],
  ['null empties it', { alternate_emails: null }, { email: 'main@x.co', alternate_emails: [] }],
  [
    'the stored main address stays out',
    { alternate_emails: ['MAIN@x.co', 'c@x.co'] },
    { email: 'main@x.co', alternate_emails: ['c@x.co'] },
  ],
  ['another address becomes the main one', { email: 'B@x.co' }, { email: 'b@x.co', alternate_emails: ['a@x.co'] }],
  ['a new main address leaves the others', { email: 'new@x.co' }, { email: 'new@x.co', alternate_emails: ['a@x.co', 'b@x.co'] }],
  ['both at once', { email: 'c@x.co', alternate_emails: ['main@x.co', 'C@x.co'] }, { email: 'c@x.co', alternate_emails: ['main@x.co'] }],
  ['no main address any more', { email: null, alternate_emails: ['main@x.co'] }, { email: null, alternate_emails: ['main@x.co'] }],
]
test.each(emailUpdates)('updating addresses: %s', async (_, patch, expected) => {
  const [one, two] = [1, 2].map(() => crm.contact({ email: 'main@x.co', alternate_emails: ['a@x.co', 'b@x.co'] }))
  expect(found(await crm.ws.patch(`/contacts/${(await one!).id}`, patch))).toMatchObject(expected)
  expect(found(await crm.ws.post('/contacts/bulk-update', { records: [{ id: (await two!).id, ...patch }] })).results).toMatchObject([
    expected,
  ])
})

test.each(['manual', 'form_submission', 'voice_call', 'order_form', 'import', 'api'])('a contact may come in by %s', async (source) => {
  expect((await crm.contact({ source })).source).toBe(source)
})

test('source_id names a lead source of this workspace, and of no other', async () => {
  const source_id = await crm.leadSource()
  expect((await crm.contact({ source_id })).source_id).toBe(source_id)
  const other = await crm.app.workspace()
  expect(await other.post('/contacts', { first_name: 'Ana', source_id })).toMatchObject(refused('source_id'))
})

const zones: [string, string | undefined, string][] = [
  ['Australia/Lord_Howe', undefined, 'Australia/Lord_Howe'],
  ['europe/berlin', undefined, 'Europe/Berlin'],
  ['NSW', undefined, 'Australia/Sydney'],
  ['Western Australia', undefined, 'Australia/Perth'],
  ['qld', undefined, 'Australia/Brisbane'],
  ['Tas.', undefined, 'Australia/Hobart'],
  ['California', undefined, 'America/Los_Angeles'],
  ['WA', undefined, 'Australia/Perth'],
  ['WA', 'United States', 'America/Los_Angeles'],
  ['NT', 'Canada', 'America/Edmonton'],
  ['Otago', 'New Zealand', 'Pacific/Auckland'],
]
test.each(zones)('the timezone %s of a contact in %s is %s', async (timezone, country, zone) => {
  expect((await crm.contact({ timezone, country })).timezone).toBe(zone)
  const [one, two] = [await crm.contact({ country }), await crm.contact({ country })]
  expect(found(await crm.ws.patch(`/contacts/${one.id}`, { timezone })).timezone).toBe(zone)
  expect(found(await crm.ws.post('/contacts/bulk-update', { records: [{ id: two.id, timezone }] })).results[0].timezone).toBe(zone)
})

const beginnings: [string, string][] = [
  ['2020-07-01', '2020-07-01T00:00:00.000Z'],
  ['2020-07-01T10:30:00+10:00', '2020-07-01T00:30:00.000Z'],
  ['2020-07-01T10:30:00.1234Z', '2020-07-01T10:30:00.123Z'],
]
test.each(beginnings)('relationship_started_at %s is the moment %s', async (sent, kept) => {
  const { id, relationship_started_at } = await crm.contact({ relationship_started_at: sent })
  expect(relationship_started_at).toBe(kept)
  await crm.ws.patch(`/contacts/${id}`, { relationship_started_at: null })
  expect(found(await crm.ws.patch(`/contacts/${id}`, { relationship_started_at: sent })).relationship_started_at).toBe(kept)
})

test('a date is no future one while it is today somewhere on earth', async () => {
  const dateIn = (days: number) =>
    new Intl.DateTimeFormat('en-CA', { timeZone: 'Pacific/Kiritimati' }).format(Date.now() + days * 86_400_000)
  for (const field of ['relationship_started_at', 'date_of_birth']) {
    const { id } = created(await crm.ws.post('/contacts', { first_name: 'Ana', [field]: dateIn(0) }))
    found(await crm.ws.patch(`/contacts/${id}`, { [field]: dateIn(0) }))
    expect(await crm.ws.post('/contacts', { first_name: 'Ana', [field]: dateIn(1) })).toMatchObject(refused(field))
    expect(await crm.ws.patch(`/contacts/${id}`, { [field]: dateIn(1) })).toMatchObject(refused(field))
  }
})
