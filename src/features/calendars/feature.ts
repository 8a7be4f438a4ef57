import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Calendars: 'The calendars of members at other providers: connecting them, and choosing what they are used for.' },
  scopes: { calendars: ['read', 'write'] },
  tables: {
    calendar_connections: {
      readers: ['calendars:read'],
      derived: { last_synced_at: 'When a calendar of it was last read' },
      // Its grant ends with it.
      restored: false,
    },
  },
  events: ['calendar_connection.errored', 'calendar_connection.stale'],
}
