import * as v from 'valibot'
import { faultInEventTypes } from '../../../domain/events.ts'
import { named, timestamps } from '../../../schemas/common.ts'
import { Bool, describe, Enum, Id, Instant, InstantOut, Multiline, optional, pageQuery, SingleLine, Url } from '../../../schemas/fields.ts'
import { Scopes } from '../../../schemas/scopes.ts'
import { EventType } from '../../events/schemas/events.ts'
import { faultsInEventFilter } from '../rules/filter.ts'
import { DELIVERY_STATES, DISABLED_REASONS, MAX_REPLAYED, WEBHOOK_SOURCES, WEBHOOK_STATUSES } from '../rules/states.ts'

const MAX_TYPES = 100
const MAX_FILTER = 10_000
const SAMPLE_URL = 'https://example.com/hooks/crm'

const EventName = v.pipe(
  v.string('must be an event type, such as contact.created'),
  v.check(
    (name) => name === '*' || (!name.includes(',') && faultInEventTypes(name) === undefined),
    ({ input }) => faultInEventTypes(input) ?? 'must be one event type',
  ),
  v.description('An event type, `contact.*` for every event of contacts, or `*` for every event.'),
  v.examples(['contact.created']),
)
const EventNames = v.pipe(
  v.array(EventName, 'must be a list of event types'),
  v.minLength(1, 'must contain at least one event type'),
  v.maxLength(MAX_TYPES, `must have at most ${MAX_TYPES} entries`),
  v.description(
    'The event types that it receives: `contact.created`, `contact.*` for every event of contacts, or `*`. See GET /event-types.',
  ),
  v.examples([['contact.*', 'opportunity.won']]),
  v.transform((names) => [...new Set(names)]),
)

const FILTER =
  'Only events for which this holds: `{"field", "op", "value"}`, or `{"all": […]}`, `{"any": […]}` and `{"not": …}` of those, ' +
  'as in searches. A field is `payload.<field>`, `changes.<field>` (the value after the change), `changes.<field>.before`, `type`, ' +
  '`entity`, `entity_id`, `user_id`, `key_id` or `cause_type`. The operators are eq, not_eq, in, not_in, contains, not_contains, ' +
  'starts_with, lt, lte, gt, gte, is_empty and is_not_empty. Text is compared without case, and a list equals each of its entries. ' +
  'An event without the field has no value there.'

const StoredEventFilter = v.pipe(
  v.custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be a filter: an object',
  ),
  v.check((filter) => JSON.stringify(filter).length <= MAX_FILTER, `must be at most ${MAX_FILTER} characters of JSON`),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const [fault] = faultsInEventFilter(dataset.value)
    if (fault) addIssue({ message: fault.path === '' ? fault.message : `${fault.path.slice(1)} ${fault.message}` })
  }),
  v.metadata({ type: 'object', additionalProperties: true }),
  v.description(FILTER),
  v.examples([{ field: 'payload.city', op: 'eq', value: 'Newcastle' }]),
)

const changeable = {
  url: describe(Url, 'Where the events are sent: a public address with http or https. Redirects are not followed.', SAMPLE_URL),
  description: optional(describe(Multiline(2000), 'What the webhook is for.', 'Keeps the warehouse up to date.')),
  event_types: EventNames,
  filter: describe(optional(StoredEventFilter), FILTER),
  ordered: v.optional(
    describe(
      Bool,
      'Whether the events of a record are sent one after the other: a later one waits until the earlier one was accepted or has failed ' +
        'for good. Defaults to false.',
      false,
    ),
  ),
  scopes: describe(
    optional(Scopes),
    'Rights that limit its events further, such as contacts:read. By default those of the key alone. Events of other records are not sent.',
  ),
}
export const NewWebhook = v.strictObject(changeable)
export type NewWebhook = v.InferOutput<typeof NewWebhook>
export const WebhookPatch = v.partial(v.strictObject(changeable))
export type WebhookPatch = v.InferOutput<typeof WebhookPatch>

const instant = v.nullable(InstantOut)
const whole = v.pipe(v.number(), v.integer(), v.minValue(0))

export const Webhook = named(
  'Webhook',
  v.object({
    id: Id,
    url: v.pipe(v.string(), v.description('Where the events are sent.'), v.examples([SAMPLE_URL])),
    description: v.nullable(v.string()),
    event_types: v.pipe(v.array(v.string()), v.description('The event types and prefixes that it receives.'), v.examples([['contact.*']])),
    filter: v.pipe(v.nullable(v.record(v.string(), v.unknown())), v.description('What must hold for an event.'), v.examples([null])),
    ordered: v.pipe(v.boolean(), v.description('Whether the events of a record are sent one after the other.')),
    scopes: v.pipe(v.nullable(v.array(v.string())), v.examples([null])),
    status: Enum(WEBHOOK_STATUSES, 'A disabled webhook receives no events.'),
    disabled_reason: v.pipe(
      v.nullable(v.picklist(DISABLED_REASONS)),
      v.description(
        '`request`: by a call; `gone`: its receiver returned 410; `failing`: no delivery succeeded for five days; `key_invalid`: ' +
          'its key was revoked or has expired, or its owner has left.',
      ),
      v.examples([null]),
    ),
    disabled_at: v.pipe(instant, v.examples([null])),
    source: v.pipe(v.picklist(WEBHOOK_SOURCES), v.description('`rest_hook`: it was created by POST /webhooks/subscribe.')),
    key_id: v.pipe(Id, v.description('The key whose rights it has: that of the last call that created, changed or enabled it.')),
    previous_expires_at: v.pipe(
      instant,
      v.description('Until when the secret from before the last rotation signs too; null if it does not.'),
      v.examples([null]),
    ),
    failing_since: v.pipe(instant, v.description('The first failure since the last success.'), v.examples([null])),
    last_delivered_at: v.pipe(instant, v.examples([null])),
    last_failed_at: v.pipe(instant, v.examples([null])),
    replay_id: v.pipe(v.nullable(Id), v.description('The replay under way.'), v.examples([null])),
    ...timestamps,
  }),
)
export type Webhook = v.InferOutput<typeof Webhook>

export const IssuedWebhook = named(
  'IssuedWebhook',
  v.object({
    ...Webhook.entries,
    secret: v.pipe(
      v.nullable(v.string()),
      v.description('The secret that signs, `whsec_` and base64. It is shown only once: null when the request is replayed.'),
    ),
  }),
)

export const deliveryQuery = v.strictObject({
  ...pageQuery,
  state: v.optional(Enum(DELIVERY_STATES, 'Only deliveries in this state.')),
})

const delivery = {
  id: Id,
  webhook_id: Id,
  event_id: v.pipe(v.nullable(Id), v.description('The event, which is also the webhook-id of every attempt; null for a test.')),
  event_type: v.pipe(v.string(), v.description('The type of the event, or webhook.test.'), v.examples(['contact.created'])),
  record_id: v.pipe(v.nullable(Id), v.description('The record of the event; null for a test.')),
  is_replay: v.pipe(v.boolean(), v.description('Whether the event was sent again.')),
  state: Enum(
    DELIVERY_STATES,
    '`delivered`: the receiver returned 2xx; `failed`: not within ten attempts; `skipped`: the event was erased or may no longer be read.',
  ),
  attempts: v.pipe(whole, v.description('How often it was sent.'), v.examples([1])),
  next_attempt_at: v.pipe(
    instant,
    v.description('When it is tried again; null if it waits for an earlier event of the record, or has ended.'),
  ),
  created_at: InstantOut,
  ended_at: instant,
}
export const WebhookDelivery = named('WebhookDelivery', v.object(delivery))
export type WebhookDelivery = v.InferOutput<typeof WebhookDelivery>

const Headers = v.pipe(v.record(v.string(), v.string()), v.description('Headers by their names in lower case.'))
export const WebhookDeliveryDetails = named(
  'WebhookDeliveryDetails',
  v.object({
    ...delivery,
    log: v.pipe(
      v.array(
        v.object({
          at: InstantOut,
          status: v.nullable(whole),
          error: v.nullable(v.string()),
          duration: v.pipe(whole, v.description('In milliseconds.')),
        }),
      ),
      v.description('The attempts, the oldest first.'),
    ),
    request: v.pipe(
      v.object({ headers: Headers, body: v.nullable(v.string()) }),
      v.description('What is sent, as the key of this call may read it. The signature is left out.'),
    ),
    response: v.pipe(
      v.nullable(
        v.object({
          status: whole,
          headers: Headers,
          body: v.string(),
          truncated: v.pipe(v.boolean(), v.description('Whether the body was longer.')),
        }),
      ),
      v.description('The response to the last attempt: its first 2,000 characters, and some headers.'),
      v.examples([null]),
    ),
  }),
)

export const ReplayRange = v.pipe(
  v.strictObject({
    after: v.optional(
      describe(SingleLine(2000), 'A cursor of the feed, such as that of the last delivery that arrived: events after it are sent.'),
    ),
    from: v.optional(describe(Instant, 'Events from this time on are sent. Send this or after.', '2026-11-20T00:00:00Z')),
    to: v.optional(describe(Instant, 'Only events before this time. By default up to now.', '2026-11-21T00:00:00Z')),
  }),
  v.check(
    ({ after, from }) => (after === undefined) !== (from === undefined),
    `Send either after or from: where the replay begins. It sends at most ${MAX_REPLAYED} events`,
  ),
  v.examples([{ from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' }]),
)
export type ReplayRange = v.InferOutput<typeof ReplayRange>

export const RestHook = v.strictObject({
  target_url: describe(Url, 'Where the events are sent.', 'https://hooks.example.com/hooks/standard/1/abc'),
  event: describe(EventName, 'The event type.', 'contact.created'),
})
export type RestHook = v.InferOutput<typeof RestHook>

export const WebhookPayload = named(
  'WebhookPayload',
  v.object({
    type: EventType,
    timestamp: InstantOut,
    data: v.pipe(v.record(v.string(), v.unknown()), v.description('The event, as GET /events returns it.')),
    cursor: v.pipe(
      v.nullable(v.string()),
      v.description(
        'The cursor of the feed behind this event. GET /events?order=asc&after=… with the cursor of an earlier delivery lists what ' +
          'came after it, which shows whether anything is missing.',
      ),
    ),
  }),
)
export type WebhookPayload = v.InferOutput<typeof WebhookPayload>
export const sampleParams = v.object({
  event_type: v.pipe(
    v.string(),
    v.check(
      (name) => !/[*,]/.test(name) && faultInEventTypes(name) === undefined,
      ({ input }) => faultInEventTypes(input) ?? 'must be one event type',
    ),
    v.description('The event type.'),
    v.examples(['contact.created']),
  ),
})
