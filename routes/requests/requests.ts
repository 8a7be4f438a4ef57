import { Hono } from 'hono'
import * as v from 'valibot'
import { getRequest, listRequestChanges, listRequests } from '../../src/features/requests/plans/requests.ts'
import { RequestLogEntry, RequestReport, requestQuery } from '../../src/features/requests/schemas/requests.ts'
import { listOf, scopes } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Change } from '../../src/schemas/common.ts'
import { Id, pageQuery } from '../../src/schemas/fields.ts'
import { WORKSPACE } from '../paths.ts'

export const requestsRouter = new Hono<App>()
export const requestsApi = endpoints(requestsRouter, { path: WORKSPACE.requests, tag: 'Requests' })

const params = v.object({ request_id: Id })
const VALUES = 'Changes of records that the key may not read (such as contacts without `contacts:read`) have field names without values.'

requestsApi.get(
  '',
  {
    id: 'listRequests',
    summary: 'List requests, newest first',
    description: 'Lists the requests of all keys of the workspace in the last 30 days, including refused ones.',
    access: scopes('requests:read'),
    query: requestQuery,
    returns: listOf(RequestLogEntry),
  },
  ({ query }) => listRequests(query),
)
requestsApi.get(
  '/:request_id',
  {
    id: 'getRequest',
    summary: 'Get a request',
    description:
      'Identifies the request by the X-Request-Id of its response, and returns the caller, the outcome, the changes and the events. ' +
      `Writes are available immediately, all other requests after a few seconds. ${VALUES}`,
    access: scopes('requests:read'),
    params,
    returns: RequestReport,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getRequest(params.request_id),
)
requestsApi.get(
  '/:request_id/changes',
  {
    id: 'listRequestChanges',
    summary: "List a request's changes, in order",
    description: VALUES,
    access: scopes('requests:read'),
    params,
    query: v.strictObject(pageQuery),
    returns: listOf(Change),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listRequestChanges(params.request_id, query),
)
