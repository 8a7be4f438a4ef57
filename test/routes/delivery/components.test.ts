import { expect, test } from 'vitest'
import { created, failed, found, ids, nobody, type Row, refused, useCrm } from '../crm.ts'
import { component, soldProduct } from './delivering.ts'

const crm = useCrm()

const instancesOf = async (opportunity: string) =>
  found(await crm.ws.get(`/component-instances?opportunity_id=${opportunity}&sort=created_at`))
const win = async (deal: string) =>
  found(await crm.ws.post(`/opportunities/${deal}/move`, { stage_id: (await crm.firstPipeline()).stages.Won }))
const wantInstances = async () => found(await crm.ws.patch('/company/crm-settings', { component_instances_on_win: true }))

test('components are listed by product and type, and found by words of their label', async () => {
  const [one, other] = [await crm.product(), await crm.product({ name: 'Battery' })]
  const panel = await component(crm, one, { label: 'Solar panel', type: 'hardware', quantity: 12, attributes: { watts: 440 } })
  const rail = await component(crm, one, { label: 'Mounting rail', type: 'fixing' })
  const cell = await component(crm, other, { label: 'Battery cell', type: 'hardware' })
  expect(panel).toMatchObject({
    product_id: one,
    label: 'Solar panel',
    type: 'hardware',
    status: null,
    quantity: 12,
    attributes: { watts: 440 },
  })
  const list = async (query: string) => ids(found(await crm.ws.get(`/product-components?sort=created_at&${query}`)))
  expect(await list(`product_id=${one}`)).toEqual([panel.id, rail.id])
  expect(await list('type=hardware')).toEqual([panel.id, cell.id])
  expect(await list('search=mount')).toEqual([rail.id])
  expect(await list(`search=panel&product_id=${other}`)).toEqual([])
})

test('only product_id is required; a product cannot be changed', async () => {
  const product = await crm.product()
  const made = created(await crm.ws.post('/product-components', { product_id: product }))
  expect(made).toMatchObject({ label: null, quantity: 1, attributes: {}, parent_component_id: null })
  expect(await crm.ws.post('/product-components', { label: 'Panel' })).toMatchObject(refused('product_id'))
  expect(await crm.ws.post('/product-components', { product_id: nobody })).toMatchObject(refused('product_id'))
  const other = await crm.product({ name: 'Other' })
  expect(await crm.ws.patch(`/product-components/${made.id}`, { product_id: other })).toMatchObject(refused('product_id'))
  found(await crm.ws.patch(`/product-components/${made.id}`, { ...made, label: 'Panel' }))
})

test.each<[string, Row, string]>([
  ['quantity', { quantity: 0 }, 'zero'],
  ['quantity', { quantity: -1 }, 'a negative number'],
  ['quantity', { quantity: 12_345_678_901_234 }, '14 digits'],
  ['attributes', { attributes: [] }, 'a list'],
  ['attributes', { attributes: { text: 'x'.repeat(17_000) } }, 'more than 16 KB'],
  ['attributes', { attributes: { a: { b: { c: { d: { e: { f: { g: { h: { i: 1 } } } } } } } } } }, 'nine levels'],
])('%s refuses $2', async (path, fields) => {
  const product_id = await crm.product()
  const { id } = await component(crm, product_id)
  expect(await crm.ws.post('/product-components', { product_id, ...fields })).toMatchObject(refused(path))
  expect(await crm.ws.patch(`/product-components/${id}`, fields)).toMatchObject(refused(path))
})

test('attributes are merged key by key, and must fit together', async () => {
  const { id } = await component(crm, await crm.product(), { attributes: { watts: 440, colour: 'black' } })
  const patch = (attributes: Row) => crm.ws.patch(`/product-components/${id}`, { attributes })
  expect(found(await patch({ colour: null, year: 2026 })).attributes).toEqual({ watts: 440, year: 2026 })
  found(await patch({ first: 'x'.repeat(9_000) }))
  expect(await patch({ second: 'x'.repeat(9_000) })).toMatchObject(refused('attributes'))
  found(await patch({ first: null }))
})

test('a component cannot contain itself, however two changes meet', async () => {
  const product = await crm.product()
  const [a, b, c] = [await component(crm, product), await component(crm, product), await component(crm, product)]
  const into = (child: Row, parent: Row) => crm.ws.patch(`/product-components/${child.id}`, { parent_component_id: parent.id })
  expect(await into(a, a)).toMatchObject(refused('parent_component_id'))
  found(await into(b, a))
  found(await into(c, b))
  expect(await into(a, c)).toMatchObject(refused('parent_component_id'))
  const stranger = await component(crm, await crm.product({ name: 'Other' }))
  expect(await into(stranger, a)).toMatchObject(refused('parent_component_id'))
  const [x, y] = [await component(crm, product), await component(crm, product)]
  const both = await Promise.all([into(x, y), into(y, x)])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
})

test('500 components are created in one call, each judged by itself; 501 are refused', async () => {
  const product_id = await crm.product()
  const records: Row[] = Array.from({ length: 500 }, (_, n) => ({ product_id, label: `Panel ${n}` }))
  records[7] = { product_id, quantity: 0 }
  records[8] = { product_id: nobody }
  const { results, errors } = found(await crm.ws.post('/product-components/bulk', { components: records })) as Row
  expect(results).toHaveLength(498)
  expect(errors.map(({ index }: Row) => index)).toEqual([7, 8])
  expect(await crm.count('product_components')).toBe(498)
  expect(await crm.ws.post('/product-components/bulk', { components: [...records, records[0]] })).toMatchObject(refused('components'))
})

test('instances are created for a product and an opportunity, which cannot be changed', async () => {
  const { product, deal } = await soldProduct(crm)
  const made = created(
    await crm.ws.post('/component-instances', { product_id: product, opportunity_id: deal, label: 'Panel', status: 'ordered' }),
  )
  expect(made).toMatchObject({ product_id: product, opportunity_id: deal, component_id: null, line_item_id: null, status: 'ordered' })
  expect(await crm.ws.post('/component-instances', { product_id: product })).toMatchObject(refused('opportunity_id'))
  expect(await crm.ws.post('/component-instances', { opportunity_id: deal })).toMatchObject(refused('product_id'))
  for (const fields of [{ product_id: await crm.product() }, { opportunity_id: (await crm.opportunity()).id }])
    expect(await crm.ws.patch(`/component-instances/${made.id}`, fields)).toMatchObject(refused(Object.keys(fields)[0] as string))
  found(await crm.ws.patch(`/component-instances/${made.id}`, { status: 'installed', attributes: { serial: 'A-1' } }))
  expect(ids(found(await crm.ws.get('/component-instances?status=installed')))).toEqual([made.id])
  expect(ids(found(await crm.ws.get('/component-instances?search=pan')))).toEqual([made.id])
  expect(found(await crm.ws.delete(`/component-instances/${made.id}`))).toEqual({ id: made.id, deleted: true })
  found(await crm.ws.post(`/component-instances/${made.id}/restore`))
  const { errors } = found(
    await crm.ws.post('/component-instances/bulk', { instances: [{ product_id: product, opportunity_id: deal }, { product_id: product }] }),
  ) as Row
  expect(errors.map(({ index }: Row) => index)).toEqual([1])
})

test('winning a deal makes the instances once, if the workspace wants them, and they keep what they have', async () => {
  const { product, deal, item } = await soldProduct(crm)
  const panel = await component(crm, product, { label: 'Panel', quantity: 3, attributes: { watts: 440 } })
  await win(deal)
  expect(await instancesOf(deal)).toEqual([])
  await wantInstances()
  const { stages } = await crm.firstPipeline()
  found(await crm.ws.post(`/opportunities/${deal}/move`, { stage_id: stages.New }))
  await win(deal)
  const [made, ...others] = await instancesOf(deal)
  expect(others).toEqual([])
  expect(made).toMatchObject({ product_id: product, component_id: panel.id, label: 'Panel', quantity: 6, attributes: { watts: 440 } })
  found(await crm.ws.post(`/opportunities/${deal}/move`, { stage_id: stages.New }))
  await win(deal)
  expect(ids(await instancesOf(deal))).toEqual([made?.id])
  found(await crm.ws.patch(`/product-components/${panel.id}`, { label: 'Other panel', quantity: 1 }))
  found(await crm.ws.delete(`/product-components/${panel.id}`))
  expect((await instancesOf(deal))[0]).toMatchObject({ label: 'Panel', quantity: 6, component_id: null })
  found(await crm.ws.delete(`/opportunities/${deal}/products/${item}`))
  found(await crm.ws.delete(`/products/${product}`))
  expect((await instancesOf(deal))[0]).toMatchObject({ label: 'Panel', product_id: null })
})

test('instances of a won deal are made by request too, once for two calls at the same time', async () => {
  const { product, deal } = await soldProduct(crm)
  for (const label of ['Panel', 'Rail', 'Inverter']) await component(crm, product, { label })
  const make = () => crm.ws.post('/component-instances/from-opportunity', { opportunity_id: deal })
  const answers = await Promise.all([make(), make()])
  expect(answers.map((answer) => (found(answer) as Row).made).sort()).toEqual([0, 3])
  expect(await instancesOf(deal)).toHaveLength(3)
  expect(await crm.ws.post('/component-instances/from-opportunity', { opportunity_id: nobody })).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('another workspace sees none of it', async () => {
  const { product, deal } = await soldProduct(crm)
  const panel = await component(crm, product)
  const stranger = await crm.app.workspace()
  expect(await stranger.get(`/product-components/${panel.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await stranger.post('/product-components', { product_id: product })).toMatchObject(refused('product_id'))
  expect(await stranger.post('/component-instances/from-opportunity', { opportunity_id: deal })).toMatchObject(failed(404, 'NOT_FOUND'))
})
