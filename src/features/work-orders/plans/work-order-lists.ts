import { type SQL, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { workOrders } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { listWhere, sortKeys } from '../../../data/lists.ts'
import { type PageQuery, page } from '../../../data/page.ts'
import { read } from '../../../data/plan.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import { dayIn } from '../../../domain/local-days.ts'
import { invalid } from '../../../errors.ts'
import type { Clash } from '../schemas/work-orders.ts'
import { workOrderFilters } from '../schemas/work-orders.ts'
import { selectWorkOrders } from './work-order-rows.ts'

export const WORK_ORDER_SORTS = ['created_at', 'updated_at', 'schedule_date']
/** The default sort. An index has the days in their order; in that of creation a page would pass all work orders of other days. */
const orderOf = ({ sort, scheduled_from, scheduled_to, overdue }: Record<string, unknown>) =>
  (sort as string | undefined) ??
  (scheduled_from !== undefined || scheduled_to !== undefined || overdue === true ? 'schedule_date' : '-created_at')
export const WORK_ORDER_ORDER = 'schedule_date with scheduled_from, scheduled_to or overdue=true, -created_at otherwise'

/** The sort expression of the index: work orders without a date come last. */
const scheduled = sql`(case when ${workOrders.schedule_date} is null then 'infinity'::date else ${workOrders.schedule_date} end)`
const SORTS = { ...sortKeys(workOrders, ['created_at', 'updated_at']), schedule_date: { key: scheduled, type: 'date' } }

const holds = (condition: SQL, value: unknown): SQL | undefined =>
  value === undefined ? undefined : value ? condition : sql`(${condition}) is not true`

/** A page of work orders. Which are overdue depends on the day where the workspace is. */
export async function listWorkOrders(ctx: Ctx, params: Record<string, unknown>) {
  const query: Record<string, unknown> = { ...params, sort: orderOf(params) }
  const { scheduled_from: from, scheduled_to: to, unscheduled, overdue } = query
  const date = workOrders.schedule_date
  const today = overdue === undefined ? undefined : dayIn(await ctx.zone(), ctx.now)
  return read(
    page({
      select: selectWorkOrders,
      id: workOrders.id,
      where: [
        ...listWhere(workOrders, workOrderFilters, query),
        from === undefined ? undefined : sql`${scheduled} >= ${from}::date`,
        from === undefined && to === undefined ? undefined : sql`${scheduled} < 'infinity'`,
        to === undefined ? undefined : sql`${scheduled} <= ${to}::date`,
        holds(sql`${date} is null`, unscheduled),
        today === undefined
          ? undefined
          : holds(sql`${workOrders.completed_at} is null and ${date} is not null and ${date} < ${today}::date`, overdue),
      ],
      sorts: SORTS,
      name: 'work orders',
      query: query as PageQuery,
    }),
  )
}

const MOST_DAYS = 92
const DAY = 86_400_000

/** The work orders of a member within some days that overlap others. */
export function listClashes({ assigned_to, from, to }: { assigned_to: string; from: string; to: string }) {
  const days = (Date.parse(to) - Date.parse(from)) / DAY
  if (days < 0 || days > MOST_DAYS) throw invalid([{ path: 'to', message: `must be a day from \`from\` to ${MOST_DAYS} days later` }])
  return read(
    mapResult(
      plainRows<{ found: v.InferOutput<typeof Clash>[] }>(call('work_order_clashes_between', assigned_to, from, to), ['found']),
      ([row]) => ({ clashes: row?.found ?? [] }),
    ),
  )
}
