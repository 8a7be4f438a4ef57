import type { NoticeFacts } from '../../src/features/scheduling/rules/notice-facts.ts'

export const HOUR = 3_600_000
export const NOW = Date.UTC(2027, 0, 4, 0)
/** A booking two days ahead, of Ana Lee with Ben. */
export const FACTS: NoticeFacts = {
  ...{ id: 'b', version: 1, status: 'confirmed', uid: 'b@bookings', sequence: 0, is_moved: false, is_invited: true, booked_again: false },
  ...{ starts_at: NOW + 48 * HOUR, ends_at: NOW + 49 * HOUR, updated_at: NOW, previous_starts_at: null, duration_minutes: 60 },
  ...{
    timezone: 'Australia/Sydney',
    name: 'Ana Lee',
    email: 'ana@example.com',
    phone: null,
    attendees: ['ben@example.com', 'ana@example.com'],
  },
  ...{
    location: null,
    video_meet_link: null,
    awaits_link: false,
    cancellation_reason: null,
    booker: null,
    contacts: [],
    hosts: ['host@example.com'],
    announced: 0,
    changes: [],
    suppressed: [],
    configured: ['email'],
  },
  event_type: { name: 'First meeting', slug: 'first-meeting', locked_timezone: null, notices: [] },
  workspace: { name: 'Acme', slug: 'acme' },
  host: { name: 'Hana Host', email: 'hana@example.com' },
  quiet_hours: null,
}
