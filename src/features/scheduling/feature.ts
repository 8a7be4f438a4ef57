import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: {
    Scheduling: 'Event types that can be booked, and the working hours of the company and its members.',
    'Scheduling Bookings': 'Free times and bookings.',
    'Voice Scheduling': 'Free times and bookings as plain text, for voice agents.',
  },
  scopes: { scheduling: ['read', 'write'] },
  tables: {
    availabilities: { readers: ['scheduling:read'] },
    booking_notices: { merges: { contact: { contact_id: 'bookings' } }, restored: true },
    bookings: {
      readers: ['company:read'],
      hidden: {
        claimed: 'The counters that the booking is counted in',
        noted_changes: 'Former values, for the notices about their change',
        phone_end: 'The last digits of the phone number, for finding a caller',
      },
      secret: { management_token: 'Whoever has it can cancel and move the booking' },
      purged: { name: '(purged)', email: null, notes: null, phone: null, answers: [], attendees: [], cancellation_reason: null },
    },
    holiday_calendars: { readers: ['scheduling:read'] },
    scheduled_event_types: { readers: ['scheduling:read'] },
    time_off: { readers: ['scheduling:read'] },
    waiting_list_entries: { readers: ['company:read'], derived: { due_at: 'When the background looks at it next' } },
  },
  events: [
    'booking.attended',
    'booking.cancelled',
    'booking.changed_outside',
    'booking.confirmed',
    'booking.late',
    'booking.no_show',
    'booking.notice_requested',
    'booking.reassigned',
    'booking.requested',
    'booking.rescheduled',
  ],
}
