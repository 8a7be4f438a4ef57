import { sql } from 'drizzle-orm'
import { index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { DEAD_LETTER_STATUSES, QUEUE_NAMES } from '../src/features/dead-letters/rules/dead-letters.ts'
import { identity, instant } from './columns.ts'

/** Messages that a queue could not process, for 30 days. A message that fails again while its dead letter is open changes that one. */
export const deadLetters = pgTable(
  'dead_letters',
  {
    ...identity,
    queue: text({ enum: QUEUE_NAMES }).notNull(),
    /** The type of the message; null for a malformed one. */
    type: text(),
    message: jsonb().$type<Record<string, unknown>>().notNull(),
    status: text({ enum: DEAD_LETTER_STATUSES }).notNull().default('open'),
    attempts: integer().notNull(),
    last_error: text(),
    created_at: instant().notNull().default(sql`now()`),
    last_failed_at: instant().notNull().default(sql`now()`),
    replayed_at: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('dead_letters_by_created').on(t.workspace_id, t.created_at, t.id),
    index('dead_letters_by_queue').on(t.workspace_id, t.queue, t.created_at, t.id),
    index('dead_letters_by_status').on(t.workspace_id, t.status, t.created_at, t.id),
    index('dead_letters_by_queue_and_status').on(t.workspace_id, t.queue, t.status, t.created_at, t.id),
    index('dead_letters_by_age').using('brin', t.id).with({ pages_per_range: 16, autosummarize: true }),
    uniqueIndex('dead_letters_open_key').on(t.workspace_id, t.queue, t.message).where(sql`status = 'open'`),
  ],
)
