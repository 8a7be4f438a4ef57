import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { CREDIT_KINDS } from '../src/features/billing/rules/credits.ts'
import { CHANNELS } from '../src/features/messages/rules/messages.ts'
import { day, identity, instant, tenant } from './columns.ts'

/** The credits of a workspace: those that are left, and those of messages that are not sent yet. No row: none. */
export const creditAccounts = pgTable(
  'credit_accounts',
  { ...tenant, balance: integer().notNull().default(0), reserved: integer().notNull().default(0) },
  (t) => [
    primaryKey({ columns: [t.workspace_id] }),
    check('credit_accounts_balance', sql`balance >= 0`),
    check('credit_accounts_reserved', sql`reserved >= 0`),
  ],
)

/** The ledger of credits: rows are only inserted (credits.sql). */
export const creditEntries = pgTable(
  'credit_entries',
  {
    ...identity,
    kind: text({ enum: CREDIT_KINDS }).notNull(),
    /** The change of the balance; 0 when reserved credits are settled. */
    amount: integer().notNull(),
    /** The balance after it. */
    balance: integer().notNull(),
    /** The message that costs the credits. No foreign key: the entry remains when the message is deleted. */
    message_id: uuid(),
    channel: text({ enum: CHANNELS }),
    /** The units that the message costs: segments of an SMS. */
    units: integer(),
    /** What makes a grant one grant, and a charge one charge, however often it is repeated. */
    reference: text(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('credit_entries_by_created').on(t.workspace_id, t.created_at, t.id),
    index('credit_entries_by_kind').on(t.workspace_id, t.kind, t.created_at, t.id),
    uniqueIndex('credit_entries_message_key').on(t.workspace_id, t.message_id, t.kind),
    uniqueIndex('credit_entries_reference_key').on(t.workspace_id, t.reference),
  ],
)

/** The messages that were accepted in each month (UTC), by channel, with what they cost. */
export const creditUsage = pgTable(
  'credit_usage',
  {
    ...identity,
    /** The first day of the month. */
    month: day().notNull(),
    channel: text({ enum: CHANNELS }).notNull(),
    messages: integer().notNull(),
    units: integer().notNull(),
    credits: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspace_id, t.id] }), uniqueIndex('credit_usage_key').on(t.workspace_id, t.month, t.channel)],
)
