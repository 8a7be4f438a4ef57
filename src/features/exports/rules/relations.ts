import type { RootName } from '../../../domain/filters/types.ts'

/** A related record that a record refers to by a column. */
export type One = { to: RootName; key: string }
/** Rows that link a record, named by `key`, to the related one, named by `id`; without `id` they are the related records themselves. */
export type Link = { table: string; key: string; id?: string }
/** `currency` is that of each related record `o`, where it has none of its own and the related ones of a record may differ in it. */
export type Many = { to: RootName; links: Link[]; currency?: string }

const COMPANY: One = { to: 'companies', key: 'customer_id' }
const OPPORTUNITY: One = { to: 'opportunities', key: 'opportunity_id' }

/** The relations with at most one record, by object. */
export const ONE: Record<RootName, Record<string, One>> = {
  contacts: { company: { to: 'companies', key: 'customer_id' } },
  companies: { parent: { to: 'companies', key: 'parent_company_id' } },
  opportunities: { company: COMPANY },
  products: {},
  line_items: { opportunity: OPPORTUNITY, product: { to: 'products', key: 'product_id' } },
  invoices: { company: COMPANY, opportunity: OPPORTUNITY },
  bookings: { contact: { to: 'contacts', key: 'contact_id' }, opportunity: { to: 'opportunities', key: 'deal_id' } },
  work_orders: { opportunity: { to: 'opportunities', key: 'deal_id' }, line_item: { to: 'line_items', key: 'deal_product_id' } },
  activities: {
    contact: { to: 'contacts', key: 'contact_id' },
    company: { to: 'companies', key: 'customer_id' },
    opportunity: { to: 'opportunities', key: 'deal_id' },
  },
  tasks: {
    contact: { to: 'contacts', key: 'contact_id' },
    company: { to: 'companies', key: 'customer_id' },
    opportunity: { to: 'opportunities', key: 'opportunity_id' },
  },
}

/** The relations with any number of records, by object. */
export const MANY: Record<RootName, Record<string, Many>> = {
  contacts: {
    companies: { to: 'companies', links: [{ table: 'employers', key: 'contact_id', id: 'customer_id' }] },
    opportunities: { to: 'opportunities', links: [{ table: 'opportunity_contacts', key: 'contact_id', id: 'opportunity_id' }] },
    activities: {
      to: 'activities',
      links: [
        { table: 'activities', key: 'contact_id', id: 'id' },
        { table: 'activity_contacts', key: 'contact_id', id: 'activity_id' },
      ],
    },
    tasks: { to: 'tasks', links: [{ table: 'tasks', key: 'contact_id' }] },
    bookings: { to: 'bookings', links: [{ table: 'bookings', key: 'contact_id' }] },
  },
  companies: {
    contacts: { to: 'contacts', links: [{ table: 'employers', key: 'customer_id', id: 'contact_id' }] },
    opportunities: { to: 'opportunities', links: [{ table: 'opportunities', key: 'customer_id' }] },
    subsidiaries: { to: 'companies', links: [{ table: 'companies', key: 'parent_company_id' }] },
    activities: { to: 'activities', links: [{ table: 'activities', key: 'customer_id' }] },
    tasks: { to: 'tasks', links: [{ table: 'tasks', key: 'customer_id' }] },
    invoices: { to: 'invoices', links: [{ table: 'invoices', key: 'customer_id' }] },
  },
  opportunities: {
    contacts: { to: 'contacts', links: [{ table: 'opportunity_contacts', key: 'opportunity_id', id: 'contact_id' }] },
    activities: { to: 'activities', links: [{ table: 'activities', key: 'deal_id' }] },
    tasks: { to: 'tasks', links: [{ table: 'tasks', key: 'opportunity_id' }] },
    line_items: { to: 'line_items', links: [{ table: 'opportunity_products', key: 'opportunity_id' }] },
    invoices: { to: 'invoices', links: [{ table: 'invoices', key: 'opportunity_id' }] },
    bookings: { to: 'bookings', links: [{ table: 'bookings', key: 'deal_id' }] },
    work_orders: { to: 'work_orders', links: [{ table: 'work_orders', key: 'deal_id' }] },
  },
  activities: {
    contacts: {
      to: 'contacts',
      links: [
        { table: 'activities', key: 'id', id: 'contact_id' },
        { table: 'activity_contacts', key: 'activity_id', id: 'contact_id' },
      ],
    },
  },
  tasks: {},
  products: {
    line_items: {
      to: 'line_items',
      links: [{ table: 'opportunity_products', key: 'product_id' }],
      currency: '(select d.currency from public.opportunities d where d.id = o.opportunity_id)',
    },
    opportunities: { to: 'opportunities', links: [{ table: 'opportunity_products', key: 'product_id', id: 'opportunity_id' }] },
  },
  line_items: { work_orders: { to: 'work_orders', links: [{ table: 'work_orders', key: 'deal_product_id' }] } },
  invoices: {},
  bookings: {},
  work_orders: { contacts: { to: 'contacts', links: [{ table: 'work_order_stakeholders', key: 'work_order_id', id: 'contact_id' }] } },
}

/** The tables of the objects. */
export const TABLE_OF: Record<RootName, string> = {
  contacts: 'contacts',
  companies: 'companies',
  opportunities: 'opportunities',
  activities: 'activities',
  tasks: 'tasks',
  products: 'products',
  line_items: 'opportunity_products',
  invoices: 'invoices',
  bookings: 'bookings',
  work_orders: 'work_orders',
}

/** The amounts of money of the objects: their sum is empty where they have several currencies. */
export const MONEY: Partial<Record<RootName, readonly string[]>> = {
  opportunities: ['value', 'weighted_value'],
  products: ['price', 'cost'],
  line_items: ['unit_price', 'subtotal', 'total'],
  invoices: ['total', 'amount_paid', 'amount_due'],
}

/** The resources of which a role must have the scope `read`, where their names are others than those of the objects. */
const RESOURCE_OF: Record<string, string> = { line_items: 'opportunities', work_orders: 'work-orders', bookings: 'company' }
export const resourceOf = (object: string): string => RESOURCE_OF[object] ?? object

/** Fields whose values follow from other records. */
export const DECIDED_BY: Record<string, string> = { lists: 'lists', last_activity_at: 'activities', next_task_due_at: 'tasks' }

/** What a column shows of several related records. `first` and `last` are those of the record that was created first or last. */
export const AGGREGATES = ['count', 'sum', 'first', 'last', 'list'] as const
export type Aggregate = (typeof AGGREGATES)[number]

/** Columns that show a name in the place of an id: a path to it. */
export const NAMED_PATHS: Record<RootName, Record<string, string>> = {
  contacts: { company: 'company.name' },
  companies: { parent_company: 'parent.name' },
  opportunities: { company: 'company.name', contact: 'contacts.name.list' },
  activities: { contact: 'contacts.name.list', company: 'company.name', opportunity: 'opportunity.name' },
  tasks: { contact: 'contact.name', company: 'company.name', opportunity: 'opportunity.name' },
  products: {},
  line_items: { opportunity: 'opportunity.name', product: 'product.name' },
  invoices: { company: 'company.name', opportunity: 'opportunity.name' },
  bookings: { contact: 'contact.name', opportunity: 'opportunity.name' },
  work_orders: { opportunity: 'opportunity.name', line_item: 'line_item.name' },
}

/** Such columns whose name is of another table: the column with the id, and the table and the column of the name. */
export type Lookup = { key: string; table: string; column: string }
const OWNER: Lookup = { key: 'assigned_to', table: 'users', column: 'email' }
export const LOOKUPS: Record<RootName, Record<string, Lookup>> = {
  contacts: { owner: OWNER, lead_source: { key: 'source_id', table: 'lead_sources', column: 'name' } },
  companies: { owner: OWNER },
  opportunities: {
    owner: OWNER,
    pipeline: { key: 'pipeline_id', table: 'pipelines', column: 'name' },
    stage: { key: 'stage_id', table: 'stages', column: 'name' },
  },
  activities: {},
  tasks: { owner: OWNER },
  products: {},
  line_items: { bucket: { key: 'bucket_id', table: 'opportunity_buckets', column: 'name' } },
  invoices: {},
  bookings: {
    event_type: { key: 'event_type_id', table: 'scheduled_event_types', column: 'name' },
    host: { key: 'host_id', table: 'users', column: 'email' },
  },
  work_orders: { owner: OWNER, status: { key: 'status_id', table: 'work_order_statuses', column: 'label' } },
}

/** The line items of an opportunity, each as its quantity and its name. */
export const LINE_ITEMS = 'line_items'
