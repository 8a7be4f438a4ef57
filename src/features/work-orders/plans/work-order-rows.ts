import { eq, sql } from 'drizzle-orm'
import { opportunityProducts, workOrderStatuses, workOrders } from '../../../../schema/index.ts'
import { type Reference, refersTo } from '../../../data/bulk.ts'
import { db } from '../../../data/db.ts'
import type { Keys } from '../../../data/page.ts'
import { compiledSelect, mapResult, oneOrThrow, type Warning, WithWarnings } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { ownerOf } from '../../members/plans/members.ts'
import type { Moved } from '../rules/moved.ts'
import { movedWarnings } from '../rules/moved.ts'
import { WorkOrder } from '../schemas/work-orders.ts'

const status = sql<string>`(select s.label from ${workOrderStatuses} s
  where s.workspace_id = work_orders.workspace_id and s.id = work_orders.status_id)`
export const fields = columnsFor(workOrders, WorkOrder, { status: status.as('status') })
/** The select of a page. */
export const selectWorkOrders = (keys: Keys) => db.select({ ...fields, ...keys }).from(workOrders)
const all = compiledSelect(db.select(fields).from(workOrders))
export const record = (id: string) => oneOrThrow(all.where(eq(workOrders.id, id)), 'work order', id)

export type Clashing = { id: string; title: string; schedule_date: string; schedule_time: string; duration_minutes: number | null }
export const clashes = sql<Clashing[]>`work_order_clashes(${workOrders}.*)`
const withClashes = compiledSelect(db.select({ ...fields, _clashes: clashes.as('_clashes') }).from(workOrders))

/** The record after a write, with warnings about a time that was moved and about clashes. */
export const written = (id: string, moved: Moved | undefined) =>
  mapResult(
    oneOrThrow(withClashes.where(eq(workOrders.id, id)), 'work order'),
    ({ _clashes, ...row }) => new WithWarnings(row, [...movedWarnings(moved), ...clashWarnings(_clashes)]),
  )

export const clashWarnings = (found: Clashing[], at = ''): Warning[] =>
  found.length === 0
    ? []
    : [
        {
          code: 'SCHEDULE_CLASH',
          field: `${at}schedule_time`,
          message: `The member has other work at this time: ${found.map(({ title }) => title).join(', ')}`,
          details: { clashes: found },
        },
      ]

export const REFERENCES: Reference[] = [refersTo('deal_product_id', opportunityProducts), ownerOf('work_orders')]
