import { Hono } from 'hono'
import * as v from 'valibot'
import { incomingWebhooks } from '../../schema/index.ts'
import {
  createIncoming,
  deleteIncoming,
  getRequest,
  incomingFields,
  listRequests,
  receive,
  retryRequest,
  rotateToken,
  tokenHolder,
  updateIncoming,
} from '../../src/features/webhooks/plans/incoming.ts'
import { MAX_INCOMING_BODY } from '../../src/features/webhooks/rules/states.ts'
import {
  INCOMING_LIMIT,
  IncomingRequest,
  IncomingRequestDetails,
  IncomingWebhook,
  IncomingWebhookPatch,
  IssuedIncomingWebhook,
  incomingQuery,
  NewIncomingWebhook,
  ReceivedRequest,
} from '../../src/features/webhooks/schemas/incoming-webhooks.ts'
import { jsonOrForm } from '../../src/http/json-or-form.ts'
import { created, listOf, raw, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Deleted } from '../../src/schemas/common.ts'
import { Id } from '../../src/schemas/fields.ts'
import { WORKSPACE } from '../paths.ts'

export const incomingWebhooksRouter = new Hono<App>()
export const incomingWebhooksApi = endpoints(incomingWebhooksRouter, { path: WORKSPACE.incomingWebhooks, tag: 'Webhooks' })
export const hooksRouter = new Hono<App>()
export const hooksApi = endpoints(hooksRouter, { path: WORKSPACE.hooks, tag: 'Webhooks' })

const params = v.object({ incoming_webhook_id: Id })
const ofRequest = v.object({ incoming_webhook_id: Id, request_id: Id })
/** Secrets are sent or shown, so these calls never wait for approval. */
const direct = { ...scopes('webhooks:write'), direct: true }
const RIGHTS =
  'What it does has the rights of the key that created or last changed it, is subject to the approval policies, and is refused when ' +
  'the key is no longer valid.'

resource(incomingWebhooksApi, {
  name: 'incoming_webhook',
  plural: 'incoming-webhooks',
  scope: 'webhooks',
  table: incomingWebhooks,
  returns: IncomingWebhook,
  computed: incomingFields,
  list: {},
  get: {},
  history: true,
})
incomingWebhooksApi.post(
  '',
  {
    id: 'createIncomingWebhook',
    summary: 'Create an incoming webhook',
    description: `Other systems send to the path in the response, which is shown only there. ${RIGHTS}`,
    access: direct,
    body: NewIncomingWebhook,
    returns: created(IssuedIncomingWebhook),
    errors: ['CONFLICT'],
  },
  ({ ctx, body }) => createIncoming(ctx, body),
)
incomingWebhooksApi.patch(
  '/:incoming_webhook_id',
  {
    id: 'updateIncomingWebhook',
    summary: 'Update an incoming webhook',
    description: RIGHTS,
    access: direct,
    params,
    body: IncomingWebhookPatch,
    returns: IncomingWebhook,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => updateIncoming(ctx, params.incoming_webhook_id, body),
)
incomingWebhooksApi.delete(
  '/:incoming_webhook_id',
  {
    id: 'deleteIncomingWebhook',
    summary: 'Delete an incoming webhook',
    description: 'Its path no longer works. It cannot be restored, because its token is erased.',
    access: scopes('webhooks:delete'),
    params,
    returns: Deleted,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => deleteIncoming(ctx, params.incoming_webhook_id),
)
incomingWebhooksApi.post(
  '/:incoming_webhook_id/rotate-token',
  {
    id: 'rotateIncomingWebhookToken',
    summary: "Rotate an incoming webhook's token",
    description:
      'The former path stops working immediately. The new one is shown only in this response. ' +
      'It needs the scopes of what the webhook does.',
    access: direct,
    params,
    returns: IssuedIncomingWebhook,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => rotateToken(ctx, params.incoming_webhook_id),
)
incomingWebhooksApi.get(
  '/:incoming_webhook_id/requests',
  {
    id: 'listIncomingWebhookRequests',
    summary: 'List the requests to an incoming webhook',
    description: 'The log of the last 30 days, newest first, with the outcome of each request.',
    access: scopes('webhooks:read'),
    params,
    query: incomingQuery,
    returns: listOf(IncomingRequest),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listRequests(params.incoming_webhook_id, query),
)
incomingWebhooksApi.get(
  '/:incoming_webhook_id/requests/:request_id',
  {
    id: 'getIncomingWebhookRequest',
    summary: 'Get a request to an incoming webhook',
    description: 'With its payload, as a sample for the mapping.',
    access: scopes('webhooks:read'),
    params: ofRequest,
    returns: IncomingRequestDetails,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getRequest(params.incoming_webhook_id, params.request_id),
)
incomingWebhooksApi.post(
  '/:incoming_webhook_id/requests/:request_id/retry',
  {
    id: 'retryIncomingWebhookRequest',
    summary: 'Process a failed request to an incoming webhook again',
    description: 'With the webhook as it is now, within a minute.',
    access: scopes('webhooks:write'),
    params: ofRequest,
    returns: IncomingRequest,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
  },
  ({ params }) => retryRequest(params.incoming_webhook_id, params.request_id),
)

hooksApi.post(
  '/:token',
  {
    id: 'receiveWebhook',
    summary: 'Send to an incoming webhook',
    description:
      `${INCOMING_LIMIT} The request is stored and answered at once, and processed within seconds. ` +
      'A request with the id of an earlier one (the header webhook-id or Idempotency-Key, or id_path of the webhook) is stored once. ' +
      'A webhook with a secret needs a signature, either of Standard Webhooks (webhook-id, webhook-timestamp and webhook-signature, ' +
      'at most five minutes old) or of the body alone. A signed request that is sent again is a duplicate: it is recognised by ' +
      'id_path, its webhook-id or its body. The limit is 100 requests in 10 seconds for each token.',
    access: { ...scopes('webhooks:write'), principal: ({ url }) => tokenHolder(url) },
    params: v.object({ token: v.pipe(v.string(), v.description('The token of the webhook.'), v.examples(['3f1b2c'])) }),
    body: raw(jsonOrForm),
    returns: ReceivedRequest,
    errors: ['UNAUTHENTICATED', 'UNSUPPORTED_MEDIA_TYPE'],
    limits: { body: MAX_INCOMING_BODY },
  },
  ({ ctx, params, body }) => receive(ctx, params.token, body),
)
