import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { LEVELS } from '../src/domain/access.ts'
import { INVITATION_STATUSES, MEMBER_STATUSES } from '../src/features/members/rules/members.ts'
import { bytes, day, identity, instant, normalised, tenant, timestamps } from './columns.ts'

export const workspaces = pgTable(
  'workspaces',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    name: text().notNull(),
    slug: text().notNull(),
    description: text(),
    contact_name: text(),
    contact_email: text(),
    phone: text(),
    logo_url: text(),
    primary_color: text(),
    secondary_color: text(),
    address: text(),
    timezone: text().notNull().default('Australia/Sydney'),
    industry: text(),
    website_url: text(),
    abn: text(),
    /** The web pages that may call the API with a key of the workspace. */
    allowed_origins: text().array().notNull().default([]),
    ...timestamps,
  },
  (t) => [uniqueIndex('workspaces_slug_key').on(t.slug)],
)

/** Users, one row per person across all workspaces. */
export const users = pgTable(
  'users',
  {
    /** Random (version 4): an id that contains its time would reveal since when the person has been registered. */
    id: uuid().primaryKey().defaultRandom(),
    email: text().notNull(),
    full_name: text(),
    phone: text(),
    avatar_url: text(),
    job_title: text(),
    department: text(),
    status: text({ enum: ['active', 'invited'] })
      .notNull()
      .default('active'),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [uniqueIndex('users_email_key').on(t.email)],
)

/** Roles: the three built-in ones, which never change, and the workspace's own. A role limits its members' keys. */
export const roles = pgTable(
  'roles',
  {
    ...identity,
    /** The permanent identifier that members and requests use. */
    key: text('role_key').notNull(),
    name: text().notNull(),
    name_norm: normalised().notNull().generatedAlwaysAs(sql`norm(name)`),
    description: text(),
    scopes: text().array().notNull(),
    can_write: boolean().notNull().default(true),
    built_in: boolean().notNull().default(false),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('roles_key_key').on(t.workspace_id, t.key),
    uniqueIndex('roles_name_key').on(t.workspace_id, t.name_norm),
    index('roles_by_created').on(t.workspace_id, t.created_at, t.id),
    index('roles_by_kind').on(t.workspace_id, t.built_in, t.created_at, t.id),
  ],
)

/** A user's membership in a workspace; phone, job title and department override the user's own. */
export const memberships = pgTable(
  'memberships',
  {
    ...tenant,
    user_id: uuid()
      .notNull()
      .references(() => users.id),
    role: text().notNull().default('client_editor'),
    status: text({ enum: MEMBER_STATUSES }).notNull().default('active'),
    phone: text(),
    job_title: text(),
    department: text(),
    office: text(),
    manager_user_id: uuid(),
    default_pipeline_id: uuid(),
    /** Null until an invitation is accepted: until then the workspace cannot see the user's own profile. */
    joined_at: instant().default(sql`now()`),
    invite_name: text(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.user_id] }),
    index('memberships_by_created').on(t.workspace_id, t.created_at, t.user_id),
    index('memberships_by_updated').on(t.workspace_id, t.updated_at, t.user_id),
    index('memberships_by_role').on(t.workspace_id, t.role, t.created_at, t.user_id),
    index('memberships_by_user').on(t.user_id),
    index('memberships_by_default_pipeline').on(t.workspace_id, t.default_pipeline_id).where(sql`default_pipeline_id is not null`),
    index('memberships_by_manager').on(t.workspace_id, t.manager_user_id).where(sql`manager_user_id is not null`),
  ],
)

/** `sending` means passed to the provider and not confirmed. */
/** A member's open invitation and its email. A new invitation replaces it; accepting removes it. */
export const invitations = pgTable(
  'invitations',
  {
    ...identity,
    user_id: uuid().notNull(),
    invited_by: uuid(),
    expires_at: instant().notNull().default(sql`now() + interval '7 days'`),
    status: text({ enum: INVITATION_STATUSES }).notNull().default('waiting'),
    token_hash: bytes(),
    attempt_id: uuid(),
    attempted_at: instant(),
    sent_at: instant(),
    message_id: text(),
    error: text(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [primaryKey({ columns: [t.workspace_id, t.user_id] }), uniqueIndex('invitations_token_key').on(t.token_hash)],
)

/** How many invitations a workspace has sent on the latest day on which it sent any. */
export const invitationCounts = pgTable(
  'invitation_counts',
  {
    ...tenant,
    day: day().notNull(),
    sent: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspace_id] })],
)

/** A member's connected calendar or mailbox account. */
export const memberConnections = pgTable(
  'member_connections',
  {
    ...identity,
    user_id: uuid().notNull(),
    platform_type: text().notNull(),
    platform_account_name: text().notNull(),
    status: text({ enum: ['connected', 'disconnected', 'error'] })
      .notNull()
      .default('connected'),
    calendar_synced: boolean().notNull().default(false),
    mailbox_aliases: jsonb().$type<string[]>().notNull().default([]),
    ...timestamps,
  },
  (t) => [primaryKey({ columns: [t.workspace_id, t.id] }), index('member_connections_by_user').on(t.workspace_id, t.user_id, t.id)],
)

export const apiKeys = pgTable(
  'api_keys',
  {
    ...identity,
    user_id: uuid().notNull(),
    name: text().notNull(),
    public_id: text().notNull(),
    key_hash: bytes().notNull(),
    /** The secret before the last rotation, which works until previous_expires_at. */
    previous_key_hash: bytes(),
    previous_expires_at: instant(),
    /** The addresses that may use the key, in CIDR notation; any if there are none. */
    allowed_ranges: text().array().notNull().default([]),
    scopes: text().array().notNull(),
    level: text({ enum: LEVELS }).notNull().default('execute'),
    expires_at: instant(),
    /** The expiry with which the key was created: a renewal lasts at most as long again. */
    first_expires_at: instant(),
    revoked_at: instant(),
    /** The member who has made it, or has replaced its secret last in place of its owner; null if that is not known any more. */
    created_by: uuid(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('api_keys_key_hash_key').on(t.key_hash),
    uniqueIndex('api_keys_previous_key_hash_key').on(t.previous_key_hash),
    uniqueIndex('api_keys_public_id_key').on(t.public_id),
    index('api_keys_by_created').on(t.workspace_id, t.created_at, t.id),
  ],
)

/** When a key was last used, to five minutes. A table of its own, because a use is no change of the key. */
export const apiKeyUses = pgTable('api_key_uses', { ...tenant, key_id: uuid().notNull(), last_used_at: instant().notNull() }, (t) => [
  primaryKey({ columns: [t.workspace_id, t.key_id] }),
])
