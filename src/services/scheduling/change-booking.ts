import { eq, sql } from 'drizzle-orm'
import { bookings } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { db, type Statement } from '../../data/db.ts'
import { type Plan, plan } from '../../data/plan.ts'
import { lockForUpdate } from '../../data/store.ts'
import { BOOKING_TRANSITIONS } from '../../domain/scheduling/states.ts'
import { AppError } from '../../errors.ts'
import { newId } from '../../lib/ids.ts'
import type { Booking, RescheduleBooking } from '../../schemas/bookings.ts'
import { assertOpen, bookingRecord } from './bookings.ts'
import { claim } from './claims.ts'
import { insertBooking, type Source } from './create-booking.ts'
import type { Moved, StoredFacts } from './facts.ts'

/** The facts about a booking that is moved. @throws NOT_FOUND, or INVALID_STATE for a booking that cannot be moved. */
function factsToMove(stored: StoredFacts | null): StoredFacts {
  if (!stored?.moved) throw new AppError('NOT_FOUND', 'No such booking in this workspace')
  const { status } = stored.moved
  const allowed = Object.keys(BOOKING_TRANSITIONS.reschedule)
  if (!allowed.includes(status))
    throw new AppError('INVALID_STATE', `The booking is ${status.replace('_', ' ')}`, { state: status, allowed })
  return stored
}

/**
 * Moves a booking to another time in one transaction: its time is given back and the new one claimed, so it may overlap itself. The new booking
 * keeps the calendar entry, the opportunity, the link of the booker's page and, if free, the host; the old one is cancelled.
 */
export async function rescheduleBooking(ctx: Ctx, id: string, input: RescheduleBooking, source?: Source): Promise<Plan<Booking>> {
  const moved = newId()
  const { starts_at, timezone, duration_minutes, owner } = input
  const asked = { starts_at, timezone, duration_minutes, owner, booking_id: moved, moved: { id } }
  const decision = await claim(ctx, asked, factsToMove)
  if (!decision) return plan([], bookingRecord(moved))
  const old = decision.stored.moved as Moved
  const { name, email, phone, attendees, notes, contact_id, deal_id, uid, sequence, location, video_meet_link, series_id, management_token } = old
  return plan(
    [
      ...assertOpen(ctx, id, 'reschedule'),
      sql`update bookings set claimed = null, management_token = null where id = ${id}`,
      insertBooking(decision, {
        ...{
          id: moved,
          rescheduled_from_id: id,
          contact_id,
          deal_id,
          name,
          email,
          phone,
          attendees,
          notes,
          location,
          video_meet_link,
          series_id,
        },
        ...{ uid, sequence: sequence + 1, source: source ?? old.source, management_token },
      }),
      sql`update bookings set status = 'cancelled', cancelled_at = now(), cancellation_reason = 'Moved to another time' where id = ${id}`,
    ],
    bookingRecord(moved),
  )
}

/** Changes fields of a booking that do not affect its time. */
export const updateBooking = (ctx: Ctx, id: string, patch: Partial<Pick<Moved, 'notes' | 'location' | 'attendees'>>): Plan<Booking> =>
  plan(
    [
      lockForUpdate(ctx, bookings, id, 'booking'),
      Object.keys(patch).length > 0 && (db.update(bookings).set(patch).where(eq(bookings.id, id)) as Statement),
    ],
    bookingRecord(id),
  )
