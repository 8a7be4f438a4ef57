import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { jobsDatabaseOf } from '../../../env.ts'
import { enqueue } from '../../../wake.ts'
import type { Listener } from './listeners.ts'

/** Lets the calendars of the hosts follow a booking. A lost message costs a minute: the cron job finds what is due. */
export const enqueueBookingCopies: Listener = {
  types: ['booking.cancelled', 'booking.confirmed', 'booking.reassigned', 'booking.rescheduled', 'booking.updated'],
  async handle(env, { workspace_id, entity_id }) {
    const [isDue] = await batch(jobsDatabaseOf(env), [call('has_booking_copies_due', workspace_id, entity_id)])
    if (isDue) await enqueue(env, 'bookings.copy', workspace_id)
  },
}
