import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { type Plan, read } from '../../../data/plan.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import { bookingKey } from '../rules/words.ts'
import { type ZoneTable, zoneTable } from '../rules/zone-table.ts'
import type { MovedTimes } from '../schemas/booking-records.ts'

/** The most bookings that one call compares. */
const MOST_COMPARED = 500
type Row = { id: string; starts_at: number; timezone: string; wall_start: string; host_id: string; contact_id: string | null }
const NAMES = ['id', 'starts_at', 'timezone', 'wall_start', 'host_id', 'contact_id']

/**
 * Upcoming bookings whose time on the wall clock is no longer the one that was chosen, because the rules of the time zone have changed
 * since. The zone data of the Worker decides.
 */
export function movedTimes(ctx: Ctx, after: string | undefined): Plan<MovedTimes> {
  const from = after !== undefined && Date.parse(after) > ctx.now.getTime() ? after : ctx.now.toISOString()
  const query = sql`select b.id, epoch_ms(b.starts_at), b.timezone, b.wall_start, b.host_id, b.contact_id from bookings b
    where b.starts_at >= ${from}::timestamptz and b.status in ('pending', 'confirmed') order by b.starts_at, b.id
    limit ${MOST_COMPARED + 1}`
  return read(mapResult(plainRows<Row>(query, NAMES), compare))
}

function compare(rows: Row[]): MovedTimes {
  const compared = rows.slice(0, MOST_COMPARED).map((row) => ({ ...row, start: Number(row.starts_at) }))
  const [first, last] = [compared[0]?.start ?? 0, compared.at(-1)?.start ?? 0]
  const tables = new Map<string, ZoneTable>()
  const bookings = compared.flatMap(({ start, wall_start, timezone, ...booking }) => {
    const table = tables.get(timezone) ?? zoneTable(timezone, first, last)
    tables.set(timezone, table)
    const wall_now = bookingKey(table, start)
    return wall_now === wall_start ? [] : [{ ...booking, starts_at: new Date(start).toISOString(), timezone, wall_start, wall_now }]
  })
  const next = rows[MOST_COMPARED]
  return { bookings, compared: compared.length, next_starts_after: next ? new Date(Number(next.starts_at)).toISOString() : null }
}
