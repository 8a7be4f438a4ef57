import { describe, expect, test } from 'vitest'
import { created, failed, found, ids, nobody, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm()

const line = async (opportunity: string, fields: Row = {}) =>
  created(await crm.ws.post(`/opportunities/${opportunity}/products`, { name: 'GTX Pro', quantity: 2, unit_price: 100, ...fields }))
const cost = async (opportunity: string, line_item_id: string, fields: Row = {}) =>
  created(await crm.ws.post(`/opportunities/${opportunity}/product-costs`, { line_item_id, unit_cost: 60, ...fields }))

describe('supplier costs', () => {
  test('show the cost and margin of their line item, and of the whole', async () => {
    const { id } = await crm.opportunity()
    const [item, other] = [await line(id), await line(id, { name: 'Setup', quantity: 1, unit_price: 50 })]
    await cost(id, item.id, { quantity: 2, supplier_name: 'Northern', description: 'Cards' })
    const second = await cost(id, item.id, { unit_cost: 9.99, quantity: 0.5 })
    expect(second).toMatchObject({ quantity: 0.5, unit_cost: 9.99, cost: 5, supplier_name: null })
    const margin = { line_item_id: item.id, name: 'GTX Pro', subtotal: 200, cost: 125, margin: 75, margin_percent: 37.5 }
    expect(second.line_item).toEqual(margin)
    expect(found(await crm.ws.get(`/opportunities/${id}/margin`))).toEqual({
      opportunity_id: id,
      currency: 'AUD',
      subtotal: 250,
      cost: 125,
      margin: 125,
      margin_percent: 50,
      lines: [margin, { line_item_id: other.id, name: 'Setup', subtotal: 50, cost: 0, margin: 50, margin_percent: 100 }],
    })
  })

  test.each([
    ['nothing sold', { quantity: 0 }, 10, { subtotal: 0, cost: 10, margin: -10, margin_percent: null }],
    ['a loss', { quantity: 1, unit_price: 30 }, 40, { subtotal: 30, cost: 40, margin: -10, margin_percent: -33.33 }],
    ['cents', { quantity: 3, unit_price: 0.1 }, 0.2, { subtotal: 0.3, cost: 0.2, margin: 0.1, margin_percent: 33.33 }],
  ])('%s is counted to the cent', async (_, sold, unit_cost, expected) => {
    const { id } = await crm.opportunity()
    const { line_item } = await cost(id, (await line(id, sold)).id, { unit_cost })
    expect(line_item).toMatchObject(expected)
    expect(found(await crm.ws.get(`/opportunities/${id}/margin`))).toMatchObject(expected)
  })

  test('an opportunity without line items has no margin', async () => {
    const { id } = await crm.opportunity({ currency: 'EUR' })
    expect(found(await crm.ws.get(`/opportunities/${id}/margin`))).toEqual({
      opportunity_id: id,
      currency: 'EUR',
      subtotal: 0,
      cost: 0,
      margin: 0,
      margin_percent: null,
      lines: [],
    })
  })

  test('are listed by line item, changed and removed, with history and events', async () => {
    const { id } = await crm.opportunity()
    const [item, other] = [await line(id), await line(id)]
    const [a, b, c] = [await cost(id, item.id), await cost(id, other.id), await cost(id, item.id)]
    expect(ids(await crm.walk(`/opportunities/${id}/product-costs?limit=2`))).toEqual([a.id, b.id, c.id])
    expect(ids(found(await crm.ws.get(`/opportunities/${id}/product-costs?line_item_id=${item.id}`)))).toEqual([a.id, c.id])
    const path = `/opportunities/${id}/product-costs/${a.id}`
    expect((await crm.ws.patch(path, { quantity: 3, supplier_name: 'X' })).body.data).toMatchObject({ cost: 180, version: 2 })
    expect((await crm.ws.patch(path, { quantity: 3 })).body.data).toMatchObject({ version: 2 })
    expect(await crm.ws.patch(path, { quantity: 4 }, { 'if-match': '"1"' })).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
    expect(found(await crm.ws.get(path))).toMatchObject({ quantity: 3, line_item: { cost: 240 } })
    expect((await crm.ws.delete(path)).body.data).toEqual({ id: a.id, deleted: true })
    expect(await crm.ws.get(path)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect((await crm.events(a.id)).map(({ type }) => type)).toEqual(['created', 'updated', 'deleted'].map((did) => `product_cost.${did}`))
  })

  test('go with their line item', async () => {
    const { id } = await crm.opportunity()
    const item = await line(id)
    await cost(id, item.id)
    expect((await crm.ws.delete(`/opportunities/${id}/products/${item.id}`)).status).toBe(200)
    expect(found(await crm.ws.get(`/opportunities/${id}/product-costs`))).toEqual([])
  })

  test('a line item of another opportunity or workspace has none here', async () => {
    const [{ id }, other, stranger] = [await crm.opportunity(), await crm.opportunity(), await crm.app.workspace()]
    const elsewhere = await line(other.id)
    const theirs = created(await stranger.post('/opportunities', { name: 'Theirs', products: [{ name: 'x' }] }))
    for (const line_item_id of [elsewhere.id, theirs.products[0].id, nobody])
      expect(await crm.ws.post(`/opportunities/${id}/product-costs`, { line_item_id, unit_cost: 1 })).toMatchObject(refused('line_item_id'))
    const { id: there } = await cost(other.id, elsewhere.id)
    expect(await crm.ws.get(`/opportunities/${id}/product-costs/${there}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await stranger.get(`/opportunities/${other.id}/product-costs/${there}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    for (const path of ['product-costs', 'margin', 'buckets', 'tags', 'next-action'])
      expect(await crm.ws.get(`/opportunities/${theirs.id}/${path}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  })

  test.each([
    [{ unit_cost: -1 }, ['unit_cost']],
    [{ unit_cost: 1.234, quantity: -1 }, ['unit_cost', 'quantity']],
    [{ unit_cost: undefined }, ['unit_cost']],
    [{ unit_cost: 999_999_999_999, quantity: 9_999_999 }, ['unit_cost']],
  ])('%j is refused', async (fields, paths) => {
    const { id } = await crm.opportunity()
    const item = await line(id)
    const body = { line_item_id: item.id, ...fields }
    expect(await crm.ws.post(`/opportunities/${id}/product-costs`, body)).toMatchObject(refused(...paths))
  })

  test('a price of the catalogue that becomes too much with its quantity is refused', async () => {
    const { id } = await crm.opportunity()
    const item = await line(id)
    const price = { supplier_id: await crm.company('Northern'), supplier_price: 999_999_999_999 }
    const { id: catalog_entry_id } = created(await crm.ws.post('/supplier-catalog', price))
    const add = (fields: Row) => crm.ws.post(`/opportunities/${id}/product-costs`, { line_item_id: item.id, catalog_entry_id, ...fields })
    expect(await add({ quantity: 9_999_999 })).toMatchObject(refused('unit_cost'))
    expect(created(await add({ quantity: 9_999_999, unit_cost: 1 }))).toMatchObject({ cost: 9_999_999, catalog_entry_id })
  })
})
