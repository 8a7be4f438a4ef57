/** Descriptions of the named schemas of work orders, components and portals (see SCHEMAS). */
export const DELIVERY_SCHEMAS: Record<string, string> = {
  ComponentInstance: 'A component of a product that was sold with an opportunity.',
  IssuedWorkOrderFeed: 'A calendar of work orders with its secret path.',
  MadeInstances: 'The outcome of making component instances.',
  MadeWorkOrders: 'The outcome of making work orders.',
  Portal: 'A page for a client or a stakeholder.',
  PortalPin: 'The new PIN of a portal.',
  PortalSent: 'A portal whose address and PIN were sent.',
  ProductComponent: 'A part that a product consists of.',
  WorkOrder: 'The delivery of a line item.',
  WorkOrderClash: 'A work order whose time overlaps that of others of the same member.',
  WorkOrderFeed: 'A calendar of the work orders of a member.',
  WorkOrderRelated: 'The records that a work order refers to.',
  WorkOrderStakeholder: 'A contact with whom a work order is shared.',
  WorkOrderStatus: 'A label for the progress of work orders.',
  WorkOrderStatusDeleted: 'The outcome of deleting a status.',
}

/** Descriptions of their fields (see FIELDS). */
export const DELIVERY_FIELDS: Record<string, string> = {
  enable_work_orders: 'Whether work orders are offered.',
  portal_eligible: 'Whether such stakeholders can use the portal.',
  assignable_to_work_orders: 'Whether such stakeholders can be assigned to work orders.',
  commission_eligible: 'Whether such stakeholders can receive a commission.',
  attributes: 'Values by key.',
  component_instances_on_win: 'Whether winning an opportunity makes instances of the components of its products.',
  deal_product_id: 'The line item of an opportunity.',
  duration_minutes: 'How long the work takes, in minutes.',
  is_done: 'Whether the work is done with this status.',
  product_component_id: 'The component of a product.',
  revoked_at: 'When it was revoked.',
  schedule_date: 'The day, in the time zone of the workspace.',
  schedule_time: 'The local time, HH:MM:SS; null: all day.',
  status_id: 'The status of a work order.',
  work_order_id: 'The work order.',
}
