import * as v from 'valibot'
import {
  EVENT_DAYS,
  EVENT_TYPES,
  eventTypesIn,
  faultInEventTypes,
  MOST_READERS,
  MOST_WAIT_SECONDS,
  TRACKED_RECORDS,
} from '../../../domain/events.ts'
import { cause, named } from '../../../schemas/common.ts'
import { describe, Enum, Id, InstantOut, pageQuery, QueryInstant, QueryInt, SingleLine } from '../../../schemas/fields.ts'
import { parse } from '../../../schemas/pipes.ts'

const Text = v.nullable(v.string())

/** How many events a page reads, at most, to find those that match its filters. */
export const MOST_READ = 1000

export const EventType = named(
  'EventType',
  v.pipe(
    v.string(),
    v.metadata({ enum: EVENT_TYPES }),
    v.description('What happened to which kind of record.'),
    v.examples(['contact.created']),
  ),
)

export const Event = named(
  'Event',
  v.object({
    id: Id,
    type: EventType,
    entity: v.string(),
    entity_id: Id,
    version: v.pipe(
      v.nullable(v.pipe(v.number(), v.integer())),
      v.description('The version of the record after the change; null for an event that is not the change of a record.'),
    ),
    payload: v.pipe(
      v.record(v.string(), v.unknown()),
      v.description(
        'For `created` and `updated`, the stored fields of the record in this version; for `deleted`, nothing. ' +
          'GET /event-types has its JSON Schema.',
      ),
    ),
    changes: v.pipe(
      v.nullable(v.record(v.string(), v.unknown())),
      v.description('The changed fields with their values before and after, when the event is a change to a record.'),
    ),
    skip_automations: v.boolean(),
    request_id: Text,
    key_id: v.nullable(Id),
    user_id: v.nullable(Id),
    ...cause,
    at: InstantOut,
  }),
)
export type Event = v.InferOutput<typeof Event>

const Types = v.pipe(
  SingleLine(2000),
  v.check(
    (list) => faultInEventTypes(list) === undefined,
    ({ input }) => faultInEventTypes(input) ?? '',
  ),
  parse('event_types', eventTypesIn, 'must be a list of event types'),
)
const Entity = Enum(TRACKED_RECORDS as readonly [string, ...string[]], 'Only events of this kind of record.')

export const eventQuery = v.strictObject({
  limit: pageQuery.limit,
  after: describe(
    pageQuery.after,
    'The `page.next` of the previous page; leave it out for the first page. In ascending order also `latest`: the end of the feed, ' +
      'to read only what happens from now on.',
  ),
  order: v.optional(
    Enum(['desc', 'asc'], '`desc` for the newest events first; `asc` to follow the feed, in which no event ever appears behind a cursor.'),
    'desc',
  ),
  type: v.optional(
    describe(
      Types,
      'Event types and prefixes, separated by commas: `contact.created`, or `contact.*` for all that happens to contacts.',
      'contact.*,task.completed',
    ),
  ),
  entity: v.optional(Entity),
  entity_id: v.optional(describe(Id, 'Only events of this record.')),
  request_id: v.optional(describe(Id, 'Only events that this request caused.')),
  from: v.optional(describe(QueryInstant, `Only events at or after this time. Events are kept for ${EVENT_DAYS} days.`)),
  to: v.optional(describe(QueryInstant, 'Only events before this time.')),
  wait: v.optional(
    describe(
      QueryInt(0, MOST_WAIT_SECONDS),
      'In ascending order: how many seconds to wait for an event if there is none yet. When the time is over, the page is empty. ' +
        `At most ${MOST_READERS} readers of a workspace wait at a time.`,
      25,
    ),
  ),
})
export type EventQuery = v.InferOutput<typeof eventQuery>

const { type, entity, entity_id, request_id } = eventQuery.entries
export const eventStreamQuery = v.strictObject({
  after: describe(
    pageQuery.after,
    'A cursor of the feed: the `id` of a message, or `page.next` of `GET /events?order=asc`. ' +
      'Without it the stream begins with what happens from now on.',
  ),
  type,
  entity,
  entity_id,
  request_id,
})
export type EventStreamQuery = v.InferOutput<typeof eventStreamQuery>

export const eventTypeQuery = v.strictObject({
  ...pageQuery,
  type: v.optional(describe(Types, 'Only these types and prefixes.', 'contact.*')),
})

export const EventTypeDescription = named(
  'EventTypeDescription',
  v.object({
    type: EventType,
    entity: v.pipe(v.string(), v.description('The kind of record.'), v.examples(['contact'])),
    description: v.string(),
    scopes: v.pipe(
      v.array(v.string()),
      v.description(
        'The scopes with which the payload and the values of `changes` are shown; otherwise only the names of the changed fields are.',
      ),
    ),
    payload: v.pipe(v.record(v.string(), v.unknown()), v.description('The JSON Schema of the payload.')),
  }),
)
