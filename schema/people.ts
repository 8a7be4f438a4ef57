import { sql } from 'drizzle-orm'
import { index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { RECORD_ENTITIES } from '../src/domain/records.ts'
import { identity, instant, tenant, timestamps } from './columns.ts'

/** What is left of a record that was purged: that it was, when, and who did it. Written by purge_record alone. */
export const purgedRecords = pgTable(
  'purged_records',
  {
    ...tenant,
    id: uuid().notNull(),
    entity: text({ enum: RECORD_ENTITIES }).notNull(),
    purged_at: instant().notNull().default(sql`now()`),
    purged_by: uuid(),
    key_id: uuid(),
    request_id: text(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('purged_records_by_purged').on(t.workspace_id, t.entity, t.purged_at, t.id),
  ],
)

/** Two records that are known not to be the same, though they look like it; the lesser id first. */
export const dismissedDuplicates = pgTable(
  'dismissed_duplicates',
  {
    ...identity,
    object: text({ enum: RECORD_ENTITIES }).notNull(),
    first_id: uuid().notNull(),
    second_id: uuid().notNull(),
    dismissed_by: uuid(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('dismissed_duplicates_pair_key').on(t.workspace_id, t.first_id, t.second_id),
    index('dismissed_duplicates_by_second').on(t.workspace_id, t.second_id),
    index('dismissed_duplicates_by_created').on(t.workspace_id, t.object, t.created_at, t.id),
  ],
)
