import { fixed, id, type Load, one, oneOf } from './values.ts'

/** The notices of bookings of a workspace (see LOADS). */
export const NOTICES: Load = {
  table: 'booking_notices',
  count: (size) => size,
  unstamped: true,
  columns: {
    ...fixed({
      id: id('notice', 'n'),
      kind: oneOf('confirmation', 'reminder'),
      channel: `'email'`,
      recipient: `'person' || n || '@example.com'`,
      is_booker: 'true',
      state: oneOf('sent', 'skipped'),
      send_at: 'created',
    }),
    booking_id: () => id('booking', 'n'),
    contact_id: (size) => one('contact', size),
  },
}
