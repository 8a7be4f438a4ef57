import { eq, sql } from 'drizzle-orm'
import { bookings } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { lockForUpdate } from '../../../data/store.ts'
import { AppError } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { BOOKING_TRANSITIONS, type BookingStatus } from '../rules/states.ts'
import type { Booking, RescheduleBooking } from '../schemas/bookings.ts'
import { assertOpen, bookingRecord, cancellation } from './bookings.ts'
import { claim, type Decision } from './claims.ts'
import { insertBooking } from './create-booking.ts'
import type { Moved, StoredFacts } from './facts.ts'

/** The facts about a booking that is moved. @throws NOT_FOUND, or INVALID_STATE for a booking that cannot be moved. */
export function factsToMove(stored: StoredFacts | null): StoredFacts {
  if (!stored?.moved) throw new AppError('NOT_FOUND', 'No such booking in this workspace')
  const { status } = stored.moved
  const allowed = Object.keys(BOOKING_TRANSITIONS.reschedule)
  if (!allowed.includes(status))
    throw new AppError('INVALID_STATE', `The booking is ${status.replace('_', ' ')}`, { state: status, allowed })
  return stored
}

/**
 * Moves a booking to another time in one transaction: its time is given back and the new one claimed, so it may overlap itself. The new
 * booking keeps the calendar entry, the opportunity, the link of the booker's page and, if free, the host; the old one is cancelled.
 */
export async function rescheduleBooking(ctx: Ctx, id: string, input: RescheduleBooking): Promise<Plan<Booking>> {
  const moved = newId()
  const decision = await claim(ctx, { ...input, booking_id: moved, moved: { id } }, factsToMove)
  return plan(decision ? moveStatements(ctx, decision, moved) : [], bookingRecord(moved))
}

/**
 * What follows the claim of a booking's new time: the booking `id` in place of the old one. `status`: if it need not be confirmed again.
 */
export function moveStatements(ctx: Pick<Ctx, 'ifMatch'>, decision: Decision, id: string, status?: BookingStatus): Statement[] {
  const old = decision.stored.moved as Moved
  const {
    name,
    email,
    phone,
    attendees,
    notes,
    answers,
    contact_id,
    deal_id,
    uid,
    sequence,
    location,
    video_meet_link,
    series_id,
    management_token,
    source,
  } = old
  const kept = {
    contact_id,
    deal_id,
    name,
    email,
    phone,
    attendees,
    notes,
    answers,
    location,
    video_meet_link,
    series_id,
    uid,
    management_token,
    source,
  }
  return [
    ...assertOpen(ctx, old.id, 'reschedule'),
    sql`update bookings set claimed = null, management_token = null where id = ${old.id}`,
    ...insertBooking(decision, { ...kept, id, rescheduled_from_id: old.id, sequence: sequence + 1, ...(status && { status }) }),
    ...cancellation(old.id, 'Moved to another time'),
  ]
}

/** Changes fields of a booking that do not affect its time. */
export const updateBooking = (
  ctx: Ctx,
  id: string,
  patch: Partial<Pick<Moved, 'notes' | 'location' | 'video_meet_link' | 'attendees'>>,
): Plan<Booking> =>
  plan(
    [
      lockForUpdate(ctx, bookings, id, 'booking'),
      Object.keys(patch).length > 0 && (db.update(bookings).set(patch).where(eq(bookings.id, id)) as Statement),
    ],
    bookingRecord(id),
  )
