import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core'
import { APPROVAL_STATUSES, CAUSES, OUTCOMES } from '../src/domain/access.ts'
import { identity, instant, recorded, tenant, timestamps, transactionId } from './columns.ts'

export type FieldChange = { before?: unknown; after?: unknown }

/** A transaction's id, as text: 64 bits, never reused. */
/** The cause of a change: see set_cause in schema/functions/between-statements.sql. `depth` counts the automated steps before it. */
const cause = {
  cause_type: text({ enum: CAUSES }),
  cause_id: uuid(),
  depth: smallint().notNull().default(0),
}

/**
 * The change history: who changed what, field by field. Only the `record_changes` trigger writes it. This table, `outbox` and `requests`
 * are partitioned by id, and expire by partition (schema/functions/partitions.sql).
 */
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
    /** The member whose mailbox it is in, and who alone sees it; null: the team does. */
    private_to: uuid(),
    at: instant().notNull().default(sql`now()`),
    ...cause,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('changes_by_entity').on(t.workspace_id, t.entity, t.entity_id, t.id),
    index('changes_by_request').on(t.workspace_id, t.request_id, t.id),
  ],
)

/** Events, written in the transaction of the change that they announce, and delivered after it at least once. */
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
    /** The member whose mailbox it is in, and who alone sees it; null: the team does. */
    private_to: uuid(),
    attempts: integer().notNull().default(0),
    last_error: text(),
    claimed_at: instant(),
    delivered_at: instant(),
    at: instant().notNull().default(sql`now()`),
    ...cause,
    /**
     * The position of the event (event_position): the transaction that wrote it, or a later one that had ended by then. Reading in order of
     * (xid, id), below the oldest open transaction, misses no event, and sees those of a record in the order of its versions.
     */
    xid: transactionId().notNull().default(sql`event_position()`),
    /** Whether one of the Worker's listeners handles the event. Other events are complete when they are written. */
    needs_delivery: boolean().notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('outbox_by_type').on(t.workspace_id, t.type, t.id),
    index('outbox_by_entity').on(t.workspace_id, t.entity_id, t.id),
    index('outbox_by_request').on(t.workspace_id, t.request_id, t.id),
    index('outbox_by_transaction').on(t.workspace_id, t.xid, t.id),
    index('outbox_undelivered').on(t.workspace_id, t.id).where(sql`needs_delivery and delivered_at is null`),
  ],
)

/** The response to the first request with an Idempotency-Key, stored for 24 hours. */
export const idempotency = pgTable(
  'idempotency',
  {
    ...tenant,
    key_id: uuid().notNull(),
    /** A digest of the Idempotency-Key: see digest_idempotency_key. */
    key: text().notNull(),
    request_hash: text().notNull(),
    outcome: jsonb(),
    at: instant().notNull().default(sql`now()`),
  },
  (t) => [primaryKey({ columns: [t.workspace_id, t.key_id, t.key] }), index('idempotency_by_age').on(t.at)],
)

/** The effect that a write pending approval would have on one record; `version` is the resulting version. */
export type HeldChange = {
  entity: string
  entity_id: string
  action: 'created' | 'updated' | 'deleted'
  version: number
  fields: Record<string, FieldChange>
}

export type HeldRequest = { params: Record<string, string>; query: Record<string, string>; body: unknown }
export type OriginalRequest = { request: HeldRequest; changes: HeldChange[] }

/** A write pending approval: the original request, and the changes that it would make. */
export const approvals = pgTable(
  'approvals',
  {
    ...identity,
    status: text({ enum: APPROVAL_STATUSES }).notNull().default('pending'),
    resource: text().notNull(),
    method: text().notNull(),
    path: text().notNull(),
    request: jsonb().$type<HeldRequest>().notNull(),
    changes: recorded<HeldChange[]>()().notNull(),
    /** The request and the changes from before the first edit. */
    original: recorded<OriginalRequest | null>()(),
    edited_by: uuid(),
    edited_key_id: uuid(),
    edited_at: instant(),
    key_id: uuid().notNull(),
    requested_by: uuid().notNull(),
    /** What the request needs, and so what its approver must have. Null for approvals from before this column. */
    required_scopes: text().array(),
    requires_admin: boolean().notNull().default(false),
    /** The approval policies that hold the request. */
    policy_ids: uuid().array().notNull().default([]),
    request_id: text().notNull(),
    expires_at: instant().notNull().default(sql`now() + interval '30 days'`),
    /** Since when it is known that another request has changed what this one changes. */
    stale_at: instant(),
    decided_by: uuid(),
    decided_key_id: uuid(),
    decided_at: instant(),
    reason: text(),
    forced: boolean().notNull().default(false),
    executed_at: instant(),
    answer: jsonb(),
    response_status: integer(),
    response_body: jsonb(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('approvals_by_created').on(t.workspace_id, t.created_at, t.id),
    index('approvals_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('approvals_by_status').on(t.workspace_id, t.status, t.created_at, t.id),
    index('approvals_by_resource').on(t.workspace_id, t.resource, t.created_at, t.id),
    index('approvals_by_requester').on(t.workspace_id, t.requested_by, t.created_at, t.id),
    index('approvals_approved').on(t.decided_at, t.workspace_id).where(sql`status = 'approved'`),
    index('approvals_open').on(t.status, t.expires_at).where(sql`status in ('pending', 'approved')`),
  ],
)

/**
 * The request log, retained for 30 days. Writes log themselves in their transaction; other entries arrive through the requests queue. The
 * id is the X-Request-Id, a UUID v7, so ids are in order of time. Successful reads of one key and endpoint may share a row: see
 * record_requests.
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
    /** The route with :name for parameters; null for an unknown path. */
    endpoint: text(),
    status: smallint().notNull(),
    outcome: text({ enum: OUTCOMES }).notNull(),
    error_code: text(),
    error_message: text(),
    /** The scopes that reading the message takes; null for entries of earlier releases, which take all. */
    error_scopes: text().array(),
    approval_id: uuid(),
    replay_of: uuid(),
    duration_ms: integer(),
    /** The first digit of the status: 2, 4 or 5. */
    status_class: smallint().notNull().generatedAlwaysAs(sql`(status / 100)::smallint`),
    at: instant().generatedAlwaysAs(sql`uuid_extract_timestamp(id)`),
    /** The Worker isolate that logged the request, and its sequence number for this key there. A missing number is a lost entry. */
    isolate: text(),
    sequence: integer(),
    /** The other requests in this row; a path is null when it equals the first one's. */
    more_ids: uuid().array(),
    more_paths: text().array(),
    more_durations: integer().array(),
    more_sequences: integer().array(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('requests_by_key').on(t.workspace_id, t.key_id, t.id),
    index('requests_by_endpoint').on(t.workspace_id, t.endpoint, t.id),
    index('requests_by_status').on(t.workspace_id, t.status_class, t.id).where(sql`status_class <> 2`),
    index('requests_by_mention')
      .using('gin', sql`mention_keys(request_text(path, more_paths, error_message))`)
      .with({ gin_pending_list_limit: 256 }),
  ],
)
