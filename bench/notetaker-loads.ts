import { fixed, half, id, type Load } from './values.ts'

/** Notetakers of bookings whose meetings are over, and transcripts. */
export const NOTETAKER_LOADS: Load[] = [
  {
    table: 'notetakers',
    count: (size) => size,
    columns: fixed({
      id: id('notetaker', 'n'),
      booking_id: id('booking', 'n'),
      state: `'done'`,
      meeting_url: `'https://meet.example.com/' || n`,
      join_at: 'created',
      ends_at: 'created',
      limit_minutes: '90',
      due_at: 'null::timestamptz',
    }),
  },
  {
    table: 'booking_transcripts',
    count: half,
    unstamped: true,
    columns: {
      ...fixed({
        notetaker_id: id('notetaker', 'n'),
        activity_id: id('activity', 'n'),
        entries: `'[{"speaker": "Ana Lee", "is_host": false, "started_seconds": 1, "ended_seconds": 2, "text": "Hello."}]'::jsonb`,
      }),
      contact_id: () => id('contact', 'n'),
    },
  },
]
