import { sql } from 'drizzle-orm'
import { boolean, index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { CONNECTION_ERRORS, CONNECTION_STATUSES } from '../src/features/accounts/rules/accounts.ts'
import { CALENDAR_PROVIDERS, CHANNEL_STATES } from '../src/features/calendars/rules/states.ts'
import { bytes, dueIndexes, identity, instant, reference, timestamps, work } from './columns.ts'
import { memberships } from './workspaces.ts'

/** Accounts at calendar providers that members have connected: one row for each member and outside account. */
export const calendarConnections = pgTable(
  'calendar_connections',
  {
    ...identity,
    user_id: uuid().notNull(),
    provider: text({ enum: CALENDAR_PROVIDERS }).notNull(),
    account_id: text().notNull(),
    account_email: text().notNull(),
    status: text({ enum: CONNECTION_STATUSES }).notNull().default('connected'),
    error: text({ enum: CONNECTION_ERRORS }),
    /** When a calendar of it was last read. */
    last_synced_at: instant(),
    /** When the background revokes the grant of a disconnected one, and how often it has tried. */
    ...work,
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('calendar_connections_account_key').on(t.workspace_id, t.user_id, t.provider, t.account_id),
    index('calendar_connections_by_created').on(t.workspace_id, t.created_at, t.id),
    index('calendar_connections_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('calendar_connections_by_user').on(t.workspace_id, t.user_id, t.created_at, t.id),
    index('calendar_connections_by_account').on(t.provider, t.account_id),
    ...dueIndexes('calendar_connections', t, t.id),
    reference(t.user_id, memberships, 'cascade'),
  ],
)

/**
 * The calendars of a connection. `due_at` is when the background reads one next, or the end of the lease while a worker does: whoever
 * changes it meanwhile has it read again.
 */
export const connectionCalendars = pgTable(
  'connection_calendars',
  {
    ...identity,
    connection_id: uuid().notNull(),
    /** The member of the connection. */
    user_id: uuid().notNull(),
    outside_id: text().notNull(),
    name: text().notNull(),
    /** Null: the provider does not name one that is known. */
    timezone: text(),
    is_primary: boolean().notNull(),
    is_writable: boolean().notNull(),
    /** Whether its events make the member unavailable. */
    busy_from: boolean().notNull().default(false),
    /** Since when. */
    busy_since: instant(),
    /** Whether the member's bookings are copied into it: at most one calendar of each member. */
    write_to: boolean().notNull().default(false),
    /** From where the provider returns the next changes; null: everything is read. */
    cursor: text(),
    /** When the last reading began that was stored whole, and the last one of everything. */
    synced_at: instant(),
    fully_synced_at: instant(),
    /** Since when its times are too old to be relied on. */
    stale_since: instant(),
    /** Why the last reading failed. */
    error: text(),
    ...work,
    /** Null: the provider has never been asked for notifications. */
    channel_state: text({ enum: CHANNEL_STATES }),
    channel_id: uuid(),
    /** The provider's id of what the channel watches. */
    channel_resource: text(),
    /** SHA-256 of what each notification must have. */
    channel_secret_hash: bytes(),
    channel_expires_at: instant(),
    /** When the channel is opened or renewed. */
    channel_due_at: instant(),
    /** The channel that is being opened while the former one is still in use. */
    next_channel_id: uuid(),
    next_channel_secret_hash: bytes(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('connection_calendars_outside_key').on(t.workspace_id, t.connection_id, t.outside_id),
    uniqueIndex('connection_calendars_write_key').on(t.workspace_id, t.user_id).where(sql`write_to`),
    index('connection_calendars_by_user').on(t.workspace_id, t.user_id).where(sql`busy_from`),
    ...dueIndexes('connection_calendars', t, t.id),
    index('connection_calendars_by_age').on(sql`(coalesce(synced_at, busy_since))`).where(sql`busy_from and stale_since is null`),
    uniqueIndex('connection_calendars_channel_key').on(t.channel_id),
    uniqueIndex('connection_calendars_next_channel_key').on(t.next_channel_id),
    reference(t.connection_id, calendarConnections, 'cascade'),
    reference(t.user_id, memberships, 'cascade'),
  ],
)
