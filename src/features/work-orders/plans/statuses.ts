import { asc, eq, sql } from 'drizzle-orm'
import { workOrderStatuses } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { assertNone } from '../../../data/blockers.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { Page } from '../../../data/paged.ts'
import { plan } from '../../../data/plan.ts'
import { assert, assertEveryId, assertField, compiledSelect, mapResult, oneOrThrow, rows } from '../../../data/query.ts'
import { columnsFor, insertRow, lockForUpdate } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { type NewStatus, WorkOrderStatus } from '../schemas/work-orders.ts'

/** The most statuses of a workspace, and the most work orders that one call gives another status. */
const MOST_STATUSES = 50
const MOST_REPLACED = 1_000
const USED = 'Work orders have this status: send replacement_id, the status that they get'

const fields = columnsFor(workOrderStatuses, WorkOrderStatus)
const all = compiledSelect(db.select(fields).from(workOrderStatuses))
const record = (id: string) => oneOrThrow(all.where(eq(workOrderStatuses.id, id)), 'work order status', id)
/** Changes of the set of statuses follow each other. */
const lock = sql`select pg_advisory_xact_lock(hashtext('work_order_statuses'), hashtext(current_workspace()::text))`

export function createStatus(_ctx: Ctx, { sort_order, ...input }: NewStatus) {
  const id = newId()
  const last = sql`(select coalesce(max(s.sort_order) + 1, 0) from work_order_statuses s)`
  return plan(
    [
      lock,
      assertField(
        sql`(select count(*) < ${MOST_STATUSES}::int from work_order_statuses)`,
        'label',
        `is one too many: a workspace has at most ${MOST_STATUSES} statuses`,
      ),
      insertRow(workOrderStatuses, { ...input, id, sort_order: sort_order ?? last }),
    ],
    record(id),
  )
}

/** Puts the statuses in the order of the ids, which name each of them once. */
export function reorderStatuses(ids: string[]) {
  const sent = `{${ids.join(',')}}`
  const ordered = rows(db.select(fields).from(workOrderStatuses).orderBy(asc(workOrderStatuses.sort_order), asc(workOrderStatuses.id)))
  return plan(
    [
      lock,
      assertEveryId('status_ids', ids, sql`(select array_agg(id) from work_order_statuses)`, 'Send every status exactly once'),
      sql`update work_order_statuses s set sort_order = sent.at - 1 from unnest(${sent}::uuid[]) with ordinality as sent(id, at)
        where s.id = sent.id and s.sort_order <> sent.at - 1`,
    ],
    mapResult(ordered, (found) => new Page(found, MOST_STATUSES, null)),
  )
}

/** Deletes a status. Its work orders get the replacement first, a bounded number with each call. */
export function deleteStatus(ctx: Ctx, id: string, replacement: string | undefined) {
  const used = sql`exists (select from work_orders where status_id = ${id})`
  const left = sql<boolean>`exists (select from work_order_statuses where id = ${id})`
  const result = db
    .select({ id: sql<string>`${id}::uuid`.as('id'), deleted: sql<boolean>`not ${left}`.as('deleted'), more: left.as('more') })
    .from(sql`(select) one`)
  return plan(
    [
      lock,
      lockForUpdate(ctx, workOrderStatuses, id, 'work order status'),
      assert(sql`(select count(*) > 1 from work_order_statuses)`, 'CONFLICT', 'This is the last status: work orders need one'),
      replacement === undefined
        ? assertNone(sql`select w.id from work_orders w where w.status_id = ${id}`, 'work_orders', USED)
        : assertReplacement(id, replacement),
      replacement !== undefined && call('replace_work_order_status', id, replacement, MOST_REPLACED),
      sql`delete from work_order_statuses where id = ${id} and not ${used}`,
    ],
    oneOrThrow(result, 'work order status'),
  )
}

const assertReplacement = (id: string, replacement: string) =>
  assertField(
    sql`${id}::uuid <> ${replacement}::uuid and exists (select from work_order_statuses where id = ${replacement})`,
    'replacement_id',
    'must be another status of this workspace',
  )
