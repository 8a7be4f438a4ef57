import { expect, test } from 'vitest'
import { bySort, created, failed, found, ids, nobody, type Row, refused, useCrm, uuid } from './crm.ts'

const crm = useCrm()

const product = async (fields: Row = {}) => created(await crm.ws.post('/products', { name: 'GTX Pro', ...fields }))
const list = async (query: string) => found(await crm.ws.get(`/products?${query}`))
const patch = (id: string, fields: Row) => crm.ws.patch(`/products/${id}`, fields)

test('a name is enough for a product', async () => {
  const answer = await crm.ws.post('/products', { name: ' GTX Pro ' })
  const made = created(answer)
  const { created_at, updated_at, ...rest } = made
  expect(rest).toEqual({
    id: uuid,
    name: 'GTX Pro',
    sku: null,
    category: null,
    description: null,
    price: 0,
    cost: null,
    currency: 'AUD',
    unit: null,
    tax_percent: 0,
    is_active: true,
    metadata: {},
    external_id: null,
    archived: false,
    version: 1,
  })
  expect(updated_at).toBe(created_at)
  expect(answer.headers.get('location')).toBe(`/v1/products/${made.id}`)
  expect(found(await crm.ws.get(`/products/${made.id}`))).toEqual(made)
})

test('every field is stored to the cent, and an update changes only the fields it sends', async () => {
  const sent = {
    sku: 'GTX-1',
    category: 'Workstations',
    description: 'Fast\nquiet',
    price: 4821.1,
    cost: 0.07,
    currency: 'NZD',
    unit: 'piece',
    tax_percent: 12.5,
    is_active: false,
    metadata: { colour: 'black', size: 2 },
    external_id: 'shop-1',
  }
  const { id } = await product(sent)
  const changed = found(await patch(id, { price: 99999999.99, cost: null, sku: '', metadata: { size: null, weight: 3 }, archived: true }))
  expect(changed).toMatchObject({
    ...sent,
    price: 99999999.99,
    cost: null,
    sku: null,
    metadata: { colour: 'black', weight: 3 },
    archived: true,
    version: 2,
  })
  expect(found(await patch(id, {})).version).toBe(2)
})

test.each([
  [{ name: '' }, 'name'],
  [{ price: -1 }, 'price'],
  [{ price: 1.001 }, 'price'],
  [{ price: '1' }, 'price'],
  [{ price: null }, 'price'],
  [{ cost: -0.01 }, 'cost'],
  [{ currency: 'au' }, 'currency'],
  [{ tax_percent: 101 }, 'tax_percent'],
  [{ is_active: 'yes' }, 'is_active'],
  [{ colour: 'red' }, 'colour'],
])('%j is refused, naming %s', async (fields, path) => {
  expect(await crm.ws.post('/products', { name: 'X', ...fields })).toMatchObject(refused(path))
  expect(await patch((await product()).id, fields)).toMatchObject(refused(path))
})

test('a sku and an external_id are unique in a workspace, but any number can be empty', async () => {
  await product({ sku: 'A', external_id: 'x' })
  await product()
  created(await (await crm.app.workspace()).post('/products', { name: 'Theirs', sku: 'B', external_id: 'y' }))
  const { id } = await product({ sku: 'B', external_id: 'y' })
  for (const fields of [{ sku: 'A' }, { external_id: 'x' }]) {
    expect(await crm.ws.post('/products', { name: 'X', ...fields })).toMatchObject(failed(409, 'CONFLICT'))
    expect(await patch(id, fields)).toMatchObject(failed(409, 'CONFLICT'))
  }
  const twice = await Promise.all([1, 2].map(() => crm.ws.post('/products', { name: 'X', sku: 'C' })))
  expect(twice.map(({ status }) => status).sort(), 'two at once').toEqual([201, 409])
})

test('a product with line items cannot be deleted; without them it can', async () => {
  const { id } = await product({ price: 10 })
  const deal = await crm.opportunity({ products: [{ product_id: id }] })
  expect(await crm.ws.delete(`/products/${id}`)).toMatchObject({
    status: 409,
    body: { error: { code: 'CONFLICT', details: { referenced_by: 'opportunity_products' } } },
  })
  found(await patch(id, { price: 20, name: 'Renamed' }))
  expect(found(await crm.ws.get(`/opportunities/${deal.id}`)).products, 'the line keeps its own copy').toMatchObject([
    { name: 'GTX Pro', unit_price: 10 },
  ])
  found(await crm.ws.delete(`/opportunities/${deal.id}`))
  expect(await crm.ws.delete(`/products/${id}`)).toMatchObject({ status: 200, body: { data: { id, deleted: true } } })
  expect(await crm.ws.get(`/products/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('filters, search and archive', async () => {
  const one = await product({ name: 'GTX Pro', sku: 'GTX-1', category: 'Workstations', external_id: 'a' })
  const two = await product({ name: 'Cable', sku: 'C-1', category: 'Parts', is_active: false })
  const gone = await product({ name: 'Old' })
  found(await patch(gone.id, { archived: true }))
  expect(ids(await list('')).sort()).toEqual([one.id, two.id].sort())
  expect(ids(await list('archived=true'))).toEqual([gone.id])
  expect(await list('archived=all')).toHaveLength(3)
  for (const query of ['category=Workstations', 'is_active=true', 'sku=GTX-1', 'external_id=a', 'search=gtx', 'search=gtx-1%20pro'])
    expect(ids(await list(query)), query).toEqual([one.id])
  expect(ids(await list('is_active=false'))).toEqual([two.id])
  expect(await crm.ws.get('/products?price=1')).toMatchObject(refused('price'))
})

const sorts: [string, (row: Row) => string][] = [
  ['created_at', (row) => row.created_at],
  ['name', (row) => row.name.toLowerCase()],
]
test.each(
  sorts.flatMap(
    ([name, key]) =>
      [
        [name, key],
        [`-${name}`, key],
      ] as const,
  ),
)('sorted by %s, pages join without gap or repetition', async (sort, key) => {
  await crm.ws.post('/products/bulk-create', { records: ['b', 'A', 'c', 'a', 'B'].map((name) => ({ name })) })
  const all = await list('')
  expect(all).toHaveLength(5)
  expect(ids(await crm.walk(`/products?limit=2&sort=${sort}`))).toEqual(ids(bySort(all, sort, key)))
})

test('a sort without an index is not offered', async () => {
  expect(await crm.ws.get('/products?sort=price')).toMatchObject(refused('sort'))
})

test('bulk-create creates the valid records and reports each invalid one', async () => {
  await product({ sku: 'taken' })
  const { results, errors } = found(
    await crm.ws.post('/products/bulk-create', {
      records: [
        { name: 'A', sku: 'a' },
        { name: 'B', sku: 'taken' },
        { sku: 'c' },
        { name: 'D', price: -1 },
        { name: 'E', sku: 'a' },
        { name: 'F' },
      ],
    }),
  )
  expect(results).toMatchObject([{ name: 'A', price: 0, currency: 'AUD' }, { name: 'F' }])
  expect(errors.map(({ index, error }: Row) => [index, error.code])).toEqual([
    [1, 'CONFLICT'],
    [2, 'VALIDATION_ERROR'],
    [3, 'VALIDATION_ERROR'],
    [4, 'CONFLICT'],
  ])
  expect((await crm.events(results[0].id)).map(({ type }) => type)).toEqual(['product.created'])
})

test('each change has its event and its row in the history', async () => {
  const { id } = await product({ price: 1 })
  found(await patch(id, { price: 2.5 }))
  found(await crm.ws.delete(`/products/${id}`))
  expect((await crm.events(id)).map(({ type }) => type)).toEqual(['product.created', 'product.updated', 'product.deleted'])
  const history = found(await crm.ws.get(`/products/${id}/history`))
  expect(history[1]).toMatchObject({ action: 'updated', fields: { price: { before: 1, after: 2.5 } } })
})

test('another workspace’s product is unknown, and If-Match guards', async () => {
  const theirs = created(await (await crm.app.workspace()).post('/products', { name: 'Theirs' })).id
  for (const id of [nobody, theirs]) {
    expect(await crm.ws.get(`/products/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await patch(id, { name: 'X' })).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await crm.ws.delete(`/products/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  }
  const { id } = await product()
  expect(await crm.ws.patch(`/products/${id}`, { name: 'X' }, { 'if-match': '"7"' })).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
})
