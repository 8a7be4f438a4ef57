import type { TestWorkspace } from '../workspace.ts'
import type { Ids } from './samples.ts'

/** The unique keys of these tables, which no request can violate. */
export const DELIVERY_KEYS: Record<string, string> = {
  component_instances_source_key: 'an instance that a line item has is left out',
  portals_stakeholder_key: 'the contact is locked, and the portal that there is gets another token',
  portals_token: 'a hash of random bytes',
  portals_work_status_key: 'the contact is locked, and the portal that there is gets another token',
  work_order_feeds_member_key: 'the feed of a member is replaced, by one call at a time',
  work_order_feeds_token: 'a hash of random bytes',
  work_order_stakeholders_pair_key: 'adding the pair again changes nothing, or updates it',
  work_orders_source_key: 'a work order that a component has is left out',
}

/** A line item of a product with a component, a contact with whom work is shared, and the order of the statuses. */
export async function addDelivery(ws: TestWorkspace, ids: Ids): Promise<void> {
  if (!ids.status_id) return
  ids.all_status_ids = ((await ws.get('/work-order-statuses')).body.data as { id: string }[]).map(({ id }) => id).join()
  const product_id = (await ws.post('/products', { name: 'Sold in parts' })).body.data.id
  await ws.post('/product-components', { product_id, label: 'Part' })
  const beside = { product_id: ids.product_id, label: 'Frame' }
  ids.other_product_component_id = (await ws.post('/product-components', beside)).body.data.id
  const opportunity = (await ws.post('/opportunities', { name: 'Delivery' })).body.data.id
  ids.sold_line_item_id = (await ws.post(`/opportunities/${opportunity}/products`, { product_id, unit_price: 1 })).body.data.id
  ids.closing_portal_id = await portalOfAnother(ws)
}

/** A portal that calls may revoke. */
async function portalOfAnother(ws: TestWorkspace): Promise<string> {
  const type = (await ws.post('/stakeholder-types', { name: `Builders ${crypto.randomUUID().slice(0, 8)}`, portal_eligible: true })).body
    .data.id
  const contact_id = (await ws.post('/contacts', { first_name: 'Pat', email: 'pat@example.com' })).body.data.id
  await ws.post(`/stakeholder-types/${type}/members`, { contact_id })
  return (await ws.post('/portals', { contact_id })).body.data.portal_id
}
