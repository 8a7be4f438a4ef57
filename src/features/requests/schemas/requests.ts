import * as v from 'valibot'
import { APPROVAL_STATUSES, METHODS, OUTCOMES } from '../../../domain/access.ts'
import { MAX_DELIVERY_ATTEMPTS } from '../../../domain/events.ts'
import { Change, named } from '../../../schemas/common.ts'
import { describe, Enum, Id, InstantOut, pageQuery, QueryInstant, SingleLine } from '../../../schemas/fields.ts'
import { EventType } from '../../events/schemas/events.ts'

const Text = v.nullable(v.string())
const whole = v.pipe(v.number(), v.integer())

/** How many requests a filter without an index examines. */
export const WALK = 10_000
const SCAN_NOTE = `Examines the newest ${WALK.toLocaleString('en')} requests that match the other filters; use \`to\` to go further back.`

/** The filters of the request list. */
export const requestQuery = v.strictObject({
  ...pageQuery,
  key_id: v.optional(describe(Id, 'The key that made the request.')),
  user_id: v.optional(describe(Id, `The owner of the key. ${SCAN_NOTE}`)),
  method: v.optional(describe(Enum(METHODS), `The HTTP method. ${SCAN_NOTE}`)),
  status: v.optional(Enum(['2xx', '4xx', '5xx'], 'The class of the HTTP status.')),
  path: v.optional(
    describe(
      SingleLine(500),
      'The path of an endpoint, with :name for its parameters, such as /contacts/:contact_id, or the path of one record. ' +
        `For the path of one record: ${SCAN_NOTE}`,
      '/contacts/:contact_id',
    ),
  ),
  from: v.optional(describe(QueryInstant, 'Requests made at or after this time.')),
  to: v.optional(describe(QueryInstant, 'Requests made before this time.')),
})
export type RequestQuery = v.InferOutput<typeof requestQuery>

const entry = {
  id: v.pipe(Id, v.description('The id of the request: the X-Request-Id of its response.')),
  method: v.string(),
  path: v.pipe(
    v.string(),
    v.description('The path below /v1, without the query. A part that named a purged record is "(purged)".'),
    v.examples(['/contacts']),
  ),
  endpoint: v.pipe(Text, v.description('The path of the endpoint, with :name for its parameters; null when no endpoint has the path.')),
  status: v.pipe(whole, v.description('The HTTP status of the response.'), v.examples([201])),
  outcome: v.pipe(
    v.picklist(OUTCOMES),
    v.description(
      '`held`: waits for approval; `dry_run`: rolled back; `replayed`: the stored response of an Idempotency-Key; ' +
        '`refused`: 4xx; `failed`: 5xx.',
    ),
  ),
  error_code: Text,
  error_message: v.pipe(
    Text,
    v.description('Null for a key that neither made the request nor may read the records of its endpoint: messages can quote values.'),
  ),
  key_id: Id,
  user_id: Id,
  approval_id: v.pipe(v.nullable(Id), v.description('The approval that was created for the request, or that executed it.')),
  replay_of: v.pipe(v.nullable(Id), v.description('The request whose stored response was returned.')),
  isolate: v.pipe(Text, v.description('The isolate that logged the request; null until the entry is stored, a few seconds later.')),
  sequence: v.pipe(
    v.nullable(whole),
    v.description(
      'The number of the request among those of this key in the isolate, starting at 1. ' +
        'A missing number is a request whose log entry was lost.',
    ),
  ),
  duration_ms: v.pipe(
    v.nullable(whole),
    v.description('Milliseconds until the response was ready; null until the entry is stored, a few seconds later.'),
  ),
  at: InstantOut,
}
export const RequestLogEntry = named('RequestLogEntry', v.object(entry))

const { id, entity, entity_id, action, version, fields } = Change.entries

export const RequestReport = named(
  'RequestReport',
  v.object({
    ...entry,
    changes: v.pipe(
      v.array(v.object({ id, entity, entity_id, action, version, fields })),
      v.description('The first 100 changes in order; GET /requests/{request_id}/changes returns all.'),
    ),
    events: v.pipe(
      v.array(
        v.object({
          id: Id,
          type: EventType,
          entity: v.string(),
          entity_id: Id,
          state: v.pipe(
            v.picklist(['recorded', 'waiting', 'delivered', 'failed']),
            v.description(
              '`recorded`: no listener handles the event, so it is not delivered; `failed`: delivery was abandoned after ' +
                `${MAX_DELIVERY_ATTEMPTS} attempts.`,
            ),
          ),
          delivered_at: v.nullable(InstantOut),
        }),
      ),
      v.description('The first 100 events in order; GET /events?request_id= returns all.'),
    ),
    approval: v.pipe(
      v.nullable(
        v.object({
          id: Id,
          part: v.pipe(
            v.picklist(['held', 'run']),
            v.description('`held`: the approval was created for this request; `run`: the approval executed it.'),
          ),
          status: v.picklist(APPROVAL_STATUSES),
        }),
      ),
      v.description('The approval that was created for the request, or that executed it.'),
    ),
  }),
)
