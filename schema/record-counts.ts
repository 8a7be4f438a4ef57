import { bigint, boolean, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { identity, tenant } from './columns.ts'

/**
 * The change of the counts by each statement, written by triggers and only ever inserted, so that concurrent writers never wait for each
 * other. `fold_record_counts` adds them to the totals; until then readers add them. `source` is the source of contacts and the lead source
 * of opportunities.
 */
export const recordCountDeltas = pgTable(
  'record_count_deltas',
  {
    ...identity,
    assigned_to: uuid(),
    source_id: uuid(),
    count: integer().notNull(),
    archived: boolean().notNull(),
    object: text().notNull(),
    source: text(),
    /** The normal forms of the tags' names. */
    tags: text().array(),
  },
  (t) => [primaryKey({ name: 'record_count_deltas_key', columns: [t.workspace_id, t.id] })],
)

/** The number of records of each kind: all of them, with `value` empty, and those with each owner, source and tag. */
export const recordCounts = pgTable(
  'record_counts',
  {
    ...tenant,
    object: text().notNull(),
    counted_by: text({ enum: ['all', 'assigned_to', 'source_id', 'source', 'tag'] }).notNull(),
    value: text().notNull(),
    archived: boolean().notNull(),
    count: bigint({ mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ name: 'record_counts_key', columns: [t.workspace_id, t.object, t.counted_by, t.value, t.archived] })],
)
