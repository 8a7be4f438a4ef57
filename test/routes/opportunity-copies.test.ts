import { expect, test } from 'vitest'
import type { ApiResponse } from '../workspace.ts'
import { created, found, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm()

test('several line items, buckets and costs are added in one call, each for itself', async () => {
  const { id } = await crm.opportunity({ value_source: 'subtotal', products: [{ name: 'First', unit_price: 5 }] })
  const path = `/opportunities/${id}`
  const add = (part: string, records: Row[]) => crm.ws.post(`${path}/${part}/bulk-create`, { records })
  const failedIn = (answer: ApiResponse) =>
    answer.body.data.errors.map(({ index, error }: Row) => [index, error.details.issues?.[0].path ?? error.code])

  const buckets = await add('buckets', [{ name: 'Hardware' }, { name: '' }, { name: 'hardware' }, { name: 'Services' }])
  expect(failedIn(buckets)).toEqual([
    [1, 'name'],
    [2, 'CONFLICT'],
  ])
  const [{ id: bucket_id }] = buckets.body.data.results
  expect(found(await crm.ws.get(`${path}/buckets`)).map(({ name }: Row) => name)).toEqual(['Hardware', 'Services'])

  const product_id = await crm.product({ price: 7, tax_percent: 10, currency: 'AUD' })
  const foreign = await crm.product({ name: 'Foreign', price: 7, currency: 'EUR' })
  const items = await add('products', [
    { product_id, bucket_id, quantity: 2 },
    { product_id: foreign },
    { description: 'Without a name' },
    { product_id: crm.ws.id },
    { name: 'Last', unit_price: 1, bucket_id: crm.ws.id },
    { name: 'Huge', unit_price: 999_999_999, quantity: 9_999_999 },
    { name: 'Free' },
  ])
  expect(failedIn(items).map(([index, path]: [number, string]) => [index, path])).toEqual([
    [1, 'unit_price'],
    [2, 'name'],
    [3, 'product_id'],
    [4, 'bucket_id'],
    [5, 'quantity'],
  ])
  expect(found(await crm.ws.get(path))).toMatchObject({
    value: 19,
    products: [{ name: 'First' }, { name: 'GTX Pro', unit_price: 7, total: 15.4, bucket_id }, { name: 'Free', unit_price: 0 }],
  })

  const [line_item_id] = items.body.data.results.map((item: Row) => item.id)
  const costs = await add('product-costs', [
    { line_item_id, unit_cost: 2 },
    { line_item_id: id, unit_cost: 2 },
  ])
  expect([costs.body.data.results[0].line_item.cost, failedIn(costs)]).toEqual([2, [[1, 'line_item_id']]])

  const many = (prefix: string) => Array.from({ length: 50 }, (_, at) => ({ name: `${prefix} ${at}` }))
  expect((await add('buckets', many('One'))).body.data.results).toHaveLength(50)
  expect(await add('buckets', many('Two'))).toMatchObject(refused('records'))
})

test('a copy takes along what is chosen', async () => {
  created(await crm.ws.post('/custom-fields', { object: 'opportunity', key: 'code', label: 'Code', type: 'text', unique: true }))
  created(await crm.ws.post('/custom-fields', { object: 'contact', key: 'tier', label: 'Tier', type: 'text', unique: true }))
  await crm.app.drain()
  const [person, { userId }] = [await crm.contact(), await crm.ws.key()]
  const original = await crm.opportunity({
    value_source: 'total',
    tags: [{ name: 'VIP' }],
    metadata: { code: 'A1', tier: 'Gold' },
    assigned_to: userId,
    external_id: 'ext-1',
    products: [{ name: 'Desk', unit_price: 10 }],
    contacts: [{ contact_id: person.id, is_primary: true, role: 'Buyer' }],
    users: [{ user_id: userId }],
  })
  const path = `/opportunities/${original.id}`
  const bucket = created(await crm.ws.post(`${path}/buckets`, { name: 'Hardware' }))
  found(await crm.ws.patch(`${path}/products/${original.products[0].id}`, { bucket_id: bucket.id }))
  const price = { supplier_id: await crm.company('Northern'), supplier_price: 3 }
  const { id: catalog_entry_id } = created(await crm.ws.post('/supplier-catalog', price))
  created(await crm.ws.post(`${path}/product-costs`, { line_item_id: original.products[0].id, catalog_entry_id }))
  created(await crm.ws.post('/deal-stakeholders', { deal_id: original.id, contact_id: person.id }))

  const copy = created(await crm.ws.post(`${path}/copy`, {}))
  expect(copy).toMatchObject({
    name: 'Workstations (copy)',
    value: 10,
    tags: [{ name: 'VIP' }],
    metadata: { tier: 'Gold' },
    assigned_to: userId,
    external_id: null,
    contacts: [{ contact_id: person.id, is_primary: true, role: 'Buyer' }],
    users: [{ user_id: userId }],
  })
  const [bucketOfCopy] = found(await crm.ws.get(`/opportunities/${copy.id}/buckets`))
  expect(copy.products).toMatchObject([{ name: 'Desk', bucket_id: bucketOfCopy?.id }])
  expect(bucketOfCopy).toMatchObject({ name: 'Hardware', line_items: { count: 1 } })
  expect(found(await crm.ws.get(`/opportunities/${copy.id}/margin`)).margin).toBe(7)
  const [cost] = found(await crm.ws.get(`/opportunities/${copy.id}/product-costs`))
  expect(cost).toMatchObject({ catalog_entry_id, supplier_name: 'Northern', unit_cost: 3 })
  expect(found(await crm.ws.get(`/deal-stakeholders?deal_id=${copy.id}`))).toHaveLength(1)

  const { stages } = await crm.firstPipeline()
  const bare = await crm.ws.post(`${path}/copy`, { name: 'Again', stage_id: stages.Won, metadata: { code: 'A2' }, include: [] })
  expect(created(bare)).toMatchObject({
    name: 'Again',
    status: 'won',
    value: 0,
    tags: [],
    metadata: { code: 'A2' },
    products: [],
    contacts: [],
  })
  expect(await crm.ws.post(`${path}/copy`, { include: ['costs'] })).toMatchObject(refused('include'))
  expect(await crm.ws.post(`${path}/copy`, { stage_id: original.id })).toMatchObject(refused('stage_id'))
})

test('a copy enters a stage that requires a value only with line items that have one', async () => {
  const { pipeline, stages } = await crm.firstPipeline()
  found(await crm.ws.patch(`/pipelines/${pipeline}/stages/${stages.Qualified}`, { required_fields: ['value'] }))
  const { id } = await crm.opportunity({ value_source: 'subtotal', products: [{ name: 'Desk', unit_price: 10 }] })
  const copy = (include: string[]) => crm.ws.post(`/opportunities/${id}/copy`, { stage_id: stages.Qualified, include })
  expect(await copy(['contacts'])).toMatchObject(refused('value'))
  expect(created(await copy(['line_items']))).toMatchObject({ value: 10, stage_id: stages.Qualified })
})
