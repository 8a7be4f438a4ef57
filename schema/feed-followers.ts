import { sql } from 'drizzle-orm'
import { index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { FOLLOWERS } from '../src/domain/events.ts'
import { identity, instant, tenant, transactionId } from './columns.ts'

/**
 * What reads a workspace's feed in the background, and the last event that it has processed. A workspace has a row only while something
 * there depends on its events (feed-followers.sql).
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

/**
 * The events that a follower is to be woken for: types, prefixes such as `contact.*`, or `*`. Written by what defines listeners, and read
 * by whatever writes an event.
 */
export const feedInterests = pgTable(
  'feed_interests',
  { ...tenant, follower: text({ enum: FOLLOWERS }).notNull(), types: text().array().notNull() },
  (t) => [primaryKey({ columns: [t.workspace_id, t.follower] })],
)

/**
 * The feed has something for a follower at the positions from `since` to `until`. A transaction adds a row of its own, and whoever has read
 * beyond it deletes it. Without `until` it is not known yet: transactions before `settles` may still write events, wherever the feed is
 * then.
 */
export const feedWakes = pgTable(
  'feed_wakes',
  {
    ...identity,
    follower: text({ enum: FOLLOWERS }).notNull(),
    since: transactionId().notNull(),
    until: transactionId(),
    settles: transactionId(),
    at: instant().notNull().default(sql`now()`),
  },
  (t) => [primaryKey({ columns: [t.workspace_id, t.follower, t.id] }), index('feed_wakes_due').on(t.at, t.workspace_id)],
)
