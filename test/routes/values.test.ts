import { expect, test } from 'vitest'
import { created, found, ids, type Row, refused, stagesByName, useCrm } from './crm.ts'

const crm = useCrm()

test.each([
  ['Info@MÜLLER.de', 'info@xn--mller-kva.de'],
  ['用户@例え.jp', '用户@xn--r8jz45g.jp'],
])('%s is stored in one form, and found, matched and imported by any', async (email, stored) => {
  const { id } = created(await crm.ws.post('/contacts', { first_name: 'Ana', email }))
  expect(found(await crm.ws.get(`/contacts/${id}`)).email).toBe(stored)
  for (const written of [email, stored]) {
    const query = encodeURIComponent(written)
    expect(ids(found(await crm.ws.get(`/contacts?email=${query}`)))).toEqual([id])
    const match = { field: 'email', op: 'eq', value: written }
    expect(ids(found(await crm.ws.post('/contacts/search', { filter: match })))).toEqual([id])
    expect((await crm.ws.post('/contacts/upsert', { match_on: ['email'], first_name: 'Ana', email: written })).body.data.id).toBe(id)
    expect(found(await crm.ws.get(`/search?q=${query}`))).toMatchObject({ contacts: [{ id }] })
  }
})

test('an address that looks like another one is another one, and is shown in a form that tells them apart', async () => {
  // The first letter of the second domain is Cyrillic, and the third has full-width letters, which are the same domain.
  const [latin, cyrillic, wide] = ['ben@apple.example', 'ben@аpple.example', 'ben@ａｐｐｌｅ.example']
  const { id } = created(await crm.ws.post('/contacts', { first_name: 'Ben', email: latin }))
  const other = created(await crm.ws.post('/contacts', { first_name: 'Ben', email: cyrillic }))
  expect(other.email).toBe('ben@xn--pple-43d.example')
  for (const [email, known] of [
    [cyrillic, other.id],
    [wide, id],
  ])
    expect((await crm.ws.post('/contacts/upsert', { match_on: ['email'], first_name: 'Ben', email })).body.data.id).toBe(known)
})

test('a country is stored by its English name, whatever it is called', async () => {
  for (const [written, country] of [
    ['DE', 'Germany'],
    ['Deutschland', 'Germany'],
    ['usa', 'United States'],
    ['United Kingdom', 'United Kingdom'],
    ['GBR', 'United Kingdom'],
  ])
    expect(created(await crm.ws.post('/companies', { name: `In ${written}`, country: written })).country).toBe(country)
  expect(await crm.ws.post('/contacts', { first_name: 'Ana', country: 'Narnia' })).toMatchObject(refused('country'))
})

test('a currency is one in use', async () => {
  expect((await crm.opportunity({ currency: 'eur' })).currency).toBe('EUR')
  expect(await crm.ws.post('/products', { name: 'Pro', currency: 'DEM' })).toMatchObject(refused('currency'))
})

test('a colour may be short or have a name', async () => {
  const { id } = created(await crm.ws.post('/pipelines', { name: 'Colours', stages: [{ name: 'New', kind: 'open', color: '#18E' }] }))
  expect(found(await crm.ws.get(`/pipelines/${id}`)).stages[0].color).toBe('#1188ee')
  expect(found(await crm.ws.patch('/company', { primary_color: 'royalblue' })).primary_color).toBe('#4169e1')
})

test('the body of a note has up to 65,536 characters', async () => {
  const { id } = await crm.contact()
  const note = (length: number) => ({ activity_type: 'note', contact_id: id, body: 'x'.repeat(length) })
  expect(created(await crm.ws.post('/activities', note(65_536))).body).toHaveLength(65_536)
  expect(await crm.ws.post('/activities', note(65_537))).toMatchObject(refused('body'))
})

test('amounts in different currencies are never added', async () => {
  const pipeline = await crm.pipeline()
  const stages = stagesByName(pipeline)
  const card = (stage: string, value: number, currency: string) => crm.opportunity({ stage_id: stages[stage], value, currency })
  await card('New', 100, 'EUR')
  await card('New', 0.1, 'AUD')
  const changing = await card('New', 0.2, 'AUD')
  await card('Won', 7, 'USD')
  const of = async (report: string) => found(await crm.ws.get(`/pipelines/${pipeline.id}/${report}`))
  const mixed = [
    { currency: 'AUD', count: 2, value: 0.3 },
    { currency: 'EUR', count: 1, value: 100 },
  ]
  const column = async (name: string) => (await of('board')).columns.find((one: Row) => one.name === name)
  expect(await column('New')).toMatchObject({ count: 3, value: null, by_currency: mixed })
  expect(await column('Won')).toMatchObject({ count: 1, value: 7, by_currency: [{ currency: 'USD', count: 1, value: 7 }] })
  expect(await column('Lost')).toMatchObject({ count: 0, value: 0, by_currency: [] })
  const { open, won, lost, stages: byStage } = await of('summary')
  expect(open).toMatchObject({ count: 3, value: null, by_currency: mixed })
  expect([won, lost]).toMatchObject([
    { count: 1, value: 7 },
    { count: 0, value: 0, by_currency: [] },
  ])
  expect(byStage.find((one: Row) => one.name === 'New')).toMatchObject({ value: null, weighted_value: null, by_currency: mixed })
  await crm.ws.delete(`/opportunities/${changing.id}`)
  expect(await column('New')).toMatchObject({
    by_currency: [
      { currency: 'AUD', value: 0.1 },
      { currency: 'EUR', value: 100 },
    ],
  })
})

test('the price of a product is not copied into another currency', async () => {
  const product_id = created(await crm.ws.post('/products', { name: 'Pro', price: 10, currency: 'USD' })).id
  expect(await crm.ws.post('/opportunities', { name: 'Deal', products: [{ product_id }] })).toMatchObject(refused('products.0.unit_price'))
  const { id } = await crm.opportunity({ products: [{ product_id, unit_price: 15 }] })
  expect(await crm.ws.post(`/opportunities/${id}/products`, { product_id })).toMatchObject(refused('unit_price'))
  created(await crm.ws.post(`/opportunities/${id}/products`, { product_id, unit_price: 15 }))
  const dollars = await crm.opportunity({ currency: 'USD', products: [{ product_id }] })
  expect(dollars.products_total).toBe(10)
})
