import { index, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { CONNECTION_ERRORS, CONNECTION_STATUSES } from '../src/features/accounts/rules/accounts.ts'
import { type Alias, MAILBOX_PROVIDERS } from '../src/features/mailboxes/rules/mailboxes.ts'
import { dueIndexes, identity, instant, reference, timestamps, work } from './columns.ts'
import { memberships } from './workspaces.ts'

/** The mailboxes that members have connected: at most one each. */
export const mailboxes = pgTable(
  'mailboxes',
  {
    ...identity,
    user_id: uuid().notNull(),
    provider: text({ enum: MAILBOX_PROVIDERS }).notNull(),
    account_id: text().notNull(),
    account_email: text().notNull(),
    status: text({ enum: CONNECTION_STATUSES }).notNull().default('connected'),
    error: text({ enum: CONNECTION_ERRORS }),
    /** The addresses that it may send as. */
    aliases: jsonb().$type<Alias[]>().notNull().default([]),
    /** The one that it sends as, unless the request says otherwise; null: the address of the account. */
    sender_email: text(),
    /** Up to where the provider's changes were read; null: nothing was read yet. */
    cursor: text(),
    synced_at: instant(),
    sync_error: text(),
    /** The background reads it, or ends one that was disconnected. */
    ...work,
    /** Until when the provider reports changes, and when that is renewed. */
    watch_expires_at: instant(),
    watch_due_at: instant(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('mailboxes_user_key').on(t.workspace_id, t.user_id),
    index('mailboxes_by_created').on(t.workspace_id, t.created_at, t.id),
    index('mailboxes_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('mailboxes_by_account').on(t.provider, t.account_email),
    index('mailboxes_by_account_id').on(t.provider, t.account_id),
    ...dueIndexes('mailboxes', t, t.id),
    reference(t.user_id, memberships, 'cascade'),
  ],
)
