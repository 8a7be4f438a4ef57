import { fixed, id, type Load, name, one, oneOf } from './values.ts'

/** The entries of waiting lists of a workspace (see LOADS). */
export const WAITING: Load = {
  table: 'waiting_list_entries',
  count: (size) => size,
  columns: {
    ...fixed({
      id: id('waiting', 'n'),
      event_type_id: id('eventType', '1'),
      state: oneOf('waiting', 'booked', 'lapsed', 'expired'),
      starts_at: 'created',
      ends_at: `created + interval '30 minutes'`,
      duration_minutes: '30',
      timezone: `'Australia/Sydney'`,
      name,
      email: `'person' || n || '@example.com'`,
    }),
    contact_id: (size) => one('contact', size),
  },
}
