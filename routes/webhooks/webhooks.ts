import { Hono } from 'hono'
import * as v from 'valibot'
import { webhooks } from '../../schema/index.ts'
import { getDelivery, listDeliveries, replayDelivery, replayRange, testWebhook } from '../../src/features/webhooks/plans/deliveries.ts'
import { getSample } from '../../src/features/webhooks/plans/samples.ts'
import {
  createWebhook,
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  rotateSecret,
  subscribe,
  updateWebhook,
  webhookFields,
} from '../../src/features/webhooks/plans/webhooks.ts'
import { MAX_REPLAYED, MAX_WEBHOOKS } from '../../src/features/webhooks/rules/states.ts'
import {
  deliveryQuery,
  IssuedWebhook,
  NewWebhook,
  ReplayRange,
  RestHook,
  sampleParams,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryDetails,
  WebhookPatch,
  WebhookPayload,
} from '../../src/features/webhooks/schemas/webhooks.ts'
import { created, listOf, scopes } from '../../src/http/modes.ts'
import { exampleOf } from '../../src/http/openapi/examples.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Deleted } from '../../src/schemas/common.ts'
import { Id } from '../../src/schemas/fields.ts'
import { WORKSPACE } from '../paths.ts'

export const webhooksRouter = new Hono<App>()
export const webhooksApi = endpoints(webhooksRouter, { path: WORKSPACE.webhooks, tag: 'Webhooks' })

const params = v.object({ webhook_id: Id })
const ofDelivery = v.object({ webhook_id: Id, delivery_id: Id })
const write = scopes('webhooks:write')
/** Secrets are shown in the response, so these calls never wait for approval. */
const direct = { ...write, direct: true }
const RIGHTS =
  'A webhook has the rights of the key that created it, or last changed or enabled it: it receives the events of records that this key ' +
  'may read, and is disabled when the key is revoked or expires, or its owner leaves.'

resource(webhooksApi, {
  name: 'webhook',
  plural: 'webhooks',
  table: webhooks,
  returns: Webhook,
  computed: webhookFields,
  list: {},
  get: {},
  update: {
    body: WebhookPatch,
    description: `Changes apply to the events that happen from then on. ${RIGHTS}`,
    plan: updateWebhook,
  },
  history: true,
})
webhooksApi.post(
  '',
  {
    id: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'Events are sent from then on, each as a POST that is signed as Standard Webhooks defines it, with the event as GET /events ' +
      'returns it. A status of 2xx within 15 seconds accepts an event. Otherwise it is sent again with the same webhook-id, ' +
      'ten times within three days. The secret is returned only in this response. ' +
      `A workspace has at most ${MAX_WEBHOOKS} webhooks. ${RIGHTS}`,
    access: direct,
    body: NewWebhook,
    returns: created(IssuedWebhook),
    errors: ['CONFLICT'],
  },
  ({ ctx, body }) => createWebhook(ctx, body),
)
webhooksApi.delete(
  '/:webhook_id',
  {
    id: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Pending deliveries are not sent. The webhook cannot be restored, because its secret is erased.',
    access: scopes('webhooks:delete'),
    params,
    returns: Deleted,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => deleteWebhook(ctx, params.webhook_id),
)
webhooksApi.post(
  '/:webhook_id/test',
  {
    id: 'testWebhook',
    summary: 'Send a test to a webhook',
    description: 'Sends an event of the type webhook.test. The delivery shows the outcome.',
    access: write,
    params,
    returns: WebhookDelivery,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
  },
  ({ params }) => testWebhook(params.webhook_id),
)
webhooksApi.post(
  '/:webhook_id/rotate-secret',
  {
    id: 'rotateWebhookSecret',
    summary: "Rotate a webhook's secret",
    description:
      'The new secret is returned only in this response. For 24 hours every delivery has a signature with each secret; rotating again ' +
      `ends the one before. ${RIGHTS}`,
    access: direct,
    params,
    returns: IssuedWebhook,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => rotateSecret(ctx, params.webhook_id),
)
webhooksApi.post(
  '/:webhook_id/enable',
  {
    id: 'enableWebhook',
    summary: 'Enable a webhook',
    description:
      'Deliveries that were pending when it was disabled continue. Events that happened meanwhile are not, until a replay ' +
      `from disabled_at. ${RIGHTS}`,
    access: write,
    params,
    returns: Webhook,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => enableWebhook(ctx, params.webhook_id),
)
webhooksApi.get(
  '/:webhook_id/deliveries',
  {
    id: 'listWebhookDeliveries',
    summary: 'List the deliveries of a webhook',
    description: 'The log of the last 30 days, newest first.',
    access: scopes('webhooks:read'),
    params,
    query: deliveryQuery,
    returns: listOf(WebhookDelivery),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listDeliveries(params.webhook_id, query),
)
webhooksApi.get(
  '/:webhook_id/deliveries/:delivery_id',
  {
    id: 'getWebhookDelivery',
    summary: 'Get a delivery of a webhook',
    description: 'With every attempt, what is sent, and the last response.',
    access: scopes('webhooks:read'),
    params: ofDelivery,
    returns: WebhookDeliveryDetails,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getDelivery(params.webhook_id, params.delivery_id),
)
webhooksApi.post(
  '/:webhook_id/deliveries/:delivery_id/replay',
  {
    id: 'replayWebhookDelivery',
    summary: 'Send a delivery of a webhook again',
    description: 'Sends the event as a new delivery with the same webhook-id, so that a receiver that has it already can ignore it.',
    access: write,
    params: ofDelivery,
    returns: WebhookDelivery,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
  },
  ({ params }) => replayDelivery(params.webhook_id, params.delivery_id),
)
webhooksApi.post(
  '/:webhook_id/replay',
  {
    id: 'replayWebhook',
    summary: 'Send the events of a time range to a webhook again',
    description:
      `Sends events of the last 30 days that the webhook receives, also those from while it was disabled, at most ${MAX_REPLAYED}. ` +
      'replay_id is null again when all of them are deliveries. A webhook has one replay at a time.',
    access: write,
    params,
    body: ReplayRange,
    returns: Webhook,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'CURSOR_EXPIRED'],
  },
  ({ ctx, params, body }) => replayRange(ctx, params.webhook_id, body),
)
webhooksApi.post(
  '/:webhook_id/disable',
  {
    id: 'disableWebhook',
    summary: 'Disable a webhook',
    description: 'Nothing is sent until it is enabled again. Disabling it again changes nothing.',
    access: write,
    params,
    returns: Webhook,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => disableWebhook(ctx, params.webhook_id),
)
webhooksApi.post(
  '/subscribe',
  {
    id: 'subscribeWebhook',
    summary: 'Subscribe a REST hook',
    description: 'Creates a webhook for one event type, in the form that integration platforms such as Zapier, Make and n8n use.',
    access: direct,
    body: RestHook,
    returns: created(IssuedWebhook),
    errors: ['CONFLICT'],
  },
  ({ ctx, body }) => subscribe(ctx, body),
)
webhooksApi.delete(
  '/subscribe/:rest_hook_id',
  {
    id: 'unsubscribeWebhook',
    summary: 'Unsubscribe a REST hook',
    description: 'Deletes the webhook.',
    access: scopes('webhooks:delete'),
    params: v.object({ rest_hook_id: Id }),
    returns: Deleted,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => deleteWebhook(ctx, params.rest_hook_id),
)
webhooksApi.get(
  '/samples/:event_type',
  {
    id: 'getWebhookSample',
    summary: 'Get a sample of what a webhook receives',
    access: scopes('webhooks:read'),
    params: sampleParams,
    returns: WebhookPayload,
  },
  ({ params }) => getSample(params.event_type, (schema) => exampleOf(schema, {})),
)
