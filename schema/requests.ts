import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { APPROVAL_STATUSES, OUTCOMES } from '../src/domain/access.ts'
import { identity, instant, recorded, stamps, tenant } from './columns.ts'

export type FieldChange = { before?: unknown; after?: unknown }

/** The change history: who changed what, field by field. Written by the `record_changes` trigger alone. */
export const changes = pgTable(
  'changes',
  {
    ...identity,
    request_id: text(),
    key_id: uuid(),
    user_id: uuid(),
    entity: text().notNull(),
    entity_id: uuid().notNull(),
    action: text({ enum: ['created', 'updated', 'deleted'] }).notNull(),
    fields: recorded<Record<string, FieldChange>>()().notNull(),
    version: integer().notNull(),
    at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('changes_by_entity').on(t.workspace_id, t.entity, t.entity_id, t.id),
    index('changes_by_request').on(t.workspace_id, t.request_id, t.id),
  ],
)

/** Events, written in the transaction of the change that they announce and delivered after it (at least once). */
export const outbox = pgTable(
  'outbox',
  {
    ...identity,
    type: text().notNull(),
    entity: text().notNull(),
    entity_id: uuid().notNull(),
    payload: jsonb().$type<Record<string, unknown>>().notNull(),
    skip_automations: boolean().notNull().default(false),
    request_id: text(),
    key_id: uuid(),
    user_id: uuid(),
    attempts: integer().notNull().default(0),
    last_error: text(),
    claimed_at: instant(),
    delivered_at: instant(),
    at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('outbox_by_id').on(t.workspace_id, t.id),
    index('outbox_by_type').on(t.workspace_id, t.type, t.id),
    index('outbox_by_entity').on(t.workspace_id, t.entity_id, t.id),
    index('outbox_by_request').on(t.workspace_id, t.request_id, t.id),
    index('outbox_undelivered').on(t.workspace_id, t.id).where(sql`delivered_at is null`),
    index('outbox_overdue').on(t.at).where(sql`delivered_at is null`),
  ],
)

/** What an Idempotency-Key's first request answered, for 24 hours. */
export const idempotency = pgTable(
  'idempotency',
  {
    ...tenant,
    key_id: uuid().notNull(),
    key: text().notNull(),
    request_hash: text().notNull(),
    outcome: jsonb(),
    at: instant().notNull().default(sql`now()`),
  },
  (t) => [primaryKey({ columns: [t.workspace_id, t.key_id, t.key] }), index('idempotency_by_age').on(t.at)],
)

/** What a held write would have done to one record; `version` is the one it would have got. */
export type HeldChange = { entity: string; entity_id: string; action: string; version: number; fields: Record<string, FieldChange> }

/** A write held for a person's decision: the request as it was made, and what it would have changed. */
export const approvals = pgTable(
  'approvals',
  {
    ...identity,
    status: text({ enum: APPROVAL_STATUSES }).notNull().default('pending'),
    resource: text().notNull(),
    method: text().notNull(),
    path: text().notNull(),
    request: jsonb().$type<{ params: Record<string, string>; query: Record<string, string>; body: unknown }>().notNull(),
    changes: recorded<HeldChange[]>()().notNull(),
    key_id: uuid().notNull(),
    requested_by: uuid().notNull(),
    request_id: text().notNull(),
    expires_at: instant().notNull().default(sql`now() + interval '30 days'`),
    decided_by: uuid(),
    decided_at: instant(),
    reason: text(),
    forced: boolean().notNull().default(false),
    executed_at: instant(),
    answer: jsonb(),
    response_status: integer(),
    response_body: jsonb(),
    ...stamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('approvals_by_created').on(t.workspace_id, t.created_at, t.id),
    index('approvals_by_status').on(t.workspace_id, t.status, t.created_at, t.id),
    index('approvals_by_resource').on(t.workspace_id, t.resource, t.created_at, t.id),
    index('approvals_by_requester').on(t.workspace_id, t.requested_by, t.created_at, t.id),
    index('approvals_open').on(t.status, t.expires_at).where(sql`status in ('pending', 'approved')`),
  ],
)

/**
 * What was asked and answered, for 30 days. Writes record themselves as they happen, all else the requests queue. The id is the
 * X-Request-Id, a UUID v7: ids are in the order of time.
 */
export const requests = pgTable(
  'requests',
  {
    ...tenant,
    id: uuid().notNull(),
    key_id: uuid().notNull(),
    user_id: uuid().notNull(),
    method: text().notNull(),
    path: text().notNull(),
    /** With :name for parameters; null for a path that there is not. */
    endpoint: text(),
    status: integer().notNull(),
    status_class: text().notNull().generatedAlwaysAs(sql`(status / 100)::text || 'xx'`),
    outcome: text({ enum: OUTCOMES }).notNull(),
    error_code: text(),
    error_message: text(),
    approval_id: uuid(),
    replay_of: uuid(),
    duration_ms: integer(),
    at: instant().notNull().generatedAlwaysAs(sql`uuid_extract_timestamp(id)`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('requests_by_key').on(t.workspace_id, t.key_id, t.id),
    index('requests_by_user').on(t.workspace_id, t.user_id, t.id),
    index('requests_by_method').on(t.workspace_id, t.method, t.id),
    index('requests_by_path').on(t.workspace_id, t.path, t.id),
    index('requests_by_endpoint').on(t.workspace_id, t.endpoint, t.id),
    index('requests_by_status').on(t.workspace_id, t.status_class, t.id),
    index('requests_by_age').on(t.at),
  ],
)
