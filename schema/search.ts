import { sql } from 'drizzle-orm'
import { boolean, doublePrecision, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { FIELD_OBJECTS, FIELD_TYPES } from '../src/domain/filters/custom-types.ts'
import { identity, instant, normalised, tenant, timestamps } from './columns.ts'

/** A workspace's custom fields. Their values are in metadata under `key`. */
export const customFields = pgTable(
  'custom_fields',
  {
    ...identity,
    object: text({ enum: FIELD_OBJECTS }).notNull(),
    key: text('field_key').notNull(),
    label: text().notNull(),
    type: text({ enum: FIELD_TYPES }).notNull(),
    options: text().array().notNull().default([]),
    required: boolean().notNull().default(false),
    unique: boolean().notNull().default(false),
    indexed: boolean().notNull().default(false),
    help_text: text(),
    position: integer().notNull().default(0),
    archived: boolean().notNull().default(false),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('custom_fields_key').on(t.workspace_id, t.object, t.key),
    index('custom_fields_by_created').on(t.workspace_id, t.archived, t.created_at, t.id),
    index('custom_fields_by_position').on(t.workspace_id, t.archived, t.position, t.id),
  ],
)

/** The progress of a custom field's index (see build_custom_index); `cursor` is the last indexed record. */
export const customIndexes = pgTable(
  'custom_indexes',
  {
    ...tenant,
    field_id: uuid().notNull(),
    status: text({ enum: ['building', 'ready', 'failed', 'clearing'] }).notNull(),
    done: integer().notNull().default(0),
    total: integer(),
    cursor: uuid(),
    error: text(),
    updated_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.field_id] }),
    index('custom_indexes_unfinished').on(t.updated_at).where(sql`status in ('building', 'clearing')`),
  ],
)

/**
 * The values of indexed custom fields in comparable form: numbers, dates (days since 1970) and booleans in `number`, anything else
 * normalised in `text`; the other column is constant. One row per selected option. Only the `index_custom_values` trigger writes it.
 */
export const customValues = pgTable(
  'custom_values',
  {
    ...tenant,
    field_id: uuid().notNull(),
    number: doublePrecision().notNull(),
    text: normalised().notNull(),
    record_id: uuid().notNull(),
    /** Set for unique fields. */
    is_unique: boolean().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.field_id, t.number, t.text, t.record_id] }),
    uniqueIndex('custom_values_own_key').on(t.workspace_id, t.field_id, t.number, t.text).where(sql`is_unique`),
    index('custom_values_by_record').on(t.workspace_id, t.record_id, t.field_id),
  ],
)

/**
 * The words in names, for tolerance of typos. `typo_keys` are hashes of the word with up to two of its first letters left out: two words
 * that differ in at most two letters share one.
 */
export const searchWords = pgTable(
  'search_words',
  {
    ...tenant,
    word: normalised().notNull(),
    typo_keys: integer().array().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.word] }),
    index('search_words_by_typo').using('gin', t.typo_keys).with({ fastupdate: false }),
  ],
)
