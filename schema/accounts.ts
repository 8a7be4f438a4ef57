import { sql } from 'drizzle-orm'
import { check, index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { ACCOUNT_PROVIDERS, GRANT_PURPOSES } from '../src/features/accounts/rules/accounts.ts'
import { calendarConnections } from './calendars.ts'
import { bytes, identity, instant, reference } from './columns.ts'
import { mailboxes } from './mailboxes.ts'
import { memberships } from './workspaces.ts'

/**
 * What an account is called with: of a connection of calendars, or of a mailbox. It is a table of its own because it changes every hour,
 * which is no change of either.
 */
export const accountGrants = pgTable(
  'account_grants',
  {
    ...identity,
    connection_id: uuid(),
    mailbox_id: uuid(),
    /** Sealed (src/lib/seal.ts). Of a calendar that is read by its address, this is the address. */
    sealed_access_token: text().notNull(),
    /** Null: the access token does not expire. */
    access_expires_at: instant(),
    sealed_refresh_token: text(),
    /** The worker that refreshes the grant at present; no other one does until then. */
    refresh_claim_id: uuid(),
    refresh_claimed_until: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('account_grants_connection_key').on(t.workspace_id, t.connection_id),
    uniqueIndex('account_grants_mailbox_key').on(t.workspace_id, t.mailbox_id),
    reference(t.connection_id, calendarConnections, 'cascade'),
    reference(t.mailbox_id, mailboxes, 'cascade'),
  ],
)

/**
 * Consents that members have been sent to give, and the accounts that came back and wait until the member confirms them. Each is used once,
 * within ten minutes.
 */
export const grantRequests = pgTable(
  'grant_requests',
  {
    ...identity,
    user_id: uuid().notNull(),
    /** What the account is connected for. */
    purpose: text({ enum: GRANT_PURPOSES }).notNull().default('calendars'),
    provider: text({ enum: ACCOUNT_PROVIDERS }).notNull(),
    /** SHA-256 of the state in the address of the consent, or of the token in the form that confirms the account. */
    state_hash: bytes().notNull(),
    /** The PKCE verifier (RFC 7636), sealed. */
    sealed_verifier: text(),
    /** The account that came back, with its tokens as JSON, sealed. */
    sealed_account: text(),
    expires_at: instant().notNull(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('grant_requests_state_key').on(t.state_hash),
    index('grant_requests_by_expiry').on(t.expires_at, t.id),
    check('sealed', sql`num_nonnulls(sealed_verifier, sealed_account) = 1`),
    reference(t.user_id, memberships, 'cascade'),
  ],
)
