import { beforeEach, expect, test } from 'vitest'
import type { ApiResponse } from '../workspace.ts'
import { found, type Row, tripsOf, useCrm } from './crm.ts'

const crm = useCrm()

let acme: string
let base: string
beforeEach(async () => {
  acme = await crm.company('Acme')
  base = await crm.company('Base')
})

const primaries = async (company: string): Promise<string[]> => {
  const contacts = (await crm.ws.get(`/contacts?customer_id=${company}&archived=all&sort=created_at`)).body.data as Row[]
  return contacts.filter(({ is_primary, customer_id }) => is_primary && customer_id === company).map(({ first_name }) => first_name)
}
const namesOfPrimary = (results: Row[]) =>
  results
    .filter(({ is_primary }) => is_primary)
    .map(({ first_name }) => first_name)
    .sort()
const at = (customer_id: string, first_name: string, is_primary = true) => crm.contact({ first_name, customer_id, is_primary })

test('a new primary contact replaces the previous one, and none of another company', async () => {
  await at(base, 'Other')
  const first = await at(acme, 'First')
  await at(acme, 'Second', false)
  expect(await primaries(acme)).toEqual(['First'])
  const third = await at(acme, 'Third')
  expect(third.is_primary).toBe(true)
  expect([await primaries(acme), await primaries(base)]).toEqual([['Third'], ['Other']])
  expect(found(await crm.ws.get(`/contacts/${first.id}`))).toMatchObject({ is_primary: false, version: 2 })
  expect((await crm.events(first.id)).map(({ type }) => type)).toEqual(['contact.created', 'contact.updated'])
})

test('an update makes a contact the primary one, and gives it up again without an heir', async () => {
  await at(acme, 'First')
  const { id } = await at(acme, 'Second', false)
  expect(found(await crm.ws.patch(`/contacts/${id}`, { is_primary: true })).is_primary).toBe(true)
  expect(await primaries(acme)).toEqual(['Second'])
  found(await crm.ws.patch(`/contacts/${id}`, { is_primary: false }))
  expect(await primaries(acme)).toEqual([])
})

test('a primary contact that changes company takes over there', async () => {
  const { id } = await at(acme, 'First')
  await at(base, 'Second')
  found(await crm.ws.patch(`/contacts/${id}`, { customer_id: base }))
  expect([await primaries(acme), await primaries(base)]).toEqual([[], ['First']])
})

test('company and rank change at once', async () => {
  await at(base, 'First')
  const { id } = await at(acme, 'Second', false)
  found(await crm.ws.patch(`/contacts/${id}`, { customer_id: base, is_primary: true }))
  expect(await primaries(base)).toEqual(['Second'])
  const third = await at(acme, 'Third')
  found(await crm.ws.patch(`/contacts/${third.id}`, { customer_id: base, is_primary: false }))
  expect([await primaries(acme), await primaries(base)]).toEqual([[], ['Second']])
})

test('a bulk-create hands over, to one of those that it marks', async () => {
  await at(acme, 'Before')
  const { results } = found(
    await crm.ws.post('/contacts/bulk-create', {
      records: [
        { first_name: 'One', customer_id: acme, is_primary: true },
        { first_name: 'Two', customer_id: base, is_primary: true },
        { first_name: 'Three', customer_id: acme, is_primary: true },
        { first_name: 'Four', customer_id: acme },
      ],
    }),
  )
  const [primary, ...others] = await primaries(acme)
  expect(['One', 'Three']).toContain(primary)
  expect([others, await primaries(base)]).toEqual([[], ['Two']])
  expect(namesOfPrimary(results), 'the answer says so').toEqual([primary, 'Two'].sort())
})

test('a bulk-update hands over, to one of those that it marks', async () => {
  await at(acme, 'Before')
  const contacts = [await at(acme, 'One', false), await at(base, 'Two', false), await at(acme, 'Three', false)]
  const { results } = found(await crm.ws.post('/contacts/bulk-update', { records: contacts.map(({ id }) => ({ id, is_primary: true })) }))
  const [primary, ...others] = await primaries(acme)
  expect(['One', 'Three']).toContain(primary)
  expect([others, await primaries(base)]).toEqual([[], ['Two']])
  expect(namesOfPrimary(results), 'the answer says so').toEqual([primary, 'Two'].sort())
})

test('a bulk-update that brings primary contacts together leaves one', async () => {
  const [one, two] = [await at(acme, 'One'), await at(base, 'Two')]
  const cape = await crm.company('Cape')
  found(await crm.ws.post('/contacts/bulk-update', { records: [one, two].map(({ id }) => ({ id, customer_id: cape })) }))
  expect(await primaries(cape)).toHaveLength(1)
})

test('of two that become primary at the same time one is', async () => {
  const contacts = await Promise.all(['A', 'B', 'C', 'D', 'E', 'F'].map((name) => at(acme, name, false)))
  const answers = await Promise.all(contacts.map(({ id }) => crm.ws.patch(`/contacts/${id}`, { is_primary: true })))
  for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { data: { is_primary: true } } })
  expect(await primaries(acme)).toHaveLength(1)
})

test('a contact who leaves a company is no longer its primary contact, nor that of the next company', async () => {
  await at(base, 'Second')
  const first = await at(acme, 'First')
  found(await crm.ws.delete(`/contacts/${first.id}/employers/${acme}`))
  expect(found(await crm.ws.get(`/contacts/${first.id}`))).toMatchObject({ customer_id: null, is_primary: false })
  const third = await at(acme, 'Third')
  expect(
    found(await crm.ws.patch(`/contacts/${third.id}`, { customer_id: null })),
    'without a company there is no primary contact',
  ).toMatchObject({ is_primary: false })
  for (const { id } of [first, third]) found(await crm.ws.post(`/contacts/${id}/employers/${base}`))
  expect(await primaries(base)).toEqual(['Second'])
  const fourth = await at(acme, 'Fourth')
  found(await crm.ws.post(`/contacts/${fourth.id}/employers/${base}`))
  found(await crm.ws.delete(`/contacts/${fourth.id}/employers/${acme}`))
  expect(found(await crm.ws.get(`/contacts/${fourth.id}`))).toMatchObject({ customer_id: base, is_primary: false })
  expect(await primaries(base), 'also where the next company is one that the contact works for already').toEqual(['Second'])
})

test('an archived contact that is primary stays the only one', async () => {
  const first = await at(acme, 'First')
  found(await crm.ws.patch(`/contacts/${first.id}`, { archived: true }))
  await at(acme, 'Second')
  found(await crm.ws.patch(`/contacts/${first.id}`, { archived: false }))
  expect(await primaries(acme)).toEqual(['Second'])
})

test('thirty callers who set primary contacts on every path at the same time are all served', async () => {
  const contacts = await Promise.all(Array.from({ length: 10 }, (_, i) => at(i % 2 ? acme : base, `P${i}`, i < 2)))
  for (const { id } of contacts) found(await crm.ws.patch(`/contacts/${id}`, { external_id: id }))
  const id = (i: number) => contacts[i % contacts.length]!.id
  const company = (i: number) => (i % 2 ? acme : base)
  const calls = [
    (i: number) => crm.ws.post('/contacts', { first_name: `N${i}`, customer_id: company(i), is_primary: true }),
    (i: number) => crm.ws.patch(`/contacts/${id(i)}`, { is_primary: true, customer_id: company(i + 1) }),
    (i: number) => crm.ws.patch(`/contacts/${id(i + 3)}`, { is_primary: true }),
    (i: number) =>
      crm.ws.post('/contacts/bulk-update', { records: [id(i), id(i + 1), id(i + 2)].map((one) => ({ id: one, is_primary: true })) }),
    (i: number) => crm.ws.post('/contacts/upsert', { external_id: id(i), customer_id: company(i), is_primary: true }),
    (i: number) => crm.ws.post(`/contacts/${id(i)}/employers/${company(i + 1)}`),
  ]
  const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => calls[i % calls.length]!(i)))
  expect(answers.map(({ status, body }) => (status < 300 ? 'done' : body))).toEqual(Array(30).fill('done'))
  for (const company of [acme, base]) expect((await primaries(company)).length).toBeLessThan(2)
})

test('thirty callers who make the contacts of one company its primary one are all served', async () => {
  const contacts = await Promise.all(Array.from({ length: 6 }, (_, i) => at(acme, `P${i}`, i === 0)))
  const calls = Array.from({ length: 30 }, (_, i) => contacts[i % contacts.length]!.id)
  let answers: ApiResponse[] = []
  const trips = await tripsOf(crm.app, async () => {
    answers = await Promise.all(calls.map((id) => crm.ws.patch(`/contacts/${id}`, { is_primary: true })))
  })
  expect(trips, 'a deadlock would have been retried').toBe(30)
  expect(answers.map(({ status, body }) => (status === 200 ? 'done' : body))).toEqual(Array(30).fill('done'))
  expect(await primaries(acme)).toHaveLength(1)
})
