import * as v from 'valibot'
import { approvals } from '../schema/index.ts'
import { APPROVAL_STATUSES } from '../src/domain/access.ts'
import { group } from '../src/http/endpoint.ts'
import { resource } from '../src/http/resource.ts'
import { Approval, Approve, Event, Reject } from '../src/schemas/approvals.ts'
import { about, Enum, Id, pageQuery, SingleLine } from '../src/schemas/fields.ts'
import { approve, getApproval, getEvent, listEvents, reject } from '../src/services/requests/approvals.ts'

export const approvalsApi = group('/approvals', 'Approvals')
export const eventsApi = group('/events', 'Events')

const params = v.object({ approval_id: Id })

resource(approvalsApi, {
  name: 'approval',
  plural: 'approvals',
  table: approvals,
  returns: Approval,
  body: {},
  sorts: ['created_at'],
  only: ['list', 'history'],
  filters: {
    status: v.optional(Enum(APPROVAL_STATUSES)),
    resource: v.optional(about(SingleLine(60), 'The first part of the path, such as contacts.', 'contacts')),
    requested_by: v.optional(about(Id, 'The user whose key made the request.')),
  },
})
approvalsApi.get(
  '/:approval_id',
  {
    id: 'getApproval',
    summary: 'Get an approval with the changes it would make',
    scopes: ['approvals:read'],
    params,
    returns: Approval,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getApproval(params.approval_id),
)
approvalsApi.post(
  '/:approval_id/approve',
  {
    id: 'approveRequest',
    summary: 'Approve a request',
    description:
      'It then runs once, as the key that made it; its answer is kept in response_status and response_body. A key revoked or narrowed since then makes it fail.',
    scopes: ['approvals:write'],
    direct: true,
    params,
    body: Approve,
    returns: Approval,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'APPROVAL_STALE'],
  },
  ({ params, body }) => approve(params.approval_id, body),
)
approvalsApi.post(
  '/:approval_id/reject',
  {
    id: 'rejectRequest',
    summary: 'Reject a request',
    scopes: ['approvals:write'],
    direct: true,
    params,
    body: Reject,
    returns: Approval,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
  },
  ({ params, body }) => reject(params.approval_id, body.reason),
)

eventsApi.get(
  '',
  {
    id: 'listEvents',
    summary: 'List events, newest first',
    description: 'Every change and what follows from it, as listeners get it. Delivered events are kept for 30 days.',
    scopes: ['events:read'],
    returns: Event,
    list: true,
    query: v.strictObject({
      ...pageQuery,
      type: v.optional(about(SingleLine(80), 'Such as contact.created.', 'contact.created')),
      entity_id: v.optional(Id),
      request_id: v.optional(Id),
    }),
  },
  ({ query }) => listEvents(query),
)
eventsApi.get(
  '/:event_id',
  {
    id: 'getEvent',
    summary: 'Get an event',
    scopes: ['events:read'],
    params: v.object({ event_id: Id }),
    returns: Event,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getEvent(params.event_id),
)
