import { describe, expect, test } from 'vitest'
import type { ApiResponse } from '../workspace.ts'
import { created, found, type Row, useCrm } from './crm.ts'

const crm = useCrm()
const warned = ({ body }: ApiResponse): string[] => (body._warnings ?? []).map(({ code, field }: Row) => `${code} ${field}`)

/** The ways to write one contact that did not exist, and the prefix of its fields in warnings. */
const creates: Record<string, [(fields: Row) => Promise<ApiResponse>, string]> = {
  create: [(fields) => crm.ws.post('/contacts', fields), ''],
  'bulk-create': [(fields) => crm.ws.post('/contacts/bulk-create', { records: [{ first_name: '' }, fields] }), 'records.1.'],
  upsert: [(fields) => crm.ws.post('/contacts/upsert', { external_id: 'w', ...fields }), ''],
  'bulk-upsert': [(fields) => crm.ws.post('/contacts/bulk-upsert', { records: [{}, { external_id: 'w', ...fields }] }), 'records.1.'],
  update: [async ({ first_name: _, ...fields }) => crm.ws.patch(`/contacts/${(await crm.contact()).id}`, fields), ''],
  'bulk-update': [
    async (fields) => {
      const { id } = await crm.contact()
      return crm.ws.post('/contacts/bulk-update', { records: [{}, { id, ...fields }] })
    },
    'records.1.',
  ],
}

describe.each(Object.entries(creates))('%s of a contact', (_, [write, prefix]) => {
  test('says what it dropped and whom it replaced', async () => {
    const company = await crm.company()
    const first = await crm.contact({ customer_id: company, is_primary: true })
    const answer = await write({
      first_name: 'Ana',
      email: 'Ana@X.co',
      alternate_emails: ['old@x.co', 'OLD@x.co', 'ana@x.co'],
      phone: '0412 345 678 ext 12',
      landline: '(02) 9374 4000 ext. 5',
      customer_id: company,
      is_primary: true,
    })
    expect(warned(answer).sort()).toEqual(
      ['DUPLICATES_DROPPED alternate_emails', 'PHONE_SHORTENED landline', 'PHONE_SHORTENED phone', 'PRIMARY_CONTACT_REPLACED is_primary']
        .map((text) => text.replace(' ', ` ${prefix}`))
        .sort(),
    )
    const about = (code: string) => answer.body._warnings.find((warning: Row) => warning.code === code).details
    expect(about('PRIMARY_CONTACT_REPLACED')).toEqual({ contact_id: first.id })
    expect(about('DUPLICATES_DROPPED')).toEqual({ dropped: ['old@x.co', 'ana@x.co'] })
    const record = answer.body.data.results?.[0] ?? answer.body.data
    expect(record).toMatchObject({ phone: '+61412345678', alternate_emails: ['old@x.co'], is_primary: true })
    expect(record).not.toHaveProperty('replaced_primary')
  })

  test('says which alternate numbers it dropped or shortened', async () => {
    const alternate_phones = ['0498 765 432', '+61 498 765 432', '0412345678', '02 9374 4000 ext. 5']
    const answer = await write({ first_name: 'Ana', phone: '0412 345 678', alternate_phones })
    expect(warned(answer).sort()).toEqual(
      ['DUPLICATES_DROPPED alternate_phones', 'PHONE_SHORTENED alternate_phones.3'].map((text) => text.replace(' ', ` ${prefix}`)),
    )
    const { details } = answer.body._warnings.find((warning: Row) => warning.code === 'DUPLICATES_DROPPED')
    expect(details).toEqual({ dropped: ['+61498765432', '+61412345678'] })
    expect((answer.body.data.results?.[0] ?? answer.body.data).alternate_phones).toEqual(['+61498765432', '+61293744000'])
  })

  test('says nothing of normal forms', async () => {
    const fields = { first_name: ' Ana ', email: ' Ana@X.co', phone: '0412 345 678', landline: 'at the desk', timezone: 'WA' }
    expect(warned(await write({ ...fields, alternate_emails: ['B@x.co'], alternate_phones: ['0498 765 432'] }))).toEqual([])
  })
})

test('an upsert says that the record that it changed is archived, or keeps its address or number', async () => {
  const old = await crm.contact({ email: 'new@x.co', alternate_emails: ['old@x.co'] })
  expect(warned(await crm.ws.post('/contacts/upsert', { email: 'old@x.co' }))).toEqual(['KEPT_AS_ALTERNATE email'])
  await crm.contact({ phone: '0412 345 678', alternate_phones: ['0498 765 432'] })
  expect(warned(await crm.ws.post('/contacts/upsert', { phone: '0498 765 432' }))).toEqual(['KEPT_AS_ALTERNATE phone'])
  found(await crm.ws.patch(`/contacts/${old.id}`, { archived: true }))
  expect(warned(await crm.ws.post('/contacts/upsert', { email: 'new@x.co', city: 'Perth' }))).toEqual(['ARCHIVED_RECORD archived'])
  expect(warned(await crm.ws.post('/contacts/upsert', { email: 'new@x.co', archived: false }))).toEqual([])
})

test('of several primary contacts in one call, the others are named', async () => {
  const company = await crm.company()
  const records = ['A', 'B'].map((first_name) => ({ first_name, customer_id: company, is_primary: true }))
  const codes = warned(await crm.ws.post('/contacts/bulk-create', { records })).map((text) => text.split(' ')[0])
  expect(codes).toContain('NOT_PRIMARY')
})

test('companies and opportunities say so too', async () => {
  const fields = { name: 'Acme', phone: '02 9374 4000 ext 7' }
  expect(warned(await crm.ws.post('/companies', fields))).toEqual(['PHONE_SHORTENED phone'])
  expect(warned(await crm.ws.post('/companies/bulk-create', { records: [fields] }))).toEqual(['PHONE_SHORTENED records.0.phone'])
  expect(warned(await crm.ws.post('/companies/upsert', { ...fields, phone: '02 9374 4001 ext 7' }))).toEqual(['PHONE_SHORTENED phone'])
  const [ana, bo] = [await crm.contact(), await crm.contact()]
  const contacts = [ana, bo].map(({ id }) => ({ contact_id: id, is_primary: true }))
  const tags = [{ name: 'VIP' }, { name: 'ＶＩＰ', color: '#112233' }, { name: 'vip ' }]
  const answer = await crm.ws.post('/opportunities', { name: 'A', contacts, tags })
  expect(warned(answer)).toEqual(['DUPLICATES_DROPPED tags', 'SEVERAL_PRIMARY_CONTACTS contacts'])
  expect(created(answer).tags).toEqual([{ name: 'vip', color: null }])
  const byTag = { filter: { field: 'tags', op: 'in', value: ['Ｖip'] } }
  expect(found(await crm.ws.post('/opportunities/search', byTag))).toHaveLength(1)
  const update = await crm.ws.patch(`/opportunities/${answer.body.data.id}`, { tags })
  expect(warned(update)).toEqual(['DUPLICATES_DROPPED tags'])
  const bulk = await crm.ws.post('/opportunities/bulk-update', { records: [{ id: answer.body.data.id, tags }] })
  expect(warned(bulk)).toEqual(['DUPLICATES_DROPPED records.0.tags'])
})

test('lists of settings say which names they have already, in any spelling', async () => {
  const settings = await crm.ws.patch('/company/crm-settings', {
    lost_reasons: ['ΟΔΟΣ', 'οδοσ', 'Price', ' price'],
    contact_types: ['A', 'B'],
  })
  expect(warned(settings)).toEqual(['DUPLICATES_DROPPED lost_reasons'])
  expect(found(settings)).toMatchObject({ lost_reasons: ['ΟΔΟΣ', 'Price'], contact_types: ['A', 'B'] })
})

test('options of custom fields that are there already are named', async () => {
  const field = await crm.ws.post('/custom-fields', {
    object: 'contact',
    label: 'Tier',
    type: 'select',
    options: ['Gold', 'Gold', 'Silver'],
  })
  expect(warned(field)).toEqual(['DUPLICATES_DROPPED options'])
  const { id, object, key, label, type, required } = created(field)
  expect(warned(await crm.ws.patch(`/custom-fields/${id}`, { options: ['Gold', 'Silver', 'Silver'] }))).toEqual([
    'DUPLICATES_DROPPED options',
  ])
  expect(warned(await crm.ws.patch(`/custom-fields/${id}`, { options: ['Gold', 'Silver'] }))).toEqual([])
  const settings = await crm.ws.patch('/company/crm-settings', {
    custom_fields: [{ object, key, label, type, required, options: ['Gold', 'Gold', 'Tin'] }],
  })
  expect(warned(settings)).toEqual(['DUPLICATES_DROPPED custom_fields.0.options'])
})

test('the overrides of a merge say what they dropped', async () => {
  const [winner, loser] = [await crm.contact(), await crm.contact()]
  const field_overrides = { phone: '0412 345 678 ext 12', alternate_emails: ['a@x.co', 'A@x.co'] }
  const merge = await crm.ws.post('/contacts/merge', { winner_id: winner.id, loser_ids: [loser.id], field_overrides })
  expect(warned(merge)).toEqual(['PHONE_SHORTENED field_overrides.phone', 'DUPLICATES_DROPPED field_overrides.alternate_emails'])
  expect(found(merge).winner).toMatchObject({ phone: '+61412345678', alternate_emails: ['a@x.co'] })
})

test('a repeated bulk call returns the same warnings', async () => {
  const body = { records: [{ first_name: '' }, { first_name: 'Ana', phone: '0412 345 678 ext 12' }] }
  const call = () => crm.ws.post('/contacts/bulk-create', body, { 'Idempotency-Key': 'again' })
  const first = await call()
  expect(warned(first)).toEqual(['PHONE_SHORTENED records.1.phone'])
  expect((await call()).body).toEqual(first.body)
})
