import { sql } from 'drizzle-orm'
import { boolean, check, halfvec, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { type MessageReference, REQUEST_QUEUES, REQUEST_STATUSES, REQUEST_TYPES } from '../src/features/service-requests/rules/requests.ts'
import { PRIORITIES } from '../src/features/tasks/rules/tasks.ts'
import { byWords, dueIndexes, identity, instant, normalised, reference, tenant, timestamps, work } from './columns.ts'

/** What a workspace asks of its agency or of the operator of the platform. Triggers keep `related_ids` and add the notices. */
export const serviceRequests = pgTable(
  'service_requests',
  {
    ...identity,
    title: text().notNull(),
    description: text(),
    search_text: normalised().notNull().generatedAlwaysAs(sql`search_form(title || ' ' || coalesce(description, ''))`),
    type: text({ enum: REQUEST_TYPES }).notNull().default('other'),
    priority: text({ enum: PRIORITIES }).notNull().default('normal'),
    status: text({ enum: REQUEST_STATUSES }).notNull().default('open'),
    queue: text({ enum: REQUEST_QUEUES }).notNull().default('platform'),
    context: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    related_ids: uuid().array().notNull().default([]),
    /** Who is notified of changes. */
    requester_id: uuid().default(sql`current_user_id()`),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('service_requests_by_created').on(t.workspace_id, t.created_at, t.id),
    index('service_requests_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('service_requests_by_status').on(t.workspace_id, t.status, t.created_at, t.id),
    index('service_requests_by_type').on(t.workspace_id, t.type, t.created_at, t.id),
    index('service_requests_by_priority').on(t.workspace_id, t.priority, t.created_at, t.id),
    index('service_requests_by_queue').on(t.workspace_id, t.queue, t.created_at, t.id),
    byWords('service_requests'),
  ],
)

/** The thread of a request. Its author is a member of the workspace, or with `by_agency` one of the agency that looks after it. */
export const serviceRequestNotes = pgTable(
  'service_request_notes',
  {
    ...identity,
    request_id: uuid().notNull(),
    user_id: uuid().default(sql`current_user_id()`),
    by_agency: boolean().notNull().default(false),
    content: text().notNull(),
    edited_at: instant(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('service_request_notes_by_request').on(t.workspace_id, t.request_id, t.id),
    reference(t.request_id, serviceRequests, 'cascade'),
  ],
)

/** Two requests that are related: one row, with the lesser id first. */
export const serviceRequestLinks = pgTable(
  'service_request_links',
  {
    ...tenant,
    request_id: uuid().notNull(),
    related_id: uuid().notNull(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.request_id, t.related_id] }),
    index('service_request_links_by_related').on(t.workspace_id, t.related_id, t.request_id),
    check('service_request_links_order', sql`request_id < related_id`),
    reference(t.request_id, serviceRequests, 'cascade'),
    reference(t.related_id, serviceRequests, 'cascade'),
  ],
)

/** Who is notified of a new or changed request, once for each version. */
export const serviceRequestNotices = pgTable(
  'service_request_notices',
  {
    ...identity,
    request_id: uuid().notNull(),
    request_version: integer().notNull(),
    recipient: text({ enum: ['engineering', 'requester'] }).notNull(),
    changes: jsonb().$type<Record<string, { from: string; to: string }>>().notNull().default({}),
    status: text({ enum: ['waiting', 'sent', 'failed'] })
      .notNull()
      .default('waiting'),
    error: text(),
    /** The message in the chat of the engineering team, if its webhook answers with that. */
    message_reference: jsonb().$type<MessageReference>(),
    ...work,
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('service_request_notices_key').on(t.workspace_id, t.request_id, t.request_version, t.recipient),
    ...dueIndexes('service_request_notices', t, t.id),
    reference(t.request_id, serviceRequests, 'cascade'),
  ],
)

/**
 * The vector of a request, as soon as there is one: `model` is null until then. A table of its own keeps the pages of requests small, and
 * vectors are compared exactly, workspace by workspace: an index over all workspaces would miss most of a small one.
 */
export const serviceRequestVectors = pgTable(
  'service_request_vectors',
  {
    ...tenant,
    /** That of the request. */
    id: uuid().notNull(),
    model: text(),
    embedding: halfvec({ dimensions: 1024 }),
    error: text(),
    ...work,
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('service_request_vectors_by_model').on(t.workspace_id, t.model, t.id),
    check('service_request_vectors_model', sql`(model is null) = (embedding is null)`),
    ...dueIndexes('service_request_vectors', t, t.id),
    reference(t.id, serviceRequests, 'cascade'),
  ],
)
