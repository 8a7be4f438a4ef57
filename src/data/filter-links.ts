import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { companies, contacts } from '../../schema/contacts.ts'
import { opportunities, opportunityProducts, products } from '../../schema/opportunities.ts'
import { invoices } from '../../schema/opportunity-parts.ts'
import { bookings } from '../../schema/scheduling.ts'
import { activities, tasks } from '../../schema/work.ts'
import { workOrders } from '../../schema/work-orders.ts'
import type { ObjectName, RootName } from '../domain/filters/types.ts'
import { column, type Row } from './filter-tests.ts'

/** The table of each object. */
export const TABLES: Record<RootName, PgTable> = {
  contacts,
  companies,
  opportunities,
  activities,
  tasks,
  products,
  line_items: opportunityProducts,
  invoices,
  bookings,
  work_orders: workOrders,
}

/** How records of `to` relate to one of `from`: the column of `from` that equals `key`, and further joins. */
type Link = (to: Row) => { own: string; key: SQL; join?: SQL }
const through =
  (table: string, own: string, other: string): Link =>
  (to) => {
    const link: Row = { object: to.object, alias: `${to.alias}_link` }
    return {
      own: 'id',
      key: column(link, own),
      join: sql` join ${sql.identifier(table)} ${sql.identifier(link.alias)} on ${column(link, other)} = ${column(to, 'id')}`,
    }
  }
const pointsAt =
  (name: string): Link =>
  (to) => ({ own: name, key: column(to, 'id') })
const pointedAtBy =
  (name: string): Link =>
  (to) => ({ own: 'id', key: column(to, name) })

/** Several links of a relation are the parts of it. */
const LINKS: Record<RootName, Record<string, Link | Link[]>> = {
  products: {},
  line_items: { opportunity: pointsAt('opportunity_id') },
  invoices: { company: pointsAt('customer_id'), opportunity: pointsAt('opportunity_id') },
  bookings: { contact: pointsAt('contact_id'), opportunity: pointsAt('deal_id') },
  work_orders: { opportunity: pointsAt('deal_id') },
  contacts: {
    company: pointsAt('customer_id'),
    companies: through('employers', 'contact_id', 'customer_id'),
    opportunities: through('opportunity_contacts', 'contact_id', 'opportunity_id'),
    activities: [pointedAtBy('contact_id'), through('activity_contacts', 'contact_id', 'activity_id')],
    tasks: pointedAtBy('contact_id'),
  },
  companies: {
    contacts: through('employers', 'customer_id', 'contact_id'),
    opportunities: pointedAtBy('customer_id'),
    parent: pointsAt('parent_company_id'),
    subsidiaries: pointedAtBy('parent_company_id'),
    activities: pointedAtBy('customer_id'),
    tasks: pointedAtBy('customer_id'),
  },
  opportunities: {
    company: pointsAt('customer_id'),
    contacts: through('opportunity_contacts', 'opportunity_id', 'contact_id'),
    activities: pointedAtBy('deal_id'),
    tasks: pointedAtBy('opportunity_id'),
  },
  activities: {
    contacts: [pointsAt('contact_id'), through('activity_contacts', 'activity_id', 'contact_id')],
    company: pointsAt('customer_id'),
    opportunity: pointsAt('deal_id'),
  },
  tasks: { contact: pointsAt('contact_id'), company: pointsAt('customer_id'), opportunity: pointsAt('opportunity_id') },
}

/** Ids of records with the number of what they were found by: rows of a select with the columns `id` and `n`. */
export type Found = SQL

/** The records of `object` that a relation joins with the found ones of `to`. */
export function relatedTo(object: RootName, relation: string, to: ObjectName, found: Found): Found {
  const one: Row = { object, alias: 'one' }
  const parts = linksOf(object, relation).map((link) => {
    const { own: name, key, join = sql`` } = link({ object: to, alias: 'other' })
    return sql`select ${column(one, 'id')}, f.n from (${found}) f join public.${TABLES[to]} other on other.id = f.id${join}
      join public.${TABLES[object]} one on ${column(one, name)} = ${key}`
  })
  return sql.join(parts, sql` union all `)
}

/** The links of a relation: see LINKS. */
export const linksOf = (object: RootName, relation: string): Link[] => [LINKS[object][relation] as Link | Link[]].flat()
