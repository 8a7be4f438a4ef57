import { sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { bookings, invoices, opportunityProducts, products, workOrders } from '../../../../schema/index.ts'
import type { Compiled } from '../../../data/filters.ts'
import { sortKeys } from '../../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { columnsFor, type OwnedTable, selectFrom } from '../../../data/store.ts'
import type { RootName } from '../../../domain/filters/types.ts'
import { EXPORT_SORTS, type OnlyExported } from '../../../schemas/search.ts'
import { Invoice } from '../../billing/schemas/billing.ts'
import { LineItem } from '../../opportunities/schemas/opportunities.ts'
import { Booking } from '../../scheduling/schemas/bookings.ts'
import { WorkOrder } from '../../work-orders/schemas/work-orders.ts'
import { FIELDS_OF } from './exportable.ts'

const without = ({ entries }: { entries: Record<string, unknown> }, ...names: string[]) => ({
  entries: Object.fromEntries(Object.entries(entries).filter(([name]) => !names.includes(name))),
})
/** The fields of the objects whose records a file can have as rows. */
export const ROOT_FIELDS: Record<RootName, Record<string, unknown>> = {
  ...FIELDS_OF,
  line_items: columnsFor(opportunityProducts, LineItem),
  invoices: columnsFor(invoices, without(Invoice, 'is_overdue')),
  bookings: columnsFor(bookings, without(Booking, 'management_token_expires_at')),
  work_orders: columnsFor(workOrders, without(WorkOrder, 'status'), {
    schedule_time: sql`work_orders.schedule_time::text`.as('schedule_time'),
  }),
}

type Target = { table: OwnedTable; archived?: PgColumn }
const TARGETS: Record<OnlyExported, Target> = {
  products: { table: products, archived: products.archived },
  line_items: { table: opportunityProducts },
  invoices: { table: invoices },
  bookings: { table: bookings },
  work_orders: { table: workOrders },
}

type Chosen = { sort: string; archived: string; compiled: Compiled | undefined; filter: object | undefined }

/** The pages of what has no search of its own, with these columns, along the index of the sort. */
export function exportedPages(root: OnlyExported, fields: Record<string, unknown>, { sort, archived, compiled, filter }: Chosen) {
  const { table, archived: column } = TARGETS[root]
  const select = (keys: Keys) => selectFrom<unknown>(table, { ...fields, ...keys })
  return (limit: number, after?: string) =>
    page({
      select,
      id: table.id,
      where: [],
      filter: compiled && { where: compiled.where, related: compiled.related },
      sorts: sortKeys(table, [...EXPORT_SORTS[root]]),
      archived: column,
      whole: true,
      name: `export ${root}`,
      query: { sort, filter, limit, after, ...(column && { archived }) } as PageQuery,
    })
}
