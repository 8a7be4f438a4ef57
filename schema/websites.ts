import { sql } from 'drizzle-orm'
import { index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { SYNC_STATUSES } from '../src/features/agency/rules/agency.ts'
import { identity, instant, reference } from './columns.ts'

/** The websites that an agency builds for its clients, and where their source is. The rows are the agency's. */
export const websites = pgTable(
  'websites',
  {
    ...identity,
    client_id: uuid().notNull(),
    name: text().notNull(),
    repository: text().notNull(),
    branch: text().notNull().default('main'),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('websites_key').on(t.workspace_id, t.client_id, t.repository, t.branch),
    index('websites_by_created').on(t.workspace_id, t.created_at, t.id),
    index('websites_by_client').on(t.workspace_id, t.client_id, t.created_at, t.id),
  ],
)

/** The syncs of websites: each copies the source, builds it, and has an address at which the result can be seen. */
export const websiteSyncs = pgTable(
  'website_syncs',
  {
    ...identity,
    website_id: uuid().notNull(),
    status: text({ enum: SYNC_STATUSES }).notNull().default('queued'),
    commit: text(),
    preview_url: text(),
    /** The end of the log of a build that has failed, without secrets. */
    log_tail: text(),
    started_at: instant().notNull().default(sql`now()`),
    ended_at: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('website_syncs_by_website').on(t.workspace_id, t.website_id, t.started_at, t.id),
    reference(t.website_id, websites, 'cascade'),
  ],
)
