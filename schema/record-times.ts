import { sql } from 'drizzle-orm'
import { doublePrecision, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { identity, tenant, transactionId } from './columns.ts'

/**
 * The times by which contacts, companies and opportunities are sorted: of their last activity and of their next task. `sort` is
 * `<plural>.<sort>`, `number` the time in milliseconds since 1970. Only triggers write it (record-times.sql).
 */
export const recordTimes = pgTable(
  'record_times',
  { ...tenant, sort: text().notNull(), number: doublePrecision().notNull(), record_id: uuid().notNull() },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.sort, t.number, t.record_id] }),
    index('record_times_by_record').on(t.workspace_id, t.record_id, t.sort),
  ],
)

/** Times that are checked again when the transactions of their change have ended. */
export const recordTimeChecks = pgTable(
  'record_time_checks',
  {
    ...identity,
    sort: text().notNull(),
    record_id: uuid().notNull(),
    xid: transactionId().notNull().default(sql`pg_current_xact_id()`),
  },
  (t) => [primaryKey({ columns: [t.workspace_id, t.id] }), index('record_time_checks_by_xid').on(t.xid)],
)
