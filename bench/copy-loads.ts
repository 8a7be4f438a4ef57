import { fixed, half, id, type Load, OWNERS, one, oneOf } from './values.ts'

/** The connected calendar accounts of a workspace: more than members have, so that lists of them can be measured (see LOADS). */
export const CONNECTIONS: Load = {
  table: 'calendar_connections',
  count: half,
  columns: fixed({
    id: id('connection', 'n'),
    user_id: one('user', OWNERS),
    provider: oneOf('google', 'google', 'microsoft', 'ics'),
    account_id: `'account' || n`,
    account_email: `'host' || n || '@example.com'`,
    status: oneOf('connected', 'connected', 'error'),
  }),
}

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
