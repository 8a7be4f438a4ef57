import { beforeEach, expect, test } from 'vitest'
import { created, failed, found, ids, nobody, type Row, refused, useCrm, uuid, without } from './crm.ts'

const crm = useCrm()

let opportunity: string
let path: string
beforeEach(async () => {
  opportunity = (await crm.opportunity()).id
  path = `/opportunities/${opportunity}/products`
})

const add = async (fields: Row) => created(await crm.ws.post(path, fields))
const names = async () => found(await crm.ws.get(path)).map(({ name }: Row) => name)
const whole = async () => found(await crm.ws.get(`/opportunities/${opportunity}`))

test('a line of a name alone is one of it for nothing', async () => {
  const answer = await crm.ws.post(path, { name: ' Desk ' })
  const line = created(answer)
  expect(line).toMatchObject({
    id: uuid,
    opportunity_id: opportunity,
    product_id: null,
    name: 'Desk',
    description: null,
    quantity: 1,
    unit_price: 0,
    discount_percent: 0,
    tax_percent: 0,
    subtotal: 0,
    total: 0,
    position: 0,
    version: 1,
  })
  expect(answer.headers.get('location')).toBe(`/v1${path}/${line.id}`)
  const read = await crm.ws.get(`${path}/${line.id}`)
  expect(found(read)).toEqual(line)
  expect(read.headers.get('etag')).toBe('"1"')
})

test("a product's line copies its name, price and tax, and keeps them when the product changes", async () => {
  const product_id = await crm.product({ name: 'GTX Pro', price: 4821.05, tax_percent: 10 })
  const line = await add({ product_id, quantity: 2 })
  expect(line).toMatchObject({ product_id, name: 'GTX Pro', unit_price: 4821.05, tax_percent: 10, subtotal: 9642.1, total: 10606.31 })
  await crm.app.owner.query("update products set name = 'GTX', price = 1, tax_percent = 0 where id = $1", [product_id])
  expect(found(await crm.ws.get(`${path}/${line.id}`))).toEqual(line)
  const own = await add({ product_id, name: 'Special', unit_price: 5, tax_percent: 20 })
  expect(own).toMatchObject({ product_id, name: 'Special', unit_price: 5, tax_percent: 20, total: 6 })
})

const sums: [string, Row, number, number][] = [
  ['3 × 19.99 − 12.5 % + 10 %', { quantity: 3, unit_price: 19.99, discount_percent: 12.5, tax_percent: 10 }, 52.47, 57.72],
  ['0.1 × 0.1', { quantity: 0.1, unit_price: 0.1 }, 0.01, 0.01],
  ['3 × 0.1', { quantity: 3, unit_price: 0.1 }, 0.3, 0.3],
  ['1 × 1.005, to the cent', { quantity: 0.5, unit_price: 2.01 }, 1.01, 1.01],
  ['2.675 is no floating point', { quantity: 0.25, unit_price: 10.7 }, 2.68, 2.68],
  ['a third of a metre', { quantity: 0.3333, unit_price: 100 }, 33.33, 33.33],
  ['all of it off', { quantity: 7, unit_price: 9.99, discount_percent: 100, tax_percent: 10 }, 0, 0],
  ['none of it', { quantity: 0, unit_price: 9.99 }, 0, 0],
  ['the tax is on the rounded subtotal', { quantity: 1, unit_price: 0.05, discount_percent: 50, tax_percent: 50 }, 0.03, 0.05],
  ['a great deal', { quantity: 1, unit_price: 999_999_999_999.99 }, 999_999_999_999.99, 999_999_999_999.99],
]
test.each(sums)('%s', async (_, fields, subtotal, total) => {
  expect(await add({ name: 'Desk', ...fields })).toMatchObject({ ...fields, subtotal, total })
  expect(await whole()).toMatchObject({ products: [{ subtotal, total }], products_total: total, value: 0 })
})

test('the total of an opportunity is that of its lines, to the cent', async () => {
  for (const unit_price of [0.1, 0.2, 19.99]) await add({ name: 'Desk', unit_price })
  const { products, products_total } = await whole()
  expect(products_total).toBe(20.29)
  const listed = found(await crm.ws.get(path)) as Row[]
  expect(products).toEqual(listed.map((line) => without(line, 'opportunity_id', 'version', 'created_at', 'updated_at')))
})

const notAccepted: [Row, string][] = [
  [{}, 'name'],
  [{ name: '' }, 'name'],
  [{ product_id: nobody }, 'product_id'],
  [{ product_id: 'gtx' }, 'product_id'],
  [{ name: 'Desk', quantity: -1 }, 'quantity'],
  [{ name: 'Desk', quantity: 1.00001 }, 'quantity'],
  [{ name: 'Desk', quantity: '2' }, 'quantity'],
  [{ name: 'Desk', unit_price: 1.005 }, 'unit_price'],
  [{ name: 'Desk', unit_price: -5 }, 'unit_price'],
  [{ name: 'Desk', discount_percent: 101 }, 'discount_percent'],
  [{ name: 'Desk', tax_percent: -1 }, 'tax_percent'],
  [{ name: 'Desk', position: -1 }, 'position'],
  [{ name: 'Desk', total: 5 }, 'total'],
]
test.each(notAccepted)('the line %j is refused', async (fields, field) => {
  expect(await crm.ws.post(path, fields)).toMatchObject(refused(field))
  expect(await names()).toEqual([])
})

test('a line that is beyond all money is refused', async () => {
  const answer = await crm.ws.post(path, { name: 'Moon', quantity: 9_999_999, unit_price: 999_999_999_999 })
  expect(answer).toMatchObject(refused('unit_price'))
  const product_id = await crm.product({ price: 999_999_999_999 })
  expect(await crm.ws.post(path, { product_id, quantity: 9_999_999 })).toMatchObject(refused('unit_price'))
  expect(await names()).toEqual([])
  const { id } = await add({ product_id })
  expect(found(await crm.ws.patch(`${path}/${id}`, { unit_price: 999_999_999_999.99 }))).toMatchObject({ total: 999_999_999_999.99 })
  for (const fields of [{ tax_percent: 0.01 }, { quantity: 1.01 }])
    expect(await crm.ws.patch(`${path}/${id}`, fields)).toMatchObject(refused('unit_price'))
})

test("another workspace's product is unknown", async () => {
  const theirs = await crm.app.workspace()
  const { rows } = await crm.app.owner.query("insert into products (workspace_id, name) values ($1, 'Theirs') returning id", [theirs.id])
  expect(await crm.ws.post(path, { product_id: rows[0].id })).toMatchObject(refused('product_id'))
})

test('an update changes only the fields it sends, and the sums follow', async () => {
  const line = await add({ name: 'Desk', quantity: 3, unit_price: 10, description: 'Oak' })
  const patch = await crm.ws.patch(`${path}/${line.id}`, { discount_percent: 50, description: '' }, { 'if-match': '"1"' })
  const { updated_at } = found(patch)
  expect(patch.body.data).toEqual({ ...line, discount_percent: 50, description: null, subtotal: 15, total: 15, version: 2, updated_at })
  expect(patch.headers.get('etag')).toBe('"2"')
  expect(await crm.ws.patch(`${path}/${line.id}`, { quantity: 9 }, { 'if-match': '"1"' })).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
  expect(await crm.ws.patch(`${path}/${line.id}`, { product_id: await crm.product() })).toMatchObject(refused('product_id'))
  expect(await crm.ws.patch(`${path}/${line.id}`, { name: '' })).toMatchObject(refused('name'))
  expect((await whole()).products_total).toBe(15)
})

test('a line is removed', async () => {
  const [first, second] = [await add({ name: 'Desk', unit_price: 1 }), await add({ name: 'Chair', unit_price: 2 })]
  expect(await crm.ws.delete(`${path}/${first.id}`, { 'if-match': '"2"' })).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
  expect(await crm.ws.delete(`${path}/${first.id}`)).toMatchObject({ status: 200, body: { data: { id: first.id, deleted: true } } })
  expect(await crm.ws.delete(`${path}/${first.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(ids(found(await crm.ws.get(path)))).toEqual([second.id])
  expect((await whole()).products_total).toBe(2)
})

test('line items are in order: new ones at the end, or at a given position', async () => {
  for (const name of ['A', 'B', 'C']) await add({ name })
  await add({ name: 'First', position: 0 })
  expect((await names()).slice(1)).toEqual(expect.arrayContaining(['A', 'B', 'C']))
  expect((await add({ name: 'Last' })).position).toBeGreaterThanOrEqual(3)
  expect((await names()).at(-1)).toBe('Last')
  const walked = await crm.walk(`${path}?limit=2`)
  expect(walked.map(({ name }) => name)).toEqual(await names())
})

test('a line that is put first is first', async () => {
  for (const name of ['A', 'B']) await add({ name })
  await add({ name: 'First', position: 0 })
  expect(await names()).toEqual(['First', 'A', 'B'])
})

test('a position counts only existing line items', async () => {
  const [a, b] = [await add({ name: 'A' }), await add({ name: 'B' }), await add({ name: 'C' }), await add({ name: 'D' })]
  for (const { id } of [a, b]) found(await crm.ws.delete(`${path}/${id}`))
  await add({ name: 'Between', position: 1 })
  expect(await names()).toEqual(['C', 'Between', 'D'])
})

test('the order is set as a whole', async () => {
  const lines = [await add({ name: 'A' }), await add({ name: 'B' }), await add({ name: 'C' })]
  const [a, b, c] = ids(lines)
  const answer = await crm.ws.post(`${path}/reorder`, { ids: [c, a, b] })
  expect(found(answer).map(({ name, position }: Row) => [name, position])).toEqual([
    ['C', 0],
    ['A', 1],
    ['B', 2],
  ])
  expect(await names()).toEqual(['C', 'A', 'B'])
  expect((await whole()).products.map(({ name }: Row) => name)).toEqual(['C', 'A', 'B'])
  for (const [wrong, field] of [
    [[a, b], 'ids'],
    [[a, b, c, c], 'ids.3'],
    [[a, b, b], 'ids.2'],
    [[a, b, nobody], 'ids.2'],
    [[], 'ids'],
  ] as const)
    expect(await crm.ws.post(`${path}/reorder`, { ids: wrong })).toMatchObject(refused(field))
  expect(await names()).toEqual(['C', 'A', 'B'])
})

test('a line is found below its own opportunity only', async () => {
  const line = await add({ name: 'Desk' })
  const other = await crm.opportunity()
  for (const [id, item] of [
    [other.id, line.id],
    [opportunity, nobody],
    [nobody, line.id],
  ]) {
    const at = `/opportunities/${id}/products/${item}`
    expect(await crm.ws.get(at)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await crm.ws.patch(at, { quantity: 2 })).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await crm.ws.delete(at)).toMatchObject(failed(404, 'NOT_FOUND'))
  }
})

test('lines that are added at the same time all have their own place', async () => {
  await Promise.all(['A', 'B', 'C', 'D'].map((name) => add({ name })))
  expect(found(await crm.ws.get(path)).map(({ position }: Row) => position)).toEqual([0, 1, 2, 3])
})

test('each change of a line is announced', async () => {
  const line = await add({ name: 'Desk', skip_automations: true })
  found(await crm.ws.patch(`${path}/${line.id}`, { quantity: 2 }))
  found(await crm.ws.delete(`${path}/${line.id}`))
  expect((await crm.events(line.id)).map(({ type, skip_automations }) => [type, skip_automations])).toEqual([
    ['opportunity_product.created', true],
    ['opportunity_product.updated', false],
    ['opportunity_product.deleted', false],
  ])
})
