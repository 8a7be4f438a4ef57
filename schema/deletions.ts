import { sql } from 'drizzle-orm'
import { boolean, index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { identity, transactionId } from './columns.ts'

/**
 * What deletions removed, for 30 days, so that a record can be restored: the deleted rows, and the references to them that were set to
 * null. Triggers write it (schema/functions/restores.sql); the rows of one deletion have the same `xid`.
 */
export const deletedRows = pgTable(
  'deleted_rows',
  {
    ...identity,
    xid: transactionId().notNull().default(sql`pg_current_xact_id()`),
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
