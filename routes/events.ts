import { Hono } from 'hono'
import * as v from 'valibot'
import { EVENT_DAYS, MOST_READERS } from '../src/domain/events.ts'
import { listEventTypes } from '../src/features/events/plans/event-types.ts'
import { getEvent } from '../src/features/events/plans/feed.ts'
import { awaitEvents, streamEvents } from '../src/features/events/plans/follow.ts'
import {
  Event,
  EventTypeDescription,
  eventQuery,
  eventStreamQuery,
  eventTypeQuery,
  MOST_READ,
} from '../src/features/events/schemas/events.ts'
import { listOf, scopes, stream } from '../src/http/modes.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Id } from '../src/schemas/fields.ts'
import { WORKSPACE } from './paths.ts'

export const eventsRouter = new Hono<App>()
export const eventsApi = endpoints(eventsRouter, { path: WORKSPACE.events, tag: 'Events' })
export const eventTypesRouter = new Hono<App>()
export const eventTypesApi = endpoints(eventTypesRouter, { path: WORKSPACE.eventTypes, tag: 'Events' })

const VALUES =
  'Without the `:read` scope of the kind of record (such as `contacts:read`), the payload is empty and `changes` has ' +
  'field names without values.'
eventsApi.get(
  '',
  {
    id: 'listEvents',
    summary: 'List events, or follow them',
    description:
      'Lists the events of all changes, as listeners receive them, newest first. With `order=asc` they are a feed: every page has ' +
      '`next`, the last and an empty one too, so that it can be stored and polled; no event ever appears behind it, and the events ' +
      'of a record are in the order of its versions. `has_more` says whether the next page has events already. ' +
      `Such a cursor works with other filters too. Events are kept for ${EVENT_DAYS} days; an older cursor is refused with ` +
      `CURSOR_EXPIRED. A page reads at most ${MOST_READ.toLocaleString('en')} events to find those that match, so it may be short, ` +
      'or empty, although `next` leads to more. With `wait`, a request for a page without events is answered as soon ' +
      `as there is one. ${VALUES}`,
    access: scopes('events:read'),
    query: eventQuery,
    returns: listOf(Event),
    errors: ['CURSOR_EXPIRED'],
  },
  ({ ctx, query }) => awaitEvents(ctx, query),
)
eventsApi.get(
  '/stream',
  {
    id: 'streamEvents',
    summary: 'Stream events as they happen',
    description:
      'Sends the events of the feed as server-sent events, usually within a second. Each message has the cursor behind the event as ' +
      'its `id`, the type as its `event`, and as its `data` the event as `GET /events` returns it. ' +
      'A comment is sent at least every minute, with the cursor of what has been read so far as the `id`. ' +
      'The stream ends after five minutes, and as soon as the key may no longer read: connect again with the last `id` in ' +
      `\`Last-Event-ID\`, or in \`after\`, and no event is missed or repeated. At most ${MOST_READERS} readers of a workspace wait at ` +
      `a time, requests with \`wait\` included. ${VALUES}`,
    access: scopes('events:read'),
    query: eventStreamQuery,
    returns: stream(['text/event-stream'], v.string()),
    errors: ['CURSOR_EXPIRED'],
  },
  ({ ctx, query }) => streamEvents(ctx, query),
)
eventsApi.get(
  '/:event_id',
  {
    id: 'getEvent',
    summary: 'Get an event',
    description: VALUES,
    access: scopes('events:read'),
    params: v.object({ event_id: Id }),
    returns: Event,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getEvent(params.event_id),
)
eventTypesApi.get(
  '',
  {
    id: 'listEventTypes',
    summary: 'List event types',
    description: 'Lists every event type by name, with the scopes that its payload takes and the JSON Schema of the payload.',
    access: scopes('events:read'),
    query: eventTypeQuery,
    returns: listOf(EventTypeDescription),
  },
  ({ query }) => listEventTypes(query),
)
