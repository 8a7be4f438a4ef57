import { asc, eq, sql } from 'drizzle-orm'
import { bookings } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { asJson, decodeResult, mapResult, plainRows, type Query, rows } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { AppError, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { candidatesOf } from '../rules/assignment.ts'
import { countKey, PERIODS } from '../rules/facts.ts'
import { MOST_SERIES_DAYS } from '../rules/limits.ts'
import type { BookerAnswer } from '../rules/questions.ts'
import { occurrencesOf, spanOf } from '../rules/series.ts'
import { checksOf, periodsOf, slotAt } from '../rules/slots.ts'
import { windowAround } from '../rules/times.ts'
import { bookingKey } from '../rules/words.ts'
import { DAY, dayAt, instantOfWall, wallAt } from '../rules/zone-table.ts'
import type { BookingSeries, NewSeries, SkippedOccurrence } from '../schemas/booking-records.ts'
import { Booking } from '../schemas/bookings.ts'
import { claimStatement, type Decision } from './claims.ts'
import { addressesOf, answersOf, bookerOf, insertBooking, linesOf, partiesOf } from './create-booking.ts'
import { assertHost, contextFor, durationFor, factsOf, knownFacts, readFacts, type StoredFacts, tableFor, zoneFor } from './facts.ts'
import { nearestShown, startFrom, startIn } from './slots.ts'

/**
 * Books a time that recurs, in one transaction. Every occurrence is checked by all rules, also by the caps that earlier ones have used.
 * With `fail` all are booked or none; with `skip` those that are not free are left out and reported. Two round trips.
 * @throws SLOT_UNAVAILABLE with the occurrences that are not free.
 */
export async function createSeries(ctx: Ctx, input: NewSeries): Promise<Plan<BookingSeries>> {
  const addresses = addressesOf(input)
  const seriesId = newId()
  const days = spanOf(input)
  if (days > MOST_SERIES_DAYS)
    throw invalid([
      { path: 'count', message: `must be less: a series lasts at most ${MOST_SERIES_DAYS} days, and this one may last ${days}` },
    ])
  const [from, last] = windowAround(startFrom(input.starts_at), 1)
  const window: [number, number] = [from, last + days * DAY]
  const { event_type, owner } = input
  let decided: Decided | undefined
  let answers: BookerAnswer[] = []
  const query = readFacts({ event_type, owner, ...bookerOf(addresses), from: window[0], to: window[1] })
  await ctx.assume<StoredFacts | null | undefined>(query, undefined, (stored) => {
    if (stored === undefined) return sql`false`
    const known = knownFacts(stored)
    answers = answersOf(known.event_type, linesOf(input.answers))
    decided = decide(known, input, ctx.now.getTime(), window)
    return claimStatement(decided.decisions, { booking_ids: decided.ids, booker: bookerOf(addresses), owner }, window)
  })
  if (!decided) return plan([], seriesResult(seriesId, []))
  const { decisions, ids, skipped } = decided
  const parties = await partiesOf(ctx, decisions[0] as Decision, { ...input, ...addresses, source: 'api' })
  const { name, notes = null } = input
  const shared = { ...addresses, ...parties.linked, name, notes, answers, source: 'api' as const, series_id: seriesId }
  const made = decisions.flatMap((decision, index) => insertBooking(decision, { ...shared, id: ids[index] as string }, index))
  return plan([...parties.statements, ...made], seriesResult(seriesId, skipped))
}

type Decided = { decisions: Decision[]; ids: string[]; skipped: SkippedOccurrence[] }

function decide(found: StoredFacts, input: NewSeries, now: number, window: [number, number]): Decided {
  // Occurrences that are accepted are counted, so that the next ones find the caps as they will be.
  const stored = { ...found, counts: { ...found.counts } }
  const table = tableFor(zoneFor(stored, input.timezone), ...window)
  const duration_minutes = durationFor(stored, input.duration_minutes)
  const host_id = assertHost(stored, input.host_id)
  const wanted = { now, duration_minutes, host_id }
  const context = contextFor(stored, ...window)
  const decisions: Decision[] = []
  const skipped: SkippedOccurrence[] = []
  for (const wall of occurrencesOf(wallAt(table, startIn(startFrom(input.starts_at), table)), input)) {
    const start = instantOfWall(table, wall)
    const slot = start === undefined ? undefined : slotAt(context, wanted, start)
    if (start === undefined || !slot) {
      const failed = start === undefined ? [] : checksOf(context, wanted, start).flatMap(({ check, passed }) => (passed ? [] : [check]))
      const key = new Date(wall).toISOString().slice(0, 16).replace('T', ' ')
      skipped.push({ key, starts_at: start === undefined ? null : new Date(start).toISOString(), failed: [...new Set(failed)] })
      continue
    }
    const candidates = candidatesOf(factsOf(stored), slot, { host_id, kept: decisions[0]?.candidates[0]?.[0] })
    const checks = checksOf(context, wanted, start)
    decisions.push({ stored: found, slot, checks, table, duration_minutes, wall_start: bookingKey(table, start), candidates })
    const periods = periodsOf(dayAt(context.table, start))
    const days = context.hosts.filter((host) => candidates[0]?.includes(host.user_id))
    const counted = [
      ...PERIODS.map((period) => countKey(stored.event_type.id, period, periods[period])),
      ...days.map((host) => countKey(host.user_id, 'day', periodsOf(dayAt(host.table, start)).day)),
    ]
    for (const key of counted) stored.counts[key] = (stored.counts[key] ?? 0) + 1
  }
  const [first] = skipped
  if (first && (input.on_unavailable === 'fail' || decisions.length === 0)) {
    const message = decisions.length === 0 ? 'No occurrence of the series is free' : 'Not every occurrence of the series is free'
    const near = first.starts_at
      ? nearestShown(context, wanted, Date.parse(first.starts_at), table)
      : { nearest_before: null, nearest_after: null }
    throw new AppError('SLOT_UNAVAILABLE', message, { unavailable: skipped, ...near })
  }
  return { decisions, ids: decisions.map(() => newId()), skipped }
}

const all = db.select(columnsFor(bookings, Booking)).from(bookings)

/** The bookings of the series, and what was left out, which a repeated request returns as well. */
function seriesResult(id: string, skipped: SkippedOccurrence[]): Query<BookingSeries> {
  const made = rows(all.where(eq(bookings.series_id, id)).orderBy(asc(bookings.starts_at)))
  const query = plainRows<{ id: string; bookings: unknown[][]; skipped: SkippedOccurrence[] }>(
    sql`select ${id}::uuid, ${asJson(made)}, ${JSON.stringify(skipped)}::jsonb`,
    ['id', 'bookings', 'skipped'],
  )
  return mapResult(query, ([row]) => ({
    series_id: row?.id ?? id,
    bookings: decodeResult(made, row?.bookings ?? []),
    skipped: row?.skipped ?? [],
  }))
}
