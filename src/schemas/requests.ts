import * as v from 'valibot'
import { APPROVAL_STATUSES, METHODS, OUTCOMES } from '../domain/access.ts'
import { EventType } from './approvals.ts'
import { Change, named } from './common.ts'
import { about, Enum, Id, InstantOut, pageQuery, QueryInstant, SingleLine } from './fields.ts'

const Text = v.nullable(v.string())
const whole = v.pipe(v.number(), v.integer())

/** As far as a list goes back for a filter without an index. */
export const WALK = 10_000
const WALKED = `Looked for among the newest ${WALK.toLocaleString('en')} requests that the other filters leave: go further back with \`to\`.`

/** Which requests a list has. */
export const requestQuery = v.strictObject({
  ...pageQuery,
  key_id: v.optional(about(Id, 'The key that asked.')),
  user_id: v.optional(about(Id, `The key’s owner. ${WALKED}`)),
  method: v.optional(about(Enum(METHODS), `${WALKED}`)),
  status: v.optional(Enum(['2xx', '4xx', '5xx'], 'The class of the status.')),
  path: v.optional(
    about(
      SingleLine(500),
      `Of an endpoint, with :name for its parameters, or of one record: /contacts/:contact_id. Of one record: ${WALKED.replace('Looked', 'looked')}`,
      '/contacts/:contact_id',
    ),
  ),
  from: v.optional(about(QueryInstant, 'Asked at this moment or later.')),
  to: v.optional(about(QueryInstant, 'Asked before this moment.')),
})
export type RequestQuery = v.InferOutput<typeof requestQuery>

const entry = {
  id: v.pipe(Id, v.description('The X-Request-Id of its answer.')),
  method: v.string(),
  path: v.pipe(v.string(), v.description('Below /v1, without the query.'), v.examples(['/contacts'])),
  endpoint: v.pipe(Text, v.description('The path with :name for its parameters; null where there is no such path.')),
  status: v.pipe(whole, v.description('The HTTP status of the answer.'), v.examples([201])),
  outcome: v.pipe(
    v.picklist(OUTCOMES),
    v.description('held: waits for a person; dry_run: only tried; replayed: an Idempotency-Key’s answer again; refused: 4xx; failed: 5xx.'),
  ),
  error_code: Text,
  error_message: Text,
  key_id: Id,
  user_id: Id,
  approval_id: v.pipe(v.nullable(Id), v.description('The approval that it was held as, or run by.')),
  replay_of: v.pipe(v.nullable(Id), v.description('The request whose answer was given again.')),
  isolate: v.pipe(Text, v.description('Which part of the running system logged it; null until it is logged, a moment later.')),
  sequence: v.pipe(
    v.nullable(whole),
    v.description(
      'Counts the requests of this key in that isolate, from 1: a number that is missing was answered, but its log entry lost.',
    ),
  ),
  duration_ms: v.pipe(v.nullable(whole), v.description('Milliseconds until the answer was ready; null until it is told, a moment later.')),
  at: InstantOut,
}
export const RequestLogEntry = named('AskedRequest', v.object(entry))

const { id, entity, entity_id, action, version, fields } = Change.entries

export const RequestReport = named(
  'RequestReport',
  v.object({
    ...entry,
    changes: v.pipe(
      v.array(v.object({ id, entity, entity_id, action, version, fields })),
      v.description('The first 100 of them, in order; GET /requests/{request_id}/changes has all.'),
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
            v.description('recorded: nothing in this system reacts to it, so it is not delivered; failed: given up after several tries.'),
          ),
          delivered_at: v.nullable(InstantOut),
        }),
      ),
      v.description('The first 100 of them, in order; GET /events?request_id= has all.'),
    ),
    approval: v.pipe(
      v.nullable(
        v.object({
          id: Id,
          part: v.pipe(v.picklist(['held', 'run']), v.description('held: it waits or waited as this approval; run: this approval ran it.')),
          status: v.picklist(APPROVAL_STATUSES),
        }),
      ),
      v.description('The approval that it was held as, or run by.'),
    ),
  }),
)
