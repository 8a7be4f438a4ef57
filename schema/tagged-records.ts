import { boolean, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { instant, tenant } from './columns.ts'

/**
 * The tags of contacts, companies and opportunities in the order of the records' creation, which the inverted index of a tag does not have.
 * `tag` is the normal form of its name. Only triggers write it (ordered-links.sql).
 */
export const taggedRecords = pgTable(
  'tagged_records',
  {
    ...tenant,
    object: text().notNull(),
    tag: text().notNull(),
    archived: boolean().notNull(),
    created_at: instant().notNull(),
    record_id: uuid().notNull(),
  },
  (t) => [primaryKey({ name: 'tagged_records_key', columns: [t.workspace_id, t.object, t.tag, t.archived, t.created_at, t.record_id] })],
)
