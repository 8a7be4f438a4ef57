import { type JsonSchema, ref } from './schemas.ts'

/** The name of an operation for an event type: `onContactCreated` for `contact.created`. */
const idOf = (type: string) => `on${type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}`

/**
 * What outgoing webhooks receive, by event type (the section `webhooks` of OpenAPI 3.1). All have one form; GET
 * /webhooks/samples/{event_type} shows each.
 */
export const webhooksOf = (types: readonly string[]): Record<string, JsonSchema> =>
  Object.fromEntries(
    types.map((type) => [
      type,
      {
        post: {
          operationId: idOf(type),
          tags: ['Webhooks'],
          summary: `The event ${type}`,
          security: [],
          requestBody: { required: true, content: { 'application/json': { schema: ref('WebhookPayload') } } },
          responses: {
            '2XX': { description: 'Received. Anything else, and no response within the time limit, is sent again.' },
            '4XX': { description: 'Not received: it is sent again. 410 disables the webhook.' },
          },
        },
      },
    ]),
  )
