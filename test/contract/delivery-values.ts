import type { Ids } from './samples.ts'

/** A work order with a label; the status of the samples has no work orders, so that it can be deleted. */
const labelled = () => ({ body: { status: 'Scheduled', status_id: undefined } })

/** Values of work orders, components and portals that replace those of a documented example that is not accepted (see OVER). */
export const DELIVERY_OVER: Record<string, (ids: Ids) => { query?: Record<string, string | undefined>; body?: Record<string, unknown> }> = {
  'POST /work-orders': labelled,
  'PATCH /work-orders/:work_order_id': labelled,
  'POST /product-components': () => ({ body: { parent_component_id: undefined } }),
  'PATCH /product-components/:product_component_id': () => ({ body: { parent_component_id: undefined } }),
  'POST /product-components/bulk': ({ product_id }) => ({ body: { components: [{ product_id, label: 'Panel' }] } }),
  'POST /component-instances/bulk': ({ product_id, opportunity_id }) => ({ body: { instances: [{ product_id, opportunity_id }] } }),
  'POST /work-order-statuses': () => ({ body: { label: `Label ${crypto.randomUUID().slice(0, 8)}` } }),
  'PATCH /work-order-statuses/:status_id': () => ({ body: { label: `Label ${crypto.randomUUID().slice(0, 8)}`, sort_order: undefined } }),
  'POST /work-order-statuses/reorder': ({ all_status_ids = '' }) => ({ body: { status_ids: all_status_ids.split(',') } }),
  'POST /work-orders/from-components': ({ sold_line_item_id }) => ({ body: { deal_product_id: sold_line_item_id } }),
  'POST /portals': ({ member_contact_id, contact_id }) => ({ body: { contact_id: member_contact_id ?? contact_id } }),
}
