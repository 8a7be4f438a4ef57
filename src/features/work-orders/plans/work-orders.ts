import { eq, sql } from 'drizzle-orm'
import { workOrders } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { hand, handed } from '../../../data/handed.ts'
import { plan } from '../../../data/plan.ts'
import { assertField, mapResult, rows, typed } from '../../../data/query.ts'
import { assertSent, insertRow, lockForUpdate, updateRows } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import type { FromLineItem, NewWorkOrder, WorkOrder, WorkOrderPatch } from '../schemas/work-orders.ts'
import { NO_DATE, placed, replaced } from './scheduling.ts'
import { fields, REFERENCES, written } from './work-order-rows.ts'

/** The status that a request means. It raises for one that there is not. */
const statusOf = ({ status, status_id }: { status?: string | undefined; status_id?: string | undefined }) =>
  sql`work_order_status(${status ?? null}::text, ${status_id ?? null}::uuid)`

export async function createWorkOrder(ctx: Ctx, input: NewWorkOrder) {
  const { patch, moved } = await placed(ctx, input)
  const { status, status_id, ...row } = patch
  const id = newId()
  return plan(
    [assertSent(workOrders, { ...row, id }, REFERENCES), insertRow(workOrders, { ...row, id, status_id: statusOf({ status, status_id }) })],
    written(id, moved),
  )
}

export async function updateWorkOrder(ctx: Ctx, id: string, sent: WorkOrderPatch) {
  const { patch, moved } = await replaced(ctx, id, sent)
  const { status, status_id, ...row } = patch
  const needsDate = Boolean(patch.schedule_time) && patch.schedule_date === undefined
  const isMoved = status !== undefined || status_id !== undefined
  return plan(
    [
      lockForUpdate(ctx, workOrders, id, 'work order'),
      assertSent(workOrders, { ...row, id }, REFERENCES),
      needsDate && assertField(sql`(select schedule_date is not null from work_orders where id = ${id})`, 'schedule_time', NO_DATE),
      updateRows(workOrders, { ...row, ...(isMoved && { status_id: statusOf({ status, status_id }) }) }, eq(workOrders.id, id), { id }),
    ],
    written(id, moved),
  )
}

type Made = { [Name in keyof WorkOrder]: WorkOrder[Name] } & { _existing: number }

/** Makes a work order for each component of the product of a line item that has none. Calls at the same time make each of them once. */
export function makeWorkOrders({ deal_product_id, schedule_date = null, assigned_to = null }: FromLineItem) {
  const row = { deal_product_id, assigned_to, id: newId() }
  const outcome = handed('made_work_orders')
  const made = sql`${workOrders.id} = any(array(select e::uuid from jsonb_array_elements_text(${outcome} -> 'made') e))`
  const select = db
    .select({ ...fields, _existing: sql<number>`(${outcome} ->> 'existing')::int`.as('_existing') })
    .from(sql`(select) one`)
    .leftJoin(workOrders, made)
    .orderBy(workOrders.id)
  const result = mapResult(rows(typed<Made>(select)), (found) => ({
    made: found.flatMap(({ _existing, ...record }) => (record.id ? [record] : [])),
    existing: found[0]?._existing ?? 0,
  }))
  return plan(
    [
      assertSent(workOrders, row, REFERENCES),
      hand('made_work_orders', sql`to_jsonb(make_work_orders(${deal_product_id}::uuid, ${schedule_date}::date, ${assigned_to}::uuid))`),
    ],
    result,
  )
}
