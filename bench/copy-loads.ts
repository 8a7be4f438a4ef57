import { fixed, id, type Load, OWNERS, one, oneOf } from './values.ts'

/** The copies of bookings of a workspace in calendars (see LOADS). */
export const COPIES: Load = {
  table: 'booking_copies',
  count: (size) => size,
  unstamped: true,
  columns: {
    ...fixed({
      id: id('copy', 'n'),
      booking_id: id('booking', 'n'),
      host_id: one('user', OWNERS),
      state: oneOf('synced', 'synced', 'failed'),
      event_id: `'event' || n`,
      outside_id: `'event' || n`,
      due_at: 'null',
    }),
  },
}
