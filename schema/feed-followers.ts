import { pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { FOLLOWERS } from '../src/domain/events.ts'
import { tenant, transactionId } from './columns.ts'

/**
 * What reads a workspace's feed in the background, and the last event that it has processed. A workspace has a row only while something there
 * depends on its events (feed-followers.sql).
 */
export const feedFollowers = pgTable(
  'feed_followers',
  {
    ...tenant,
    follower: text({ enum: FOLLOWERS }).notNull(),
    xid: transactionId().notNull(),
    event_id: uuid().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspace_id, t.follower] })],
)
