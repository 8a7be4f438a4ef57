import { Hono } from 'hono'
import * as v from 'valibot'
import { getOutgoing, listOutgoing, requestOutgoing } from '../../src/features/webhooks/plans/outgoing.ts'
import { MAX_OUTGOING_ATTEMPTS } from '../../src/features/webhooks/rules/outgoing.ts'
import { NewOutgoingRequest, OutgoingRequest, outgoingFilters } from '../../src/features/webhooks/schemas/outgoing-requests.ts'
import { created, listOf, scopes } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id, pageQuery } from '../../src/schemas/fields.ts'
import { WORKSPACE } from '../paths.ts'

export const outgoingRequestsRouter = new Hono<App>()
export const outgoingRequestsApi = endpoints(outgoingRequestsRouter, { path: WORKSPACE.outgoingRequests, tag: 'Webhooks' })

outgoingRequestsApi.get(
  '',
  {
    id: 'listOutgoingRequests',
    summary: 'List requests to other services, newest first',
    description: 'The log of the last 30 days. Headers and bodies that were sent are not kept.',
    access: scopes('webhooks:read'),
    query: v.strictObject({ ...pageQuery, ...outgoingFilters }),
    returns: listOf(OutgoingRequest),
  },
  ({ query }) => listOutgoing(query),
)
outgoingRequestsApi.post(
  '',
  {
    id: 'sendOutgoingRequest',
    summary: 'Send a request to another service',
    description:
      'Stores a request to a public web address, which is sent at once, with its id as Idempotency-Key. Redirects are not followed. ' +
      'Without a response within 15 seconds, or after a status of 5xx, 408, 425 or 429, it is sent again with the same key, ' +
      `${MAX_OUTGOING_ATTEMPTS} times in all.`,
    access: scopes('webhooks:write'),
    body: NewOutgoingRequest,
    returns: created(OutgoingRequest),
  },
  ({ ctx, body }) => requestOutgoing(ctx, body),
)
outgoingRequestsApi.get(
  '/:outgoing_request_id',
  {
    id: 'getOutgoingRequest',
    summary: 'Get a request to another service',
    access: scopes('webhooks:read'),
    params: v.object({ outgoing_request_id: Id }),
    returns: OutgoingRequest,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getOutgoing(params.outgoing_request_id),
)
