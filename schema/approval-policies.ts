import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { identity, money, normalised, timestamps } from './columns.ts'

/**
 * Which writes wait for approval, of whom, and who may approve them: see schema/functions/policies.sql. An empty list sets no condition.
 */
export const approvalPolicies = pgTable(
  'approval_policies',
  {
    ...identity,
    name: text().notNull(),
    name_norm: normalised().notNull().generatedAlwaysAs(sql`norm(name)`),
    description: text(),
    is_active: boolean().notNull().default(true),
    /** Event types that the write would cause. */
    events: text().array().notNull().default([]),
    /** Scopes that the write needs. */
    scopes: text().array().notNull().default([]),
    /** The number of records that a write may affect without approval. */
    more_than: integer(),
    /** The value of an opportunity, before or after the write, up to which no approval is needed. */
    value_over: money(),
    currency: text(),
    requester_roles: text().array().notNull().default([]),
    requester_key_ids: uuid().array().notNull().default([]),
    approver_roles: text().array().notNull().default([]),
    requester_may_approve: boolean().notNull().default(false),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('approval_policies_by_created').on(t.workspace_id, t.created_at, t.id),
    index('approval_policies_by_updated').on(t.workspace_id, t.updated_at, t.id),
    uniqueIndex('approval_policies_name_key').on(t.workspace_id, t.name_norm),
    check('condition', sql`events <> '{}' or scopes <> '{}'`),
  ],
)
