import { sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, primaryKey, text, time, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { bytes, byWords, day, identity, instant, normalised, reference, timestamps } from './columns.ts'
import { productComponents } from './components.ts'
import { contacts } from './contacts.ts'
import { opportunities, opportunityProducts } from './opportunities.ts'
import { memberships } from './workspaces.ts'

/** The workspace's labels for the progress of work orders. One with is_done ends the work. */
export const workOrderStatuses = pgTable(
  'work_order_statuses',
  {
    ...identity,
    label: text().notNull(),
    label_norm: normalised().notNull().generatedAlwaysAs(sql`norm(label)`),
    colour: text(),
    is_done: boolean().notNull().default(false),
    sort_order: integer().notNull().default(0),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('work_order_statuses_by_order').on(t.workspace_id, t.sort_order, t.id),
    index('work_order_statuses_by_updated').on(t.workspace_id, t.updated_at, t.id),
    uniqueIndex('work_order_statuses_label_key').on(t.workspace_id, t.label_norm),
  ],
)

/** Work orders without a date sort last. */
const scheduled = sql`(case when schedule_date is null then 'infinity'::date else schedule_date end)`

/** The delivery of a line item. Triggers derive deal_id from the line item, and completed_at from the status. */
export const workOrders = pgTable(
  'work_orders',
  {
    ...identity,
    deal_product_id: uuid().notNull(),
    deal_id: uuid().notNull(),
    /** The component of the product that it is about. */
    component_id: uuid(),
    title: text().notNull(),
    search_text: normalised().notNull().generatedAlwaysAs(sql`search_form(title)`),
    description: text(),
    status_id: uuid().notNull(),
    /** Local to the workspace. Without a time the work takes all day. */
    schedule_date: day(),
    schedule_time: time({ precision: 0 }),
    duration_minutes: integer(),
    assigned_to: uuid(),
    address: text(),
    notes: text(),
    completed_at: instant(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('work_orders_by_created').on(t.workspace_id, t.created_at, t.id),
    index('work_orders_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('work_orders_by_schedule').on(t.workspace_id, scheduled, t.id),
    index('work_orders_by_date').on(t.workspace_id, t.schedule_date, t.created_at, t.id),
    index('work_orders_open_by_date')
      .on(t.workspace_id, t.schedule_date, t.id)
      .where(sql`completed_at is null and schedule_date is not null`),
    index('work_orders_unscheduled').on(t.workspace_id, t.created_at, t.id).where(sql`schedule_date is null`),
    index('work_orders_by_line_item').on(t.workspace_id, t.deal_product_id, t.created_at, t.id),
    index('work_orders_by_deal').on(t.workspace_id, t.deal_id, t.created_at, t.id),
    index('work_orders_by_status').on(t.workspace_id, t.status_id, t.created_at, t.id),
    index('work_orders_by_assignee').on(t.workspace_id, t.assigned_to, t.created_at, t.id),
    index('work_orders_by_assignee_and_date')
      .on(t.workspace_id, t.assigned_to, t.schedule_date, t.id)
      .where(sql`schedule_date is not null`),
    uniqueIndex('work_orders_source_key').on(t.workspace_id, t.deal_product_id, t.component_id).where(sql`component_id is not null`),
    index('work_orders_by_component').on(t.workspace_id, t.component_id).where(sql`component_id is not null`),
    byWords('work_orders'),
    reference(t.deal_product_id, opportunityProducts, 'cascade'),
    reference(t.deal_id, opportunities, 'cascade'),
    reference(t.component_id, productComponents, 'set null'),
    reference(t.status_id, workOrderStatuses),
    reference(t.assigned_to, memberships),
  ],
)

/** The contacts with whom a work order is shared. */
export const workOrderStakeholders = pgTable(
  'work_order_stakeholders',
  { ...identity, work_order_id: uuid().notNull(), contact_id: uuid().notNull(), ...timestamps },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('work_order_stakeholders_by_work_order').on(t.workspace_id, t.work_order_id, t.id),
    uniqueIndex('work_order_stakeholders_pair_key').on(t.workspace_id, t.contact_id, t.work_order_id),
    reference(t.work_order_id, workOrders, 'cascade'),
    reference(t.contact_id, contacts, 'cascade'),
  ],
)

/** The secret address at which a calendar reads the work orders of a member. */
export const workOrderFeeds = pgTable(
  'work_order_feeds',
  {
    ...identity,
    user_id: uuid().notNull(),
    token_hash: bytes().notNull(),
    created_at: instant().notNull().default(sql`now()`),
    last_read_at: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('work_order_feeds_member_key').on(t.workspace_id, t.user_id),
    uniqueIndex('work_order_feeds_token').on(t.token_hash),
    reference(t.user_id, memberships, 'cascade'),
  ],
)
