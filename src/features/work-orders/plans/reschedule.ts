import { sql } from 'drizzle-orm'
import { workOrders } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import { invalid } from '../../../errors.ts'
import { validateEach, valuesOf, withValues } from '../../../schemas/bulk.ts'
import { ownerOf } from '../../members/plans/members.ts'
import { bulkTable, bulkWriteWithWarnings } from '../../records/plans/bulk.ts'
import { updatesOf } from '../../records/plans/updates.ts'
import type { Moved } from '../rules/moved.ts'
import { movedWarnings } from '../rules/moved.ts'
import { hasGap, validTime } from '../rules/schedule.ts'
import { Reschedule } from '../schemas/work-orders.ts'
import { NO_DATE } from './scheduling.ts'
import { clashes, clashWarnings, fields } from './work-order-rows.ts'

const bulk = bulkTable({
  table: workOrders,
  entity: 'work_order',
  what: 'work order',
  fields: { ...fields, _clashes: clashes.as('_clashes') },
  references: [ownerOf('work_orders')],
})

/** Gives work orders other days, times and members, each of which succeeds or fails for itself. */
export async function rescheduleWorkOrders(ctx: Ctx, records: unknown[]) {
  const zone = await ctx.zone()
  const validated = validateEach(Reschedule, records, (patch) => {
    if (patch.schedule_date !== null) return patch
    if (patch.schedule_time) throw invalid([{ path: 'schedule_time', message: NO_DATE }])
    return { ...patch, schedule_time: null }
  })
  const kept = valuesOf(validated).filter(
    ({ schedule_date, schedule_time }) => schedule_date && schedule_time === undefined && hasGap(zone, schedule_date),
  )
  const times = kept.length > 0 ? await ctx.readConfirmed(storedTimes(kept.map(({ id }) => id))) : new Map<string, string>()
  const moved = new Map<string, Moved>()
  const patches = valuesOf(validated).map((patch) => {
    const { id, schedule_date: date, schedule_time = times.get(id) } = patch
    if (!date || !schedule_time) return patch
    const [sent, stored] = [{ date, time: schedule_time }, validTime(zone, { date, time: schedule_time })]
    if (stored.time === sent.time) return patch
    moved.set(id, { sent, stored, zone })
    return { ...patch, schedule_date: stored.date, schedule_time: stored.time }
  })
  return bulkWriteWithWarnings(updatesOf(bulk, withValues(validated, patches)), records, (_sent, { _clashes, ...row }) => ({
    row,
    warnings: [...movedWarnings(moved.get(String(row.id))), ...clashWarnings(_clashes)],
  }))
}

const storedTimes = (ids: string[]) =>
  mapResult(
    plainRows<{ id: string; time: string }>(
      sql`select id, schedule_time::text from work_orders where id = any(${`{${ids.join(',')}}`}::uuid[]) and schedule_time is not null`,
      ['id', 'time'],
    ),
    (found) => new Map(found.map(({ id, time }) => [id, time])),
  )
