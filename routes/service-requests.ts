import { Hono } from 'hono'
import * as v from 'valibot'
import { serviceRequests } from '../schema/index.ts'
import { computed } from '../src/features/service-requests/plans/columns.ts'
import { searchServiceRequests } from '../src/features/service-requests/plans/search.ts'
import { createServiceRequest, linkServiceRequests, serviceRequestThread } from '../src/features/service-requests/plans/service-requests.ts'
import {
  CreatedServiceRequest,
  NewServiceRequest,
  NewServiceRequestNote,
  ServiceRequest,
  ServiceRequestHit,
  ServiceRequestLinks,
  ServiceRequestNote,
  ServiceRequestPatch,
  ServiceRequestQuery,
  serviceRequestFilters,
} from '../src/features/service-requests/schemas/service-requests.ts'
import { children } from '../src/http/children.ts'
import { created, one, scopes } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Id } from '../src/schemas/fields.ts'
import { SERVICE_REQUEST } from './parents.ts'
import { WORKSPACE } from './paths.ts'

export const serviceRequestsRouter = new Hono<App>()
export const serviceRequestsApi = endpoints(serviceRequestsRouter, { path: WORKSPACE.serviceRequests, tag: 'Service Requests' })

serviceRequestsApi.post(
  '/search',
  {
    id: 'searchServiceRequests',
    summary: 'Search service requests by what they are about',
    description:
      'Requests of the workspace are compared with the query by their vectors, and returned by cosine similarity, ' +
      'whatever words they use. Those ' +
      'that have no vector yet are found by words and come last, with a warning.',
    access: scopes('service-requests:read'),
    effect: 'read',
    body: ServiceRequestQuery,
    returns: one(v.array(ServiceRequestHit)),
  },
  ({ ctx, body }) => searchServiceRequests(ctx, body),
)
serviceRequestsApi.post(
  '',
  {
    id: 'createServiceRequest',
    summary: 'Create a service request',
    description:
      'The engineering team is notified once. A request that is named in related_ids becomes related to the new one too. ' +
      'The response names similar requests, which may already have the answer.',
    access: scopes('service-requests:write'),
    body: NewServiceRequest,
    returns: created(CreatedServiceRequest),
  },
  ({ ctx, body }) => createServiceRequest(ctx, body),
)
resource(serviceRequestsApi, {
  name: 'service_request',
  plural: 'service_requests',
  scope: 'service-requests',
  table: serviceRequests,
  returns: ServiceRequest,
  computed,
  list: { filters: serviceRequestFilters, description: 'With the whole threads of notes, the latest request first.' },
  get: { description: 'With its notes, its context, and the message about it in the chat of the engineering team.' },
  update: {
    description: 'The requester is notified by email. The status changes only as its table of transitions allows.',
    body: ServiceRequestPatch,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  history: true,
})
children(serviceRequestsApi, {
  parent: SERVICE_REQUEST,
  path: '/notes',
  name: 'note',
  key: 'note_id',
  rows: serviceRequestThread,
  returns: ServiceRequestNote,
  get: {},
  create: { description: 'The note is written by the owner of the key. It does not change the status.', body: NewServiceRequestNote },
  update: {
    description: 'Only the author may edit a note, which then has edited_at. The status does not change.',
    body: NewServiceRequestNote,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'PRECONDITION_FAILED'],
  },
})
serviceRequestsApi.post(
  '/:service_request_id/links',
  {
    id: 'linkServiceRequests',
    summary: 'Relate a service request to others, or end that',
    description:
      'A relation has no direction: both requests name each other. Adding one again, or removing one that is not there, changes nothing.',
    access: scopes('service-requests:write'),
    params: v.object({ service_request_id: Id }),
    body: ServiceRequestLinks,
    returns: one(ServiceRequest),
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => linkServiceRequests(ctx, params.service_request_id, body),
)
