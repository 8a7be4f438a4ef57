import { index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { REQUEST_QUEUES, REQUEST_STATUSES, REQUEST_TYPES } from '../src/features/service-requests/rules/requests.ts'
import { PRIORITIES } from '../src/features/tasks/rules/tasks.ts'
import { identity, instant } from './columns.ts'

/**
 * The service requests of the clients that an agency looks after, as the agency sees them. Triggers of the requests keep the rows, which
 * are the agency's; they go when the agency no longer looks after the client.
 */
export const agencyRequests = pgTable(
  'agency_requests',
  {
    ...identity,
    client_id: uuid().notNull(),
    title: text().notNull(),
    description: text(),
    type: text({ enum: REQUEST_TYPES }).notNull(),
    priority: text({ enum: PRIORITIES }).notNull(),
    status: text({ enum: REQUEST_STATUSES }).notNull(),
    queue: text({ enum: REQUEST_QUEUES }).notNull(),
    note_count: integer().notNull().default(0),
    last_note_at: instant(),
    created_at: instant().notNull(),
    updated_at: instant().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('agency_requests_by_created').on(t.workspace_id, t.created_at, t.id),
    index('agency_requests_by_status').on(t.workspace_id, t.status, t.created_at, t.id),
    index('agency_requests_by_client').on(t.workspace_id, t.client_id, t.created_at, t.id),
    index('agency_requests_by_client_status').on(t.workspace_id, t.client_id, t.status, t.created_at, t.id),
  ],
)
