import { expect, test } from 'vitest'
import { found, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm()

/** The same change of a fresh contact by PATCH and by bulk-update. */
async function changeBoth(fields: Row, patch: Row): Promise<Row[]> {
  const [one, two] = [await crm.contact(fields), await crm.contact(fields)]
  const patched = found(await crm.ws.patch(`/contacts/${one.id}`, patch))
  const { results } = found(await crm.ws.post('/contacts/bulk-update', { records: [{ id: two.id, ...patch }] }))
  expect(results).toHaveLength(1)
  return [patched, results[0]]
}

const merges: [string, Row, Row, Row][] = [
  ['a new name is added', { tier: 'gold' }, { size: 4 }, { tier: 'gold', size: 4 }],
  ['a sent name is replaced, whatever it holds', { a: { b: 1, c: 2 }, d: 1 }, { a: { b: 3 } }, { a: { b: 3 }, d: 1 }],
  ['null removes a name', { tier: 'gold', size: 4 }, { tier: null }, { size: 4 }],
  ['null for a name that is not there', { size: 4 }, { tier: null }, { size: 4 }],
  ['some of each', { a: 1, b: 2, c: 3 }, { a: null, b: false, d: [1, null] }, { b: false, c: 3, d: [1, null] }],
  ['nothing', { a: 1 }, {}, { a: 1 }],
]
test.each(merges)('metadata merges: %s', async (_, metadata, patch, expected) => {
  for (const contact of await changeBoth({ metadata }, { metadata: patch })) expect(contact.metadata).toEqual(expected)
})

test('a new contact keeps no metadata that is null', async () => {
  expect((await crm.contact({ metadata: { tier: null, size: 4 } })).metadata).toEqual({ size: 4 })
})

test('metadata of two concurrent updates is all stored', async () => {
  const { id } = await crm.contact()
  await Promise.all([1, 2, 3, 4, 5].map((i) => crm.ws.patch(`/contacts/${id}`, { metadata: { [`key${i}`]: i } })))
  expect(found(await crm.ws.get(`/contacts/${id}`))).toMatchObject({
    metadata: { key1: 1, key2: 2, key3: 3, key4: 4, key5: 5 },
    version: 6,
  })
})

const channels = ['email', 'sms', 'voice', 'whatsapp']
test.each(channels)('%s can be unsubscribed and taken up again, and no other channel follows', async (channel) => {
  const others = Object.fromEntries(channels.filter((other) => other !== channel).map((other) => [`${other}_unsubscribed`, false]))
  const field = `${channel}_unsubscribed`
  expect(await crm.contact({ [field]: true })).toMatchObject({ ...others, [field]: true })
  for (const contact of await changeBoth({}, { [field]: true })) {
    expect(contact).toMatchObject({ ...others, [field]: true })
    expect(found(await crm.ws.get(`/contacts/${contact.id}`))).toMatchObject({ ...others, [field]: true })
    expect(found(await crm.ws.patch(`/contacts/${contact.id}`, { [field]: false }))).toMatchObject({ ...others, [field]: false })
  }
})

test('is_referrer and the category stand for themselves', async () => {
  for (const contact of await changeBoth({}, { is_referrer: true, referrer_category: 'Whatever we call it' })) {
    expect(contact).toMatchObject({ is_referrer: true, referrer_category: 'Whatever we call it', referrer_opportunity_id: null })
    expect(found(await crm.ws.patch(`/contacts/${contact.id}`, { is_referrer: false }))).toMatchObject({
      is_referrer: false,
      referrer_category: 'Whatever we call it',
    })
  }
})

test('an anchor opportunity makes a contact a referrer, also against is_referrer false', async () => {
  const { id: referrer_opportunity_id } = await crm.opportunity()
  const anchored = { referrer_opportunity_id, is_referrer: true }
  expect(await crm.contact({ referrer_opportunity_id })).toMatchObject(anchored)
  expect(await crm.contact({ referrer_opportunity_id, is_referrer: false })).toMatchObject(anchored)
  for (const contact of await changeBoth({}, { referrer_opportunity_id })) expect(contact).toMatchObject(anchored)
  const bulk = found(await crm.ws.post('/contacts/bulk-create', { records: [{ first_name: 'Bo', referrer_opportunity_id }] }))
  expect(bulk.results).toMatchObject([anchored])
})

test('a referrer outlives the anchor opportunity', async () => {
  const { id: referrer_opportunity_id } = await crm.opportunity()
  const { id } = await crm.contact({ referrer_opportunity_id })
  found(await crm.ws.delete(`/opportunities/${referrer_opportunity_id}`))
  expect(found(await crm.ws.get(`/contacts/${id}`))).toMatchObject({ referrer_opportunity_id: null, is_referrer: true })
})

test('an anchor opportunity of another workspace is unknown', async () => {
  const { id: referrer_opportunity_id } = await crm.opportunity()
  const other = await crm.app.workspace()
  expect(await other.post('/contacts', { first_name: 'Ana', referrer_opportunity_id })).toMatchObject(refused('referrer_opportunity_id'))
})
