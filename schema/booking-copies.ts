import { sql } from 'drizzle-orm'
import { boolean, index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { COPY_STATES, FLAGS, MEETING_STATES } from '../src/features/calendars/rules/copies.ts'
import { connectionCalendars } from './calendars.ts'
import { dueIndexes, identity, instant, reference, work } from './columns.ts'
import { bookings } from './scheduling.ts'
import { memberships } from './workspaces.ts'

/**
 * The events of bookings in the calendars of their hosts: one row for each booking and host. What an event should be follows from the
 * booking and `is_wanted`; what was last written is in `outside_id`, `outside_version` and the columns that begin with `written_`. The
 * background makes both agree (src/features/calendars/work/copy-bookings.ts).
 */
export const bookingCopies = pgTable(
  'booking_copies',
  {
    ...identity,
    /** Null when the booking was purged. */
    booking_id: uuid(),
    host_id: uuid().notNull(),
    /** Null when the calendar is no longer connected. */
    calendar_id: uuid(),
    state: text({ enum: COPY_STATES }).notNull().default('pending'),
    is_wanted: boolean().notNull().default(true),
    /** Derived from the booking and the host, so that a repeated insert finds the first one. */
    event_id: text().notNull(),
    /** The provider's id of the event. */
    outside_id: text(),
    outside_version: text(),
    written_starts_at: instant(),
    written_ends_at: instant(),
    /** When that was stored: what was read of the calendar before may be older. */
    written_at: instant(),
    /** When the event was last found in the calendar. */
    seen_at: instant(),
    meeting: text({ enum: MEETING_STATES }).notNull().default('none'),
    meet_link: text(),
    /** When the event was first requested. Without an outside_id the outcome is unclear. */
    requested_at: instant(),
    /** Why the booking did not follow a change of the event in the calendar. */
    flag: text({ enum: FLAGS }),
    flagged_at: instant(),
    error: text(),
    ...work,
    due_at: instant().default(sql`now()`),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('booking_copies_host_key').on(t.workspace_id, t.booking_id, t.host_id),
    index('booking_copies_by_calendar').on(t.workspace_id, t.calendar_id, t.outside_id),
    index('booking_copies_by_host').on(t.workspace_id, t.host_id),
    ...dueIndexes('booking_copies', t, t.id),
    reference(t.booking_id, bookings, 'set null'),
    reference(t.host_id, memberships, 'cascade'),
    reference(t.calendar_id, connectionCalendars, 'set null'),
  ],
)
