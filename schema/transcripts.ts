import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { AUDIO_TRANSCRIPT_STATUSES, type SpeakerEntry } from '../src/features/transcripts/rules/transcripts.ts'
import { amount, dueIndexes, identity, instant, reference, timestamps, work } from './columns.ts'
import { contacts } from './contacts.ts'
import { opportunities } from './opportunities.ts'
import { activities } from './work.ts'

/** Recordings that are transcribed, and what was said in them. */
export const transcripts = pgTable(
  'transcripts',
  {
    ...identity,
    audio_url: text().notNull(),
    /** The contact whose words they are: it is deleted with the contact. */
    contact_id: uuid(),
    opportunity_id: uuid(),
    /** Null until it is detected. */
    language: text(),
    status: text({ enum: AUDIO_TRANSCRIPT_STATUSES }).notNull().default('queued'),
    error: text(),
    duration_seconds: amount(),
    /** What it costs, and how much of it was charged: the rest is charged as soon as the workspace has credits. */
    credits: integer().notNull().default(0),
    credits_charged: integer().notNull().default(0),
    entries: jsonb().$type<SpeakerEntry[]>(),
    is_truncated: boolean().notNull().default(false),
    /** The activity on the timeline that has the transcript. */
    activity_id: uuid(),
    /** The provider's id of the latest request. */
    provider_request_id: text(),
    ...work,
    due_at: instant().default(sql`now()`),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('transcripts_by_created').on(t.workspace_id, t.created_at, t.id),
    index('transcripts_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('transcripts_by_contact').on(t.workspace_id, t.contact_id, t.created_at, t.id),
    index('transcripts_by_opportunity').on(t.workspace_id, t.opportunity_id, t.created_at, t.id),
    index('transcripts_by_status').on(t.workspace_id, t.status, t.created_at, t.id),
    index('transcripts_by_activity').on(t.workspace_id, t.activity_id),
    index('transcripts_unpaid').on(t.workspace_id, t.id).where(sql`credits_charged < credits`),
    ...dueIndexes('transcripts', t, t.id),
    check('transcripts_charged', sql`credits_charged between 0 and credits`),
    reference(t.contact_id, contacts, 'cascade'),
    reference(t.opportunity_id, opportunities, 'cascade'),
    reference(t.activity_id, activities, 'set null'),
  ],
)
