import { expect, test } from 'vitest'
import { created, found, type Row, refused, useCrm } from '../crm.ts'
import { soldProduct } from './delivering.ts'

const crm = useCrm()

const make = (deal_product_id: string) => crm.ws.post('/work-orders/from-components', { deal_product_id })
const lineItem = async (fields: Row) => created(await crm.ws.post(`/opportunities/${(await crm.opportunity()).id}/products`, fields)).id
const reason = (answer: { body: Row }) => answer.body.error.details.issues[0].message

test('a line item without a product, without components or with too many makes no work orders, and says what to do', async () => {
  const free = await make(await lineItem({ name: 'A day of work', unit_price: 10 }))
  expect(free).toMatchObject(refused('deal_product_id'))
  expect(reason(free)).toMatch(/without a product.*POST \/work-orders$/)

  const { product, item } = await soldProduct(crm)
  const empty = await make(item)
  expect(empty).toMatchObject(refused('deal_product_id'))
  expect(reason(empty)).toMatch(/no components.*POST \/product-components$/)

  const fill = (count: number) =>
    crm.app.owner.query(
      `insert into product_components (workspace_id, product_id, label) select $1, $2, 'Panel ' || n from generate_series(1, $3::int) n`,
      [crm.ws.id, product, count],
    )
  await fill(501)
  const full = await make(item)
  expect(full).toMatchObject(refused('deal_product_id'))
  expect(reason(full)).toMatch(/more than 500 components.*POST \/work-orders$/)
  expect(found(await crm.ws.get(`/work-orders?deal_product_id=${item}`))).toEqual([])
  const [one] = found(await crm.ws.get(`/product-components?product_id=${product}&limit=1`))
  found(await crm.ws.delete(`/product-components/${one?.id}`))
  expect((found(await make(item)) as Row).made).toHaveLength(500)
})
