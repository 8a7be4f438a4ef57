import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core'
import { DELETION_STATES } from '../src/domain/deletions.ts'
import { dueIndexes, identity, instant, transactionId, work } from './columns.ts'

/**
 * What deletions removed, for 30 days, so that a record can be restored: the deleted rows, and the references to them that were set to
 * null. Triggers write it (schema/functions/restores.sql); the rows of one deletion have the same `xid`.
 */
export const deletedRows = pgTable(
  'deleted_rows',
  {
    ...identity,
    xid: transactionId().notNull().default(sql`deletion_transaction()`),
    request_id: text(),
    table_name: text().notNull(),
    row_id: uuid().notNull(),
    action: text({ enum: ['deleted', 'unlinked'] }).notNull(),
    /** Whether a statement deleted the row, or a cascade, and not a trigger. */
    is_root: boolean().notNull(),
    /** The whole deleted row; for a reference the changed columns. */
    before: jsonb().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('deleted_rows_by_transaction').on(t.workspace_id, t.xid),
    index('deleted_rows_by_row').on(t.workspace_id, t.row_id, t.id),
    index('deleted_rows_files').on(t.workspace_id, t.row_id).where(sql`table_name = 'attachments'`),
    index('deleted_rows_by_age').using('brin', t.id).with({ pages_per_range: 16, autosummarize: true }),
    index('deleted_rows_by_mention')
      .using('gin', sql`mention_keys(row_id::text || ' ' || before::text)`)
      .with({ gin_pending_list_limit: 256 }),
  ],
)

/**
 * Deletions of records with so many dependants that the background deletes these, in batches (schema/functions/deletions.sql). The record is
 * gone from the first transaction on. The columns of the request are what the changes of the batches name.
 */
export const deletions = pgTable(
  'deletions',
  {
    ...identity,
    table_name: text().notNull(),
    record_id: uuid().notNull(),
    /** The transaction that the deleted rows name, whichever batch deletes them. */
    xid: transactionId().notNull().default(sql`pg_current_xact_id()`),
    request_id: text(),
    key_id: uuid(),
    user_id: uuid(),
    cause_type: text(),
    cause_id: uuid(),
    cause_depth: smallint().notNull().default(0),
    skip_automations: boolean().notNull().default(false),
    state: text({ enum: DELETION_STATES }).notNull().default('running'),
    /** The dependants at the beginning; null if there were more than are counted. */
    total: integer(),
    processed: integer().notNull().default(0),
    created_at: instant().notNull().default(sql`now()`),
    ended_at: instant(),
    ...work,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('deletions_running').on(t.workspace_id, t.record_id).where(sql`ended_at is null`),
    index('deletions_by_age').using('brin', t.id).with({ pages_per_range: 16, autosummarize: true }),
    ...dueIndexes('deletions', t, t.id),
  ],
)
