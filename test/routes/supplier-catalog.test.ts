import { describe, expect, test } from 'vitest'
import { created, failed, found, ids, nobody, type Row, refused, useCrm, uuid } from './crm.ts'

const crm = useCrm()

const entry = async (supplier_id: string, fields: Row = {}) =>
  created(await crm.ws.post('/supplier-catalog', { supplier_id, supplier_price: 100, ...fields }))
const patch = (id: string, fields: Row) => crm.ws.patch(`/supplier-catalog/${id}`, fields)
const offers = async (product_id: string, more = '') => found(await crm.ws.get(`/supplier-catalog/offers?product_id=${product_id}${more}`))

describe('the supplier catalogue', () => {
  test('needs a supplier and a price only, and takes the currency of the product', async () => {
    const supplier_id = await crm.company('Northern')
    const product_id = await crm.product({ currency: 'EUR' })
    expect(await crm.ws.post('/supplier-catalog', {})).toMatchObject(refused('supplier_id', 'supplier_price'))
    const { created_at, updated_at, ...rest } = await entry(supplier_id, { product_id })
    expect(rest).toEqual({
      id: uuid,
      supplier_id,
      product_id,
      supplier_price: 100,
      currency: 'EUR',
      supplier_sku: null,
      min_quantity: 1,
      lead_time_days: null,
      valid_from: null,
      valid_to: null,
      is_preferred: false,
      notes: null,
      external_id: null,
      version: 1,
    })
    expect(await entry(supplier_id, { product_id, currency: 'USD' })).toMatchObject({ currency: 'USD' })
    expect(await entry(supplier_id)).toMatchObject({ currency: 'AUD', product_id: null })
  })

  test('refuses what no supplier can mean, and names the field', async () => {
    const supplier_id = await crm.company()
    const post = (fields: Row) => crm.ws.post('/supplier-catalog', { supplier_id, supplier_price: 1, ...fields })
    expect(await post({ supplier_price: -1 })).toMatchObject(refused('supplier_price'))
    expect(await post({ supplier_price: 1_000_000_000_000 })).toMatchObject(refused('supplier_price'))
    expect(await post({ min_quantity: 0 })).toMatchObject(refused('min_quantity'))
    expect(await post({ supplier_id: nobody })).toMatchObject(refused('supplier_id'))
    expect(await post({ product_id: nobody })).toMatchObject(refused('product_id'))
    expect(await post({ valid_from: '2026-02-01', valid_to: '2026-01-31' })).toMatchObject(refused('valid_to'))
    const { id } = await entry(supplier_id, { valid_from: '2026-02-01' })
    const refusal = await patch(id, { valid_to: '2026-01-31' })
    expect(refusal).toMatchObject(refused('valid_to'))
    expect(refusal.body.error.details.issues[0].message).toContain('must not be before valid_from')
    expect(found(await patch(id, { valid_from: null, valid_to: '2026-01-31' }))).toMatchObject({ valid_to: '2026-01-31', valid_from: null })
  })

  test('is filtered by supplier and product, and shows its former prices', async () => {
    const [a, b] = [await crm.company('A'), await crm.company('B')]
    const product_id = await crm.product()
    const [first, second] = [await entry(a, { product_id }), await entry(b)]
    expect(ids(found(await crm.ws.get(`/supplier-catalog?supplier_id=${b}`)))).toEqual([second.id])
    expect(ids(found(await crm.ws.get(`/supplier-catalog?product_id=${product_id}`)))).toEqual([first.id])
    await patch(first.id, { supplier_price: 90.5 })
    const [change] = found(await crm.ws.get(`/supplier-catalog/${first.id}/history`))
    expect(change).toMatchObject({ fields: { supplier_price: { before: 100, after: 90.5 } } })
    expect((await crm.events(first.id)).map(({ type }) => type)).toEqual([
      'supplier_catalog_entry.created',
      'supplier_catalog_entry.updated',
    ])
  })

  test('needs products:write to delete, and products:read to be read', async () => {
    const { id } = await entry(await crm.company())
    const writer = await crm.ws.key({ scopes: ['products:write'] })
    const deleter = await crm.ws.key({ scopes: ['products:delete'] })
    expect(await deleter.delete(`/supplier-catalog/${id}`)).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
    expect((await writer.delete(`/supplier-catalog/${id}`)).body.data).toEqual({ id, deleted: true })
  })

  test('has one preferred entry for each product, also when two are set at once', async () => {
    const supplier_id = await crm.company()
    const product_id = await crm.product()
    const made = await Promise.all([1, 2, 3].map(() => entry(supplier_id, { product_id })))
    await Promise.all(made.map(({ id }) => patch(id, { is_preferred: true })))
    const preferred = found(await crm.ws.get('/supplier-catalog?is_preferred=true'))
    expect(preferred).toHaveLength(1)
    const other = made.find(({ id }) => id !== preferred[0]?.id) as Row
    await patch(other.id, { is_preferred: true })
    expect(ids(found(await crm.ws.get('/supplier-catalog?is_preferred=true')))).toEqual([other.id])
  })
})

describe('offers', () => {
  test('are the prices that are valid for the day, the quantity and the currency, the cheapest first', async () => {
    const [a, b] = [await crm.company('A'), await crm.company('B')]
    const product_id = await crm.product()
    const usual = await entry(a, { product_id, supplier_price: 100 })
    const preferred = await entry(b, { product_id, supplier_price: 100, is_preferred: true })
    const bulk = await entry(a, { product_id, supplier_price: 80, min_quantity: 10 })
    const summer = await entry(b, { product_id, supplier_price: 70, valid_from: '2030-01-01', valid_to: '2030-01-31' })
    await entry(b, { product_id, supplier_price: 1, currency: 'USD' })
    await entry(b, { product_id: await crm.product(), supplier_price: 1 })
    expect(ids(await offers(product_id, '&date=2030-02-01'))).toEqual([preferred.id, usual.id])
    expect(ids(await offers(product_id))).toEqual([preferred.id, usual.id])
    expect(ids(await offers(product_id, '&quantity=10&date=2030-01-31'))).toEqual([summer.id, bulk.id, preferred.id, usual.id])
    const [first, second] = await offers(product_id, '&quantity=10')
    expect(first).toMatchObject({ id: bulk.id, supplier_name: 'A', quantity: 10, cost: 800, is_cheapest: true })
    expect(second).toMatchObject({ is_cheapest: false })
    expect(await crm.ws.get(`/supplier-catalog/offers?product_id=${nobody}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  })

  test('become the cost of a line item by the id of the entry', async () => {
    const supplier_id = await crm.company('Northern')
    const product_id = await crm.product()
    const { id } = await crm.opportunity()
    const line_item_id = created(await crm.ws.post(`/opportunities/${id}/products`, { product_id, quantity: 3, unit_price: 100 })).id
    const { id: catalog_entry_id } = await entry(supplier_id, { product_id, supplier_price: 60.5 })
    const path = `/opportunities/${id}/product-costs`
    const cost = created(await crm.ws.post(path, { line_item_id, catalog_entry_id, quantity: 3 }))
    expect(cost).toMatchObject({ unit_cost: 60.5, cost: 181.5, supplier_name: 'Northern', catalog_entry_id, line_item: { margin: 118.5 } })
    expect(created(await crm.ws.post(path, { line_item_id, catalog_entry_id, unit_cost: 50, supplier_name: 'Own' }))).toMatchObject({
      unit_cost: 50,
      supplier_name: 'Own',
    })
    const many = await crm.ws.post(`${path}/bulk-create`, {
      records: [{ line_item_id, catalog_entry_id }, { line_item_id }, { line_item_id, catalog_entry_id: nobody }],
    })
    expect(many.body.data).toMatchObject({ results: [{ unit_cost: 60.5, supplier_name: 'Northern' }] })
    expect(many.body.data.errors).toMatchObject([
      { index: 1, error: { details: { issues: [{ path: 'unit_cost' }] } } },
      { index: 2, error: { details: { issues: [{ path: 'catalog_entry_id' }] } } },
    ])
    expect(await crm.ws.post(path, { line_item_id })).toMatchObject(refused('unit_cost'))
    expect(await crm.ws.post(path, { line_item_id, catalog_entry_id: nobody })).toMatchObject(refused('catalog_entry_id'))
    const foreign = await entry(supplier_id, { product_id, currency: 'EUR' })
    expect(await crm.ws.post(path, { line_item_id, catalog_entry_id: foreign.id })).toMatchObject(refused('unit_cost'))
    await patch(catalog_entry_id, { supplier_price: 1 })
    await crm.ws.delete(`/supplier-catalog/${catalog_entry_id}`)
    expect(found(await crm.ws.get(`${path}/${cost.id}`))).toMatchObject({ unit_cost: 60.5, catalog_entry_id: null })
  })
})
