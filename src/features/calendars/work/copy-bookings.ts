import type { Kind } from '../../../../queues/work/kind.ts'
import { calendarAccessOf } from '../plans/access.ts'
import { copyBooking } from '../plans/copy-booking.ts'
import type { ClaimedCopy } from '../rules/copies.ts'

/** Makes the calendars of hosts agree with the bookings of a workspace: creates, changes and removes their events. */
export const bookingsCopy: Kind<ClaimedCopy> = {
  name: 'bookings.copy',
  queue: 'WEBHOOKS',
  table: 'booking_copies',
  writes: [],
  read: 'read_booking_copies',
  lock: 'lock_booking_of_copy',
  settle: 'conclude_booking_copy',
  emits: true,
  lease: 180,
  atOnce: 6,
  claims: 10,
  async call({ env, workspaceId, item }) {
    const { seconds, ...outcome } = await copyBooking(calendarAccessOf(env), workspaceId, item)
    return { ...outcome, wait: seconds }
  },
}
