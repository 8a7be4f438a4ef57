import { sql } from 'drizzle-orm'
import { index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { BookerAnswer } from '../src/features/scheduling/rules/questions.ts'
import { WAITING_STATES } from '../src/features/scheduling/rules/states.ts'
import { identity, instant, reference, timestamps } from './columns.ts'
import { contacts } from './contacts.ts'
import { bookings, scheduledEventTypes } from './scheduling.ts'

/**
 * Who waits for a seat of a time that is full, in the order in which they came. A seat that is offered is held by the hold with the id of
 * the entry (waiting-list.sql).
 */
export const waitingListEntries = pgTable(
  'waiting_list_entries',
  {
    ...identity,
    event_type_id: uuid().notNull(),
    state: text({ enum: WAITING_STATES }).notNull().default('waiting'),
    starts_at: instant().notNull(),
    ends_at: instant().notNull(),
    duration_minutes: integer().notNull(),
    /** The zone in which the person sees the time. */
    timezone: text().notNull(),
    contact_id: uuid().notNull(),
    name: text().notNull(),
    email: text().notNull(),
    phone: text(),
    notes: text(),
    answers: jsonb().$type<BookerAnswer[]>().notNull().default([]),
    source: text({ enum: ['api', 'page'] })
      .notNull()
      .default('api'),
    offered_at: instant(),
    offer_expires_at: instant(),
    booking_id: uuid(),
    /** When the background looks at it next: to send an email, or when the time begins. */
    due_at: instant(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('waiting_list_entries_by_created').on(t.workspace_id, t.created_at, t.id),
    index('waiting_list_entries_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('waiting_list_entries_by_start').on(t.workspace_id, t.starts_at, t.id),
    index('waiting_list_entries_by_event_type').on(t.workspace_id, t.event_type_id, t.starts_at, t.id),
    index('waiting_list_entries_by_state').on(t.workspace_id, t.state, t.starts_at, t.id),
    index('waiting_list_entries_by_contact').on(t.workspace_id, t.contact_id, t.starts_at, t.id),
    index('waiting_list_entries_by_booking').on(t.workspace_id, t.booking_id).where(sql`booking_id is not null`),
    index('waiting_list_entries_line').on(t.workspace_id, t.event_type_id, t.starts_at, t.created_at, t.id).where(sql`state = 'waiting'`),
    index('waiting_list_entries_due').on(t.due_at, t.id).where(sql`due_at is not null`),
    reference(t.event_type_id, scheduledEventTypes, 'cascade'),
    reference(t.contact_id, contacts, 'cascade'),
    reference(t.booking_id, bookings, 'set null'),
  ],
)
