import { describe, expect, test } from 'vitest'
import { failed, found, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm()

type Phones = { phone?: string | null; alternate_phones?: string[] | null }
const [MAIN, OTHER, THIRD] = ['+64211234567', '+6491234567', '+64211234568']
const phoneUpdates: [string, Phones, Phones][] = [
  ['the list is replaced as a whole', { alternate_phones: ['021 123 4568'] }, { phone: MAIN, alternate_phones: [THIRD] }],
  ['null empties it', { alternate_phones: null }, { phone: MAIN, alternate_phones: [] }],
  ['the stored main number stays out', { alternate_phones: ['021 123 4567', THIRD] }, { phone: MAIN, alternate_phones: [THIRD] }],
  ['another number becomes the main one', { phone: '09 123 4567' }, { phone: OTHER, alternate_phones: [] }],
  ['a new main number leaves the others', { phone: THIRD }, { phone: THIRD, alternate_phones: [OTHER] }],
  ['no main number any more', { phone: null, alternate_phones: [MAIN] }, { phone: null, alternate_phones: [MAIN] }],
]
test.each(phoneUpdates)('updating numbers: %s', async (_, patch, expected) => {
  const fields = { country: 'New Zealand', phone: MAIN, alternate_phones: ['(09) 123 4567', '021 123 4567', '+64 9 123 4567'] }
  const [one, two] = [await crm.contact(fields), await crm.contact(fields)]
  expect(one).toMatchObject({ phone: MAIN, alternate_phones: [OTHER] })
  expect(found(await crm.ws.patch(`/contacts/${one.id}`, patch))).toMatchObject(expected)
  expect(found(await crm.ws.post('/contacts/bulk-update', { records: [{ id: two.id, ...patch }] })).results).toMatchObject([expected])
})

test('a contact has at most 50 other numbers', async () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => `+614120000${String(n).padStart(2, '0')}`)
  expect((await crm.contact({ alternate_phones: numbers(50) })).alternate_phones).toHaveLength(50)
  expect(await crm.ws.post('/contacts', { first_name: 'Ana', alternate_phones: numbers(51) })).toMatchObject(refused('alternate_phones'))
})

describe('an upsert of a contact', () => {
  const upsert = (body: Row) => crm.ws.post('/contacts/upsert', body)

  test('is found by its other numbers, which stay where they are', async () => {
    const { id } = await crm.contact({ phone: '0412 345 678', alternate_phones: ['0498 765 432'] })
    expect(found(await upsert({ phone: '(0498) 765 432', city: 'Perth' }))).toMatchObject({
      id,
      matched_by: 'phone',
      phone: '+61412345678',
      alternate_phones: ['+61498765432'],
      city: 'Perth',
    })
    expect(found(await upsert({ phone: '0498 765 432', alternate_phones: ['0412 345 678', '02 9374 4000'] }))).toMatchObject({
      id,
      phone: '+61498765432',
      alternate_phones: ['+61412345678', '+61293744000'],
    })
    const other = await crm.contact({ alternate_phones: ['0498 765 432'] })
    expect(await upsert({ phone: '0498 765 432' })).toMatchObject({
      ...failed(409, 'CONFLICT'),
      body: { error: { details: { field: 'phone', ids: [id, other.id] } } },
    })
  })

  test('is found by the other numbers of an earlier record of the call', async () => {
    const records = [
      { first_name: 'Ana', phone: '0412 345 678', alternate_phones: ['0498 765 432'] },
      { phone: '0498 765 432', city: 'Perth' },
    ]
    const { results } = found(await crm.ws.post('/contacts/bulk-upsert', { records }))
    expect(results).toMatchObject([{ created: true }, { created: false, matched_by: 'phone' }])
    expect(found(await crm.ws.get('/contacts'))).toMatchObject([{ phone: '+61412345678', city: 'Perth' }])
  })
})
