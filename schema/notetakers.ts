import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { NOTETAKER_STATES, TRANSCRIPT_STATUSES } from '../src/features/notetakers/rules/states.ts'
import type { TranscriptEntry } from '../src/features/notetakers/rules/transcript.ts'
import { dueIndexes, identity, instant, reference, timestamps, work } from './columns.ts'
import { contacts } from './contacts.ts'
import { bookings } from './scheduling.ts'
import { activities } from './work.ts'

/**
 * Bots that record the meetings of bookings. What a bot should do follows from the booking and `state`; what was last ordered from the
 * provider is in the columns that begin with `bot_`. The background makes both agree (src/features/notetakers/work/run-notetakers.ts).
 */
export const notetakers = pgTable(
  'notetakers',
  {
    ...identity,
    /** Null when the booking was purged. */
    booking_id: uuid(),
    state: text({ enum: NOTETAKER_STATES }).notNull().default('requested'),
    meeting_url: text().notNull(),
    join_at: instant().notNull(),
    /** When the meeting should end. */
    ends_at: instant().notNull(),
    /** The recording ends after so many minutes. */
    limit_minutes: integer().notNull(),
    /** When the bot of a recording was asked to leave, because the booking was cancelled or the notetaker was removed. */
    stop_requested_at: instant(),
    recording_started_at: instant(),
    recording_ended_at: instant(),
    recorded_minutes: integer().notNull().default(0),
    /** What the recording costs, and how much of it was charged: the rest is charged as soon as the workspace has credits. */
    credits: integer().notNull().default(0),
    credits_charged: integer().notNull().default(0),
    transcript_status: text({ enum: TRANSCRIPT_STATUSES }).notNull().default('none'),
    error: text(),
    /** The provider's id of the bot. */
    bot_id: text(),
    bot_join_at: instant(),
    bot_meeting_url: text(),
    /** When the bot was requested. Without a bot_id the outcome is unclear, and the provider is asked before the request is repeated. */
    bot_requested_at: instant(),
    /** No bot is left that could join or record. */
    is_bot_gone: boolean().notNull().default(false),
    ...work,
    due_at: instant().default(sql`now()`),
    /** The ids of the latest webhooks, so that a repeated one has no effect. */
    webhook_ids: text().array().notNull().default([]),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('notetakers_by_booking').on(t.workspace_id, t.booking_id, t.id),
    uniqueIndex('notetakers_booking_key').on(t.workspace_id, t.booking_id).where(sql`state not in ('failed', 'cancelled')`),
    ...dueIndexes('notetakers', t, t.id),
    index('notetakers_unpaid').on(t.workspace_id, t.id).where(sql`credits_charged < credits`),
    check('notetakers_charged', sql`credits_charged between 0 and credits`),
    reference(t.booking_id, bookings, 'set null'),
  ],
)

/** What was said in a meeting. It is deleted, restored and purged with its activity, and with the contact. */
export const bookingTranscripts = pgTable(
  'booking_transcripts',
  {
    ...identity,
    notetaker_id: uuid().notNull(),
    activity_id: uuid().notNull(),
    /** The contact with whom the meeting was. */
    contact_id: uuid(),
    entries: jsonb().$type<TranscriptEntry[]>().notNull(),
    /** Whether the transcript was longer than what is kept. */
    is_truncated: boolean().notNull().default(false),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('booking_transcripts_notetaker_key').on(t.workspace_id, t.notetaker_id),
    index('booking_transcripts_by_activity').on(t.workspace_id, t.activity_id),
    index('booking_transcripts_by_contact').on(t.workspace_id, t.contact_id),
    reference(t.notetaker_id, notetakers, 'cascade'),
    reference(t.activity_id, activities, 'cascade'),
    reference(t.contact_id, contacts, 'cascade'),
  ],
)
