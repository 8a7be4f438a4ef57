import { fixed, id, type Load, name, OWNERS, one, oneOf } from './values.ts'

/** The bookings of a workspace (see LOADS). */
export const BOOKINGS: Load = {
  table: 'bookings',
  count: (size) => size,
  columns: {
    ...fixed({
      id: id('booking', 'n'),
      event_type_id: id('eventType', '1'),
      status: oneOf('confirmed', 'confirmed', 'attended', 'cancelled'),
      starts_at: 'created',
      ends_at: `created + interval '30 minutes'`,
      duration_minutes: '30',
      timezone: `'Australia/Sydney'`,
      wall_start: `to_char(created, 'YYYY-MM-DD HH24:MI')`,
      host_id: one('user', OWNERS),
      host_ids: `array[${one('user', OWNERS)}]`,
      name,
      uid: `n || '@bookings'`,
    }),
    contact_id: (size) => one('contact', size),
    deal_id: (size) => one('opportunity', size),
  },
}
