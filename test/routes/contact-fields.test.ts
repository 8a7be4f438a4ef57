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
    company: null,
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

test.each([['an empty string', ''], ['white space', '  '], ['null', null]])('%s clears a field', async (_, blank) => {
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
  ['colour', 'red'],
]
test.each(notAccepted)('a %s of %j is refused by its name, on create and on update, and nothing is stored', async (field, value) => {
  const given = { first_name: 'Ana', [field]: value }
  expect(await crm.ws.post('/contacts', given)).toMatchObject(refused(field))
  expect(await crm.count('contacts')).toBe(0)
  expect(await crm.count('outbox where type = \'contact.created\' and true or type = \'contact.created\' and')).toBe(0)
  if (value === undefined) return
  const contact = await crm.contact()
  expect(await crm.ws.patch(`/contacts/${contact.id}`, { last_name: 'Lee', [field]: value })).toMatchObject(refused(field))
  expect(found(await crm.ws.get(`/contacts/${contact.id}`))).toEqual(contact)
})
