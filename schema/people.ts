import { sql } from 'drizzle-orm'
import { index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { RECORD_ENTITIES } from '../src/domain/records.ts'
import { identity, instant, tenant, timestamps } from './columns.ts'

/** The tombstone of a purged record: its id, when it was purged and by whom. Written only by purge_record. */
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

/** Two similar records that a user has dismissed as duplicates; the lower id first. */
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
    index('dismissed_duplicates_by_updated').on(t.workspace_id, t.object, t.updated_at, t.id),
  ],
)
