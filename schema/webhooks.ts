import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import {
  DELIVERY_STATES,
  DISABLED_REASONS,
  INCOMING_ACTIONS,
  INCOMING_STATES,
  OUTGOING_METHODS,
  OUTGOING_STATES,
  SIGNATURE_ENCODINGS,
  WEBHOOK_SOURCES,
  WEBHOOK_STATUSES,
} from '../src/features/webhooks/rules/states.ts'
import type { DeliveryAttempt, Mapping, StoredResponse } from '../src/features/webhooks/rules/types.ts'
import { automations } from './automations.ts'
import { bytes, identity, instant, reference, tenant, timestamps, transactionId } from './columns.ts'

const NIL = sql`'00000000-0000-0000-0000-000000000000'`

/** Addresses that receive events. What changes with every delivery is in webhook_states, so that it is no change of the webhook. */
export const webhooks = pgTable(
  'webhooks',
  {
    ...identity,
    url: text().notNull(),
    description: text(),
    /** Event types and prefixes, as they were sent. */
    event_types: text().array().notNull(),
    /** The filter as it was sent. */
    filter: jsonb().$type<Record<string, unknown>>(),
    /** Whether the events of a record wait for those before them. */
    ordered: boolean().notNull().default(false),
    /** The rights that limit its events beside those of the key; null: no further limit. */
    scopes: text().array(),
    status: text({ enum: WEBHOOK_STATUSES }).notNull().default('enabled'),
    disabled_reason: text({ enum: DISABLED_REASONS }),
    disabled_at: instant(),
    source: text({ enum: WEBHOOK_SOURCES }).notNull().default('api'),
    /** The key whose rights it has: that of the last request that wrote it. */
    key_id: uuid().notNull(),
    /** Sealed (src/lib/seal.ts), as the one before the last rotation. */
    sealed_secret: text().notNull(),
    sealed_previous_secret: text(),
    previous_expires_at: instant(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('webhooks_by_created').on(t.workspace_id, t.created_at, t.id),
    index('webhooks_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('webhooks_enabled').on(t.workspace_id, t.id).where(sql`status = 'enabled'`),
  ],
)

/** How the deliveries of a webhook are going. One worker at a time has the lease of a webhook. */
export const webhookStates = pgTable(
  'webhook_states',
  {
    ...tenant,
    webhook_id: uuid().notNull(),
    /** When a delivery is due, at the earliest. */
    due_at: instant(),
    leased_until: instant(),
    /** The first failure since the last success. */
    failing_since: instant(),
    last_delivered_at: instant(),
    last_failed_at: instant(),
    /** Events below this position were written before it was enabled. */
    since_xid: transactionId().notNull(),
    /** The replay under way: the position that it has reached, the last one, and the number of its deliveries. */
    replay_id: uuid(),
    replay_xid: transactionId(),
    replay_event_id: uuid(),
    replay_until_xid: transactionId(),
    replay_until_id: uuid(),
    replayed: integer().notNull().default(0),
    /** When the replay has last moved on. */
    replayed_at: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.webhook_id] }),
    index('webhook_states_due').on(t.due_at).where(sql`due_at is not null`),
    index('webhook_states_replaying').on(t.workspace_id, t.webhook_id).where(sql`replay_id is not null`),
    index('webhook_states_replays').on(t.replayed_at, t.workspace_id).where(sql`replay_id is not null`),
    reference(t.webhook_id, webhooks, 'cascade'),
  ],
)

/**
 * Events on their way to a webhook, and for 30 days the log of them. They have no reference to the webhook, so that its deletion costs the
 * same however many there are. The body is built from the event when it is sent, so an erased event is not sent.
 */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    ...identity,
    webhook_id: uuid().notNull(),
    /** Null for a test. */
    event_id: uuid(),
    event_type: text().notNull(),
    /** The record of the event. */
    record_id: uuid(),
    /** The replay that it belongs to; zeros for the first delivery of an event. */
    replay_id: uuid().notNull().default(NIL),
    state: text({ enum: DELIVERY_STATES }).notNull().default('pending'),
    /** Null while an earlier event of its record is pending, if the webhook is ordered, and once it has ended. */
    due_at: instant(),
    /** The attempt under way. */
    claim_id: uuid(),
    attempts: integer().notNull().default(0),
    /** The attempts that have ended, the oldest first. */
    log: jsonb().$type<DeliveryAttempt[]>().notNull().default([]),
    /** The response to the last attempt. */
    response: jsonb().$type<StoredResponse>(),
    created_at: instant().notNull().default(sql`now()`),
    ended_at: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('webhook_deliveries_by_webhook').on(t.workspace_id, t.webhook_id, t.created_at, t.id),
    index('webhook_deliveries_by_state').on(t.workspace_id, t.webhook_id, t.state, t.created_at, t.id),
    index('webhook_deliveries_due').on(t.workspace_id, t.webhook_id, t.due_at, t.id).where(sql`state = 'pending'`),
    index('webhook_deliveries_of_record').on(t.workspace_id, t.webhook_id, t.record_id, t.id).where(sql`state = 'pending'`),
    index('webhook_deliveries_claimed').on(t.workspace_id, t.claim_id).where(sql`claim_id is not null`),
    index('webhook_deliveries_by_age').using('brin', t.id).with({ pages_per_range: 16, autosummarize: true }),
    uniqueIndex('webhook_deliveries_event_key').on(t.workspace_id, t.webhook_id, t.event_id, t.replay_id),
  ],
)

/** Addresses that other systems send to. */
export const incomingWebhooks = pgTable(
  'incoming_webhooks',
  {
    ...identity,
    name: text().notNull(),
    description: text(),
    action: text({ enum: INCOMING_ACTIONS }).notNull(),
    /** The automation that it starts. */
    automation_id: uuid(),
    /** For each field of the record, where its value is in the payload. */
    mapping: jsonb().$type<Mapping>().notNull().default({}),
    /** The fields by which a contact is matched. */
    match_on: text().array(),
    /** Where the payload has the id of the message. */
    id_path: text(),
    signature_header: text(),
    signature_encoding: text({ enum: SIGNATURE_ENCODINGS }).notNull().default('hex'),
    /** Sealed (src/lib/seal.ts). */
    signature_secret: text(),
    status: text({ enum: WEBHOOK_STATUSES }).notNull().default('enabled'),
    key_id: uuid().notNull(),
    token_hash: bytes().notNull(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('incoming_webhooks_by_created').on(t.workspace_id, t.created_at, t.id),
    index('incoming_webhooks_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('incoming_webhooks_by_automation').on(t.workspace_id, t.automation_id),
    uniqueIndex('incoming_webhooks_token').on(t.token_hash),
    reference(t.automation_id, automations, 'set null'),
  ],
)

/** What incoming webhooks have received, for 30 days; payloads of the last ones only. */
export const incomingRequests = pgTable(
  'incoming_requests',
  {
    ...identity,
    webhook_id: uuid().notNull(),
    /** The sender's id of the message. */
    message_id: text(),
    payload: jsonb().$type<unknown>(),
    state: text({ enum: INCOMING_STATES }).notNull().default('received'),
    /** The record, the run or the approval that it led to. */
    result_id: uuid(),
    error_code: text(),
    error_message: text(),
    created_at: instant().notNull().default(sql`now()`),
    ended_at: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('incoming_requests_by_webhook').on(t.workspace_id, t.webhook_id, t.created_at, t.id),
    index('incoming_requests_samples').on(t.workspace_id, t.webhook_id, t.id).where(sql`payload is not null and state <> 'received'`),
    index('incoming_requests_waiting').on(t.created_at).where(sql`state = 'received'`),
    index('incoming_requests_by_age').using('brin', t.id).with({ pages_per_range: 16, autosummarize: true }),
    uniqueIndex('incoming_requests_message_key').on(t.workspace_id, t.webhook_id, t.message_id),
  ],
)

/**
 * Requests to other services, which the background sends, and for 30 days the log of them. A request is a row here, with a unique key,
 * before it is sent; what is sent is erased when it has ended, because it may contain secrets.
 */
export const outgoingRequests = pgTable(
  'outgoing_requests',
  {
    ...identity,
    method: text({ enum: OUTGOING_METHODS }).notNull(),
    url: text().notNull(),
    headers: jsonb().$type<Record<string, string>>().notNull(),
    body: text(),
    /** The webhook whose secret signs it. */
    webhook_id: uuid(),
    dedupe_key: text().notNull(),
    state: text({ enum: OUTGOING_STATES }).notNull().default('pending'),
    /** When it is sent next, or the lease of an attempt ends. Null at its end. */
    due_at: instant().default(sql`now()`),
    /** The attempt under way. */
    claim_id: uuid(),
    attempts: integer().notNull().default(0),
    response: jsonb().$type<StoredResponse>(),
    error: jsonb().$type<{ code: string; message: string }>(),
    created_at: instant().notNull().default(sql`now()`),
    ended_at: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('outgoing_requests_by_created').on(t.workspace_id, t.created_at, t.id),
    index('outgoing_requests_by_state').on(t.workspace_id, t.state, t.created_at, t.id),
    index('outgoing_requests_of_workspace_due').on(t.workspace_id, t.due_at, t.id).where(sql`due_at is not null`),
    index('outgoing_requests_due').on(t.due_at).where(sql`due_at is not null`),
    index('outgoing_requests_by_age').using('brin', t.id).with({ pages_per_range: 16, autosummarize: true }),
    uniqueIndex('outgoing_requests_dedupe_key').on(t.workspace_id, t.dedupe_key),
  ],
)
