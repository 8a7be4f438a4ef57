import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import { dayIn } from '../../../domain/local-days.ts'
import { invalid } from '../../../errors.ts'
import type { Moved } from '../rules/moved.ts'
import { hasGap, isSkippedSometime, validTime } from '../rules/schedule.ts'

export const NO_DATE = 'needs a schedule_date: send it too'

type Sent = { schedule_date?: string | null | undefined; schedule_time?: string | null | undefined }
export type Placed<Patch> = { patch: Patch; moved?: Moved }

/** Puts a new work order at a time that the clocks of the workspace show. @throws VALIDATION_ERROR for a time without a day. */
export async function placed<New extends Sent>(ctx: Ctx, input: New): Promise<Placed<New>> {
  const { schedule_date: date, schedule_time: time } = input
  if (!time) return { patch: input }
  if (!date) throw invalid([{ path: 'schedule_time', message: NO_DATE }])
  return shown(await ctx.zone(), input, date, time)
}

/**
 * The same for an update. What is stored is read only if the clocks skip times: the day, for a time that they skip on some day, or the
 * time, for a day with a gap. Without a day there is no time either.
 */
export async function replaced<Patch extends Sent>(ctx: Ctx, id: string, patch: Patch): Promise<Placed<Patch>> {
  const { schedule_date: date, schedule_time: time } = patch
  if (date === null) {
    if (time) throw invalid([{ path: 'schedule_time', message: NO_DATE }])
    return { patch: { ...patch, schedule_time: null } }
  }
  if (date === undefined && !time) return { patch }
  if (date !== undefined && time === null) return { patch }
  const zone = await ctx.zone()
  if (date && time) return shown(zone, patch, date, time)
  const matters = date ? hasGap(zone, date) : isSkippedSometime(zone, time as string, dayIn(zone, ctx.now))
  if (!matters) return { patch }
  const stored = await ctx.readConfirmed(storedTimes(id))
  const [day, local] = [date ?? stored?.schedule_date, time ?? stored?.schedule_time]
  return day && local ? shown(zone, patch, day, local) : { patch }
}

function shown<Patch extends Sent>(zone: string, patch: Patch, date: string, time: string): Placed<Patch> {
  const stored = validTime(zone, { date, time })
  if (stored.date === date && stored.time === time) return { patch }
  return { patch: { ...patch, schedule_date: stored.date, schedule_time: stored.time }, moved: { sent: { date, time }, stored, zone } }
}

const storedTimes = (id: string) =>
  mapResult(
    plainRows<{ schedule_date: string | null; schedule_time: string | null }>(
      sql`select schedule_date::text, schedule_time::text from work_orders where id = ${id}`,
      ['schedule_date', 'schedule_time'],
    ),
    ([row]) => row,
  )
