import { announceBooking } from '../../scheduling/plans/send-notices.ts'
import type { Listener } from './listeners.ts'

const NOTABLE = ['attendees', 'host_id', 'location', 'video_meet_link']

/**
 * Sends the notices of a booking that is new, or whose status, attendees, host, place or meeting link have changed, and those that somebody
 * has requested again.
 */
export const notifyAttendees: Listener = {
  types: [
    'booking.attended',
    'booking.cancelled',
    'booking.confirmed',
    'booking.late',
    'booking.no_show',
    'booking.notice_requested',
    'booking.rescheduled',
    'booking.updated',
  ],
  async handle(env, { type, workspace_id, entity_id, changes }) {
    // A change of the status has an event of its own.
    if (type === 'booking.updated' && !NOTABLE.some((field) => changes?.[field])) return
    await announceBooking(env, { workspace_id, booking_id: entity_id }, new Date())
  },
}
