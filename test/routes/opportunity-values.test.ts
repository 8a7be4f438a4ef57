import { expect, test } from 'vitest'
import { created, found, type Row, refused, useCrm } from './crm.ts'
import { everythingOf, merge, undo } from './merging.ts'

const crm = useCrm()

const item = (unit_price: number, fields: Row = {}) => ({ name: 'Desk', unit_price, tax_percent: 10, ...fields })
const valueAt = async (id: string) => found(await crm.ws.get(`/opportunities/${id}`)).value
const boardValue = async (pipeline: string) =>
  found(await crm.ws.get(`/pipelines/${pipeline}/summary`)).stages.reduce((sum: number, { value }: Row) => sum + value, 0)

test('the value follows every change of the line items, and cannot be sent', async () => {
  const { id, pipeline_id, value } = await crm.opportunity({ value_source: 'subtotal', products: [item(100), item(50, { quantity: 2 })] })
  expect(value).toBe(200)
  const path = `/opportunities/${id}`
  const { id: line } = created(await crm.ws.post(`${path}/products`, item(10)))
  expect(await valueAt(id)).toBe(210)
  found(await crm.ws.patch(`${path}/products/${line}`, { quantity: 3, discount_percent: 50 }))
  expect(await valueAt(id)).toBe(215)
  found(await crm.ws.delete(`${path}/products/${line}`))
  expect(await valueAt(id)).toBe(200)
  found(await crm.ws.post(`${path}/products/${line}/restore`))
  expect([await valueAt(id), await boardValue(pipeline_id)]).toEqual([215, 215])

  expect(await crm.ws.patch(path, { value: 7 })).toMatchObject(refused('value'))
  expect(await crm.ws.patch(path, { currency: 'EUR' })).toMatchObject(refused('currency'))
  expect(await crm.ws.post('/opportunities', { name: 'New', value: 7, value_source: 'total' })).toMatchObject(refused('value'))
  const bulk = await crm.ws.post('/opportunities/bulk-update', {
    records: [
      { id, value: 7 },
      { id: crm.ws.id, value: 8 },
    ],
  })
  expect(bulk.body.data.errors[0].error.details.issues[0].path).toBe('value')
  const { version: _, ...whole } = found(await crm.ws.get(path))
  expect(found(await crm.ws.patch(path, whole)).value).toBe(215)

  expect(found(await crm.ws.patch(path, { value_source: 'total' })).value).toBe(236.5)
  expect(found(await crm.ws.patch(path, { value_source: 'manual', value: 9 })).value).toBe(9)
  created(await crm.ws.post(`${path}/products`, item(1)))
  expect(await valueAt(id)).toBe(9)
})

test('concurrent changes of the line items are all counted', async () => {
  const { id, products } = await crm.opportunity({ value_source: 'subtotal', products: Array.from({ length: 6 }, () => item(1)) })
  await Promise.all(
    products.map(({ id: line }: Row, at: number) => crm.ws.patch(`/opportunities/${id}/products/${line}`, { unit_price: at + 1 })),
  )
  expect(await valueAt(id)).toBe(21)
})

test('a merge adds the line items of the losers, and an undo and a restore bring the values back', async () => {
  const [winner, loser] = [
    await crm.opportunity({ value_source: 'subtotal', products: [item(100)] }),
    await crm.opportunity({ value_source: 'total', products: [item(50)] }),
  ]
  const before = await everythingOf(crm)
  const { merge_id } = await merge(crm, 'opportunities', winner.id, [loser.id])
  expect([await valueAt(winner.id), await boardValue(winner.pipeline_id)]).toEqual([150, 150])
  await undo(crm, 'opportunities', merge_id)
  expect(await everythingOf(crm)).toEqual(before)

  found(await crm.ws.delete(`/opportunities/${loser.id}`))
  expect(found(await crm.ws.post(`/opportunities/${loser.id}/restore`)).value).toBe(55)
  const other = await crm.opportunity({ currency: 'EUR', products: [item(1)] })
  const refusal = await crm.ws.post('/opportunities/merge', { winner_id: winner.id, loser_ids: [other.id] })
  expect(refusal).toMatchObject(refused('loser_ids'))
})
