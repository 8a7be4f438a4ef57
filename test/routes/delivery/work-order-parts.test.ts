import { expect, test } from 'vitest'
import { created, failed, found, ids, nobody, type Row, refused, useCrm } from '../crm.ts'
import { soldProduct } from './delivering.ts'

const crm = useCrm()

const order = async (deal_product_id: string, fields: Row = {}) =>
  created(await crm.ws.post('/work-orders', { deal_product_id, ...fields }))
const statuses = async () => found(await crm.ws.get('/work-order-statuses'))
const labels = async () => (await statuses()).map(({ label }) => label)
const named = async (label: string) => (await statuses()).find((status) => status.label === label) as Row

test('a workspace begins with four statuses; others are added at the end, and reordered', async () => {
  expect(await labels()).toEqual(['To do', 'Scheduled', 'In progress', 'Done'])
  expect((await statuses()).map(({ is_done }) => is_done)).toEqual([false, false, false, true])
  const made = created(await crm.ws.post('/work-order-statuses', { label: 'Awaiting parts', colour: 'royalblue' }))
  expect(made).toMatchObject({ label: 'Awaiting parts', colour: '#4169e1', is_done: false, sort_order: 4 })
  expect(await crm.ws.post('/work-order-statuses', { label: 'AWAITING  parts' })).toMatchObject(failed(409, 'CONFLICT'))
  const all = ids(await statuses())
  const turned = found(await crm.ws.post('/work-order-statuses/reorder', { status_ids: all.toReversed() }))
  expect(ids(turned)).toEqual(all.toReversed())
  expect(await labels()).toEqual(['Awaiting parts', 'Done', 'In progress', 'Scheduled', 'To do'])
  expect(await crm.ws.post('/work-order-statuses/reorder', { status_ids: all.slice(1) })).toMatchObject(refused('status_ids'))
})

test('a new label is shown by the work orders that have the status, and works as their status', async () => {
  const { item } = await soldProduct(crm)
  const { id } = await order(item, { status: 'Scheduled' })
  const status = await named('Scheduled')
  found(await crm.ws.patch(`/work-order-statuses/${status.id}`, { label: 'Planned' }))
  expect(found(await crm.ws.get(`/work-orders/${id}`)).status).toBe('Planned')
  expect(await crm.ws.patch(`/work-orders/${id}`, { status: 'Scheduled' })).toMatchObject(refused('status'))
  expect(await crm.ws.patch(`/work-order-statuses/${status.id}`, { is_done: true })).toMatchObject(failed(409, 'CONFLICT'))
  found(await crm.ws.patch(`/work-order-statuses/${(await named('To do')).id}`, { is_done: true }))
})

test('a status that is used is deleted with a replacement only, and the last one never', async () => {
  const { item } = await soldProduct(crm)
  const { id } = await order(item, { status: 'Scheduled' })
  const [scheduled, done] = [await named('Scheduled'), await named('Done')]
  const path = `/work-order-statuses/${scheduled.id}`
  expect(await crm.ws.delete(path)).toMatchObject(failed(409, 'CONFLICT'))
  for (const wrong of [nobody, scheduled.id])
    expect(await crm.ws.delete(`${path}?replacement_id=${wrong}`)).toMatchObject(refused('replacement_id'))
  expect(found(await crm.ws.delete(`${path}?replacement_id=${done.id}`))).toEqual({ id: scheduled.id, deleted: true, more: false })
  expect(found(await crm.ws.get(`/work-orders/${id}`))).toMatchObject({ status: 'Done', completed_at: expect.any(String) })
  for (const label of ['To do', 'In progress']) found(await crm.ws.delete(`/work-order-statuses/${(await named(label)).id}`))
  expect(await crm.ws.delete(`/work-order-statuses/${done.id}`)).toMatchObject(failed(409, 'CONFLICT'))
})

test('of more than 1,000 work orders a call gives 1,000 the replacement, and says that there are more', async () => {
  const { item } = await soldProduct(crm)
  const [scheduled, done] = [await named('Scheduled'), await named('Done')]
  await order(item)
  await crm.app.owner.query(
    `begin; set local session_replication_role = replica; insert into work_orders (workspace_id, deal_product_id, deal_id, title, status_id)
      select workspace_id, deal_product_id, deal_id, 'Work', '${scheduled.id}' from work_orders, generate_series(1, 1001)
      where workspace_id = '${crm.ws.id}'; commit`,
  )
  const remove = async () => found(await crm.ws.delete(`/work-order-statuses/${scheduled.id}?replacement_id=${done.id}`))
  expect(await remove()).toMatchObject({ deleted: false, more: true })
  expect(await remove()).toMatchObject({ deleted: true, more: false })
})

test('stakeholders of a work order belong to a type that allows it; adding one twice is once', async () => {
  const { item } = await soldProduct(crm)
  const { id } = await order(item)
  const contact_id = (await crm.contact()).id
  const add = () => crm.ws.post(`/work-orders/${id}/stakeholders`, { contact_id })
  expect(await add()).toMatchObject(refused('contact_id'))
  const type = created(await crm.ws.post('/stakeholder-types', { name: 'Installer', assignable_to_work_orders: true }))
  found(await crm.ws.post(`/stakeholder-types/${type.id}/members`, { contact_id }))
  expect((await Promise.all([add(), add()])).map(({ status }) => status).sort()).toEqual([200, 201])
  expect(found(await crm.ws.get(`/work-orders/${id}/stakeholders`))).toMatchObject([{ work_order_id: id, contact_id, first_name: 'Ana' }])
  expect(found(await crm.ws.delete(`/work-orders/${id}/stakeholders/${contact_id}`))).toEqual({
    work_order_id: id,
    contact_id,
    deleted: true,
  })
})
