import { expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm()

/** Just below what a line item of quantity 1 may cost. */
const HIGH = 499_999_999_999
const item = (unit_price: number) => ({ name: 'Power plant', unit_price })
const stored = async (id: string) => found(await crm.ws.get(`/opportunities/${id}`))

test('line items whose sum exceeds what a value can be are refused on every path, and the value stays', async () => {
  const { id } = await crm.opportunity({ value_source: 'subtotal', products: [item(HIGH), item(HIGH)] })
  const path = `/opportunities/${id}`
  expect(await crm.ws.post(`${path}/products`, item(HIGH))).toMatchObject(refused('unit_price'))
  expect((await stored(id)).products).toHaveLength(2)
  const small = created(await crm.ws.post(`${path}/products`, item(1)))
  expect(await crm.ws.patch(`${path}/products/${small.id}`, { unit_price: HIGH })).toMatchObject(refused('unit_price'))
  expect((await stored(id)).value).toBe(2 * HIGH + 1)
  const three = { name: 'Grid', value_source: 'subtotal', products: [item(HIGH), item(HIGH), item(HIGH)] }
  expect((await crm.ws.post('/opportunities', three)).status).toBe(400)

  const manual = await crm.opportunity({ products: [item(HIGH), item(HIGH), item(HIGH)] })
  expect(await crm.ws.patch(`/opportunities/${manual.id}`, { value_source: 'subtotal' })).toMatchObject(refused('unit_price'))
  expect((await stored(manual.id)).value_source).toBe('manual')
})

test('a line item or a cost whose total exceeds what money can be is refused when it is changed, too', async () => {
  const { id } = await crm.opportunity({ products: [item(HIGH)] })
  const path = `/opportunities/${id}`
  const line = (await stored(id)).products[0].id
  for (const wrong of [{ quantity: 3 }, { quantity: 5, unit_price: HIGH / 2 }, { quantity: 2, tax_percent: 10 }])
    expect(await crm.ws.patch(`${path}/products/${line}`, wrong), JSON.stringify(wrong)).toMatchObject(refused('unit_price'))
  expect(found(await crm.ws.patch(`${path}/products/${line}`, { quantity: 2 })).total).toBe(2 * HIGH)
  const cost = created(await crm.ws.post(`${path}/product-costs`, { line_item_id: line, unit_cost: HIGH }))
  for (const wrong of [{ quantity: 3 }, { quantity: 2.5, unit_cost: HIGH }])
    expect(await crm.ws.patch(`${path}/product-costs/${cost.id}`, wrong), JSON.stringify(wrong)).toMatchObject(refused('unit_cost'))
  expect(found(await crm.ws.patch(`${path}/product-costs/${cost.id}`, { quantity: 2 })).cost).toBe(2 * HIGH)
})

test('a copy of more rows than one call copies is refused until fewer parts are included', async () => {
  const { id } = await crm.opportunity({ products: [item(1)] })
  const line = (await stored(id)).products[0].id
  await crm.app.owner.query(
    `insert into product_costs (workspace_id, opportunity_id, line_item_id, unit_cost)
      select $1, $2, $3, 1 from generate_series(1, $4::int)`,
    [crm.ws.id, id, line, 2000],
  )
  const copy = (fields: Row) => crm.ws.post(`/opportunities/${id}/copy`, fields)
  const before = await crm.count('opportunities')
  expect(await copy({})).toMatchObject(failed(409, 'CONFLICT'))
  expect(await crm.count('opportunities')).toBe(before)
  expect(created(await copy({ include: ['line_items'] })).products).toHaveLength(1)
})

test('an open opportunity has no closed_at, however it is written', async () => {
  const closed_at = '2026-01-05T10:00:00.000Z'
  const { stages } = await crm.firstPipeline()
  expect(await crm.ws.post('/opportunities', { name: 'New', closed_at })).toMatchObject(refused('closed_at'))
  const { id } = await crm.opportunity()
  expect(await crm.ws.patch(`/opportunities/${id}`, { closed_at })).toMatchObject(refused('closed_at'))
  const move = (stage: string, fields: Row = {}) => crm.ws.post(`/opportunities/${id}/move`, { stage_id: stage, ...fields })
  const bulk = await crm.ws.post('/opportunities/bulk-update', { records: [{ id, closed_at }] })
  expect(bulk.body.data.errors[0].error.details.issues[0].path).toBe('closed_at')
  found(await move(stages.Won))
  expect(found(await crm.ws.patch(`/opportunities/${id}`, { closed_at })).closed_at).toBe(closed_at)
  found(await move(stages.New))
  expect((await stored(id)).closed_at).toBeNull()
  expect(await crm.ws.patch(`/opportunities/${id}`, { closed_at })).toMatchObject(refused('closed_at'))
})
