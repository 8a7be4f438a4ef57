import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core'
import { JOB_STATES, JOB_TYPES } from '../src/domain/deletions.ts'
import { dueIndexes, identity, instant, transactionId, work } from './columns.ts'

/**
 * What deletions removed, for 30 days, so that a record can be restored: the deleted rows, and the references to them that were set to
 * null. Triggers write it (schema/functions/restorable-rows.sql); the rows of one deletion have the same `xid`.
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
 * Deletions, purges and restores of records with so many dependants that the background does it in batches (schema/functions/deletions.sql,
 * purge-jobs.sql, restore-jobs.sql). The record is gone, or there, from the first transaction on. The columns of the request are what the
 * changes of the batches name. One that has failed has not ended, because it can go on.
 */
export const deletions = pgTable(
  'deletions',
  {
    ...identity,
    type: text({ enum: JOB_TYPES }).notNull().default('deletion'),
    /** What a restore does now: collect, rows, links or clean. */
    phase: text(),
    table_name: text().notNull(),
    /** The name of the record's kind in the history. */
    entity: text(),
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
    state: text({ enum: JOB_STATES }).notNull().default('running'),
    /** The dependants at the beginning; null if there were more than are counted. */
    total: integer(),
    processed: integer().notNull().default(0),
    /** What did not come back, as texts of JSON: the first hundred, and the number of all. */
    losses: text().array().notNull().default(sql`'{}'`),
    lost: integer().notNull().default(0),
    /** Why the last attempt failed. */
    error: text(),
    created_at: instant().notNull().default(sql`now()`),
    failed_at: instant(),
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
