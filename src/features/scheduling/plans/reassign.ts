import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import type { Statement } from '../../../data/db.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { AppError, invalid } from '../../../errors.ts'
import { hostChecksOf } from '../rules/slots.ts'
import { bookingKey } from '../rules/words.ts'
import { MINUTE } from '../rules/zone-table.ts'
import type { Booking } from '../schemas/bookings.ts'
import { assertOpen, bookingRecord } from './bookings.ts'
import { factsToMove } from './change-booking.ts'
import { claimedAt, claimStatement, type Decision } from './claims.ts'
import { recordProof } from './create-booking.ts'
import { assertHost, contextFor, type Moved, readFacts, type StoredFacts, tableFor } from './facts.ts'

const refuse = (message: string) => invalid([{ path: 'host_id', message }])

/**
 * Gives a booking to another host, at the same time: their time is claimed and that of the former host given back in one transaction.
 * Notice, steps and caps of the event type do not matter, because the time was booked already. @throws SLOT_UNAVAILABLE if the host is not
 * free.
 */
export async function reassignBooking(ctx: Ctx, id: string, host_id: string): Promise<Plan<Booking>> {
  let decision: Decision | undefined
  await ctx.assume<StoredFacts | null | undefined>(readFacts({ booking_id: id }), undefined, (stored) => {
    if (stored === undefined) return sql`false`
    const facts = factsToMove(stored)
    decision = decide(facts, host_id)
    return claimStatement([decision], { booking_ids: [id], moved: { id } }, timesOf(facts.moved as Moved))
  })
  if (!decision) return plan([], bookingRecord(id))
  return plan([...assertOpen(ctx, id, 'reassign'), ...takeOver(id, decision)], bookingRecord(id))
}

const timesOf = ({ starts_at, ends_at }: Moved): [number, number] => [Date.parse(starts_at), Date.parse(ends_at)]

function decide(stored: StoredFacts, hostId: string): Decision {
  const moved = stored.moved as Moved
  const [start, end] = timesOf(moved)
  if (moved.claimed?.session_id) throw refuse('cannot take over one of several seats: all seats of a time have the same hosts')
  const host = assertHost(stored, hostId) as string
  const others = moved.host_ids.filter((other) => other !== moved.host_id)
  if (others.includes(host)) throw refuse('attends this booking already')
  const context = contextFor(stored, start, end)
  const duration_minutes = (end - start) / MINUTE
  const checks = hostChecksOf(context, duration_minutes, start).filter(({ host_id }) => host_id === host)
  const failed = checks.filter(({ passed }) => !passed).map(({ check }) => check)
  if (failed.length > 0) {
    const message = 'The host is not free at this time'
    throw new AppError('SLOT_UNAVAILABLE', message, { host_id: host, failed, nearest_before: null, nearest_after: null })
  }
  const table = tableFor(moved.timezone, start, end)
  const slot = { start, end, hosts: [], seats_left: 1 }
  return { stored, slot, checks, table, duration_minutes, wall_start: bookingKey(table, start), candidates: [[host, ...others]] }
}

/** The booking with its new host. An opportunity of the former host follows. */
function takeOver(id: string, { stored, checks }: Decision): Statement[] {
  const { host_id, host_ids, claimed } = claimedAt()
  const { deal_id, host_id: former } = stored.moved as Moved
  return [
    sql`update bookings set host_id = ${host_id}, host_ids = ${host_ids}, claimed = ${claimed} where id = ${id}`,
    sql`update opportunities set assigned_to = ${host_id} where id = ${deal_id}::uuid and assigned_to = ${former}::uuid`,
    recordProof(id, checks),
    sql`select emit_booking(b, 'reassigned') from bookings b where b.id = ${id} and b.host_id <> ${former}::uuid`,
  ]
}
