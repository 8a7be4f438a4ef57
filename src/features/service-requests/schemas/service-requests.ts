import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Enum, Id, InstantOut, Integer, JsonObject, Multiline, Name, optional, SAMPLE_ID } from '../../../schemas/fields.ts'
import { PRIORITIES } from '../../tasks/rules/tasks.ts'
import { MAX_NOTE, MAX_RELATED, REQUEST_QUEUES, REQUEST_STATUSES, REQUEST_TYPES } from '../rules/requests.ts'
import { LEAST_SIMILARITY, MAX_HITS, MAX_SIMILAR } from '../rules/search.ts'

const CONTEXT = { keys: 100, keyLength: 100, depth: 8, bytes: 65_536 }
const Type = Enum(REQUEST_TYPES, 'What the request is about.')
const Priority = Enum(PRIORITIES, 'How urgent it is.')
const Status = Enum(REQUEST_STATUSES, 'How far it is. A closed request can only be reopened: set the status open.')
const Queue = Enum(REQUEST_QUEUES, 'Who it waits for: the agency of the workspace, or the operator of the platform.')

/** Ids of other requests, which may be none. */
const Related = (text: string, example = [SAMPLE_ID]) =>
  v.pipe(
    v.array(Id, 'must be a list of UUIDs'),
    v.maxLength(MAX_RELATED, `must contain at most ${MAX_RELATED} ids`),
    v.description(text),
    v.examples([example]),
    v.transform((ids) => [...new Set(ids)]),
  )

export const NewServiceRequest = v.strictObject({
  title: describe(Name(200), 'What is wanted, in one line.', 'The export of contacts stops'),
  description: optional(describe(Multiline(), 'What happens, and what is expected.', 'It stops after 500 rows with a timeout.')),
  type: v.optional(Type),
  priority: v.optional(Priority),
  queue: v.optional(Queue),
  context: v.optional(
    describe(
      JsonObject(CONTEXT, '{"page": "/contacts"}'),
      'Anything that helps to understand the request, such as the page or the request id of an error; at most 64 KB.',
      { page: '/contacts' },
    ),
  ),
  related_ids: v.optional(Related('Existing requests that it is related to; each is then related to this one too.', [])),
})
export type NewServiceRequest = v.InferOutput<typeof NewServiceRequest>

export const ServiceRequestPatch = v.partial(v.strictObject({ status: Status, queue: Queue, priority: Priority }))

export const serviceRequestFilters = {
  status: v.optional(Status),
  type: v.optional(Type),
  priority: v.optional(Priority),
  queue: v.optional(Queue),
}

export const NewServiceRequestNote = v.strictObject({
  content: v.pipe(
    Multiline(MAX_NOTE),
    v.check((text) => text.trim() !== '', 'must not be empty'),
    v.description(`The text of the note: at most ${MAX_NOTE} characters.`),
    v.examples(['It happens with every export since Monday.']),
  ),
})

export const ServiceRequestLinks = v.pipe(
  v.strictObject({
    add: v.optional(Related('The requests that become related to this one.')),
    remove: v.optional(Related('The requests that are no longer related to it.', [])),
  }),
  v.check(({ add = [], remove = [] }) => add.length + remove.length > 0, 'must name requests in add or remove'),
)
export type ServiceRequestLinks = v.InferOutput<typeof ServiceRequestLinks>

const author = v.pipe(v.nullable(Id), v.description('The owner of the key with which it was written.'))
const by_agency = v.pipe(v.boolean(), v.description('Whether the author is of the agency that looks after the workspace.'))
const content = v.pipe(v.string(), v.description('The text of the note.'))
const edited_at = v.pipe(v.nullable(InstantOut), v.description('When the author has edited it last.'))

export const ServiceRequestNote = named(
  'ServiceRequestNote',
  v.object({
    id: Id,
    request_id: v.pipe(Id, v.description('The service request.')),
    user_id: author,
    by_agency,
    content,
    edited_at,
    ...timestamps,
  }),
)

const ThreadNote = v.object({ id: Id, user_id: author, by_agency, content, created_at: InstantOut, edited_at })

export const ServiceRequest = named(
  'ServiceRequest',
  v.object({
    id: Id,
    title: v.string(),
    description: v.nullable(v.string()),
    type: Type,
    priority: Priority,
    status: Status,
    queue: Queue,
    context: v.pipe(v.record(v.string(), v.unknown()), v.description('What the requester has sent to explain the request.')),
    related_ids: v.pipe(v.array(Id), v.description('The requests that it is related to; each of them names this one too.')),
    requester_id: v.pipe(v.nullable(Id), v.description('The owner of the key that has created it, who is notified of changes.')),
    message_reference: v.pipe(
      v.nullable(
        v.object({
          channel: v.pipe(v.string(), v.description('The channel.')),
          ts: v.pipe(v.string(), v.description('The time that is the id of the message in its channel.')),
        }),
      ),
      v.description('The message about it in the chat of the engineering team: its channel, and the time that is its id there.'),
    ),
    notes: v.pipe(v.array(ThreadNote), v.description('The whole thread, the oldest note first.')),
    ...timestamps,
  }),
)
export type ServiceRequest = v.InferOutput<typeof ServiceRequest>

const similarity = (text: string) => v.pipe(v.number(), v.description(`${text}: the cosine similarity of the vectors, at most 1.`))

export const CreatedServiceRequest = named(
  'CreatedServiceRequest',
  v.object({
    ...ServiceRequest.entries,
    similar: v.pipe(
      v.array(v.object({ id: Id, title: v.string(), status: Status, similarity: similarity('How similar it is') })),
      v.description(
        `The most similar requests of the workspace, at most ${MAX_SIMILAR}, from a similarity of ${LEAST_SIMILARITY}. ` +
          'It is empty if the request could not be compared in time, or the key has no service-requests:read.',
      ),
    ),
  }),
)
export type CreatedServiceRequest = v.InferOutput<typeof CreatedServiceRequest>

export const ServiceRequestQuery = v.strictObject({
  query: describe(Name(1000), 'What is looked for, in any words.', 'Downloads end too early'),
  limit: v.optional(
    v.pipe(Integer(1, MAX_HITS), v.description(`The most results: at most ${MAX_HITS}, 10 by default.`), v.examples([10])),
    10,
  ),
})
export type ServiceRequestQuery = v.InferOutput<typeof ServiceRequestQuery>

export const ServiceRequestHit = named(
  'ServiceRequestHit',
  v.object({
    ...ServiceRequest.entries,
    similarity: v.nullable(similarity('How similar the request is to the query')),
    found_by: v.pipe(
      v.picklist(['similarity', 'words']),
      v.description('`words`: the request has no vector yet, and has words of the query; its similarity is null.'),
    ),
  }),
)
export type ServiceRequestHit = v.InferOutput<typeof ServiceRequestHit>
