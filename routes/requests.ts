import * as v from 'valibot'
import { group } from '../src/http/endpoint.ts'
import { Change } from '../src/schemas/common.ts'
import { Id, pageQuery } from '../src/schemas/fields.ts'
import { RequestLogEntry, RequestReport, requestQuery } from '../src/schemas/requests.ts'
import { getRequest, listRequestChanges, listRequests } from '../src/services/requests/requests.ts'

export const requestsApi = group('/requests', 'Requests')

const params = v.object({ request_id: Id })

requestsApi.get(
  '',
  {
    id: 'listRequests',
    summary: 'List requests, newest first',
    description: 'All that keys of the workspace asked, refused requests too, for 30 days.',
    scopes: ['requests:read'],
    query: requestQuery,
    returns: RequestLogEntry,
    list: true,
  },
  ({ query }) => listRequests(query),
)
requestsApi.get(
  '/:request_id',
  {
    id: 'getRequest',
    summary: 'Get a request',
    description:
      'By the X-Request-Id of its answer: who asked, how it ended, what it changed and which events came of it. A write is there at once, all others in a few seconds.',
    scopes: ['requests:read'],
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
    scopes: ['requests:read'],
    params,
    query: v.strictObject(pageQuery),
    returns: Change,
    list: true,
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listRequestChanges(params.request_id, query),
)
