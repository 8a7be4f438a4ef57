import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { describe, Id, InstantOut, pageQuery } from '../../../schemas/fields.ts'
import { REQUEST_QUEUES, REQUEST_STATUSES, REQUEST_TYPES } from '../../service-requests/rules/requests.ts'
import { PRIORITIES } from '../../tasks/rules/tasks.ts'

const QUEUE = 'Who it waits for: `agency`, or `platform` if it was passed to the operator of the platform.'

const status = v.picklist(REQUEST_STATUSES, `must be one of: ${REQUEST_STATUSES.join(', ')}`)

export const requestQuery = v.strictObject({
  ...pageQuery,
  status: v.optional(describe(status, 'Only those with this status.', 'open')),
  client: v.optional(describe(Id, 'Only those of this client: the id of its workspace.')),
})

export const AgencyServiceRequest = named(
  'AgencyServiceRequest',
  v.object({
    id: Id,
    client_id: describe(Id, 'The id of the client’s workspace.'),
    title: v.pipe(v.string(), v.description('What is wanted, in one line.'), v.examples(['The export of contacts stops'])),
    description: v.pipe(v.nullable(v.string()), v.description('What happens, and what is expected.')),
    type: v.pipe(v.picklist(REQUEST_TYPES), v.description('What the request is about.')),
    priority: v.pipe(v.picklist(PRIORITIES), v.description('How urgent it is.')),
    status: v.pipe(v.picklist(REQUEST_STATUSES), v.description('How far it is.')),
    queue: v.pipe(v.picklist(REQUEST_QUEUES), v.description(QUEUE)),
    note_count: v.pipe(v.number(), v.integer(), v.description('How many notes its thread has.'), v.examples([2])),
    last_note_at: v.nullable(describe(InstantOut, 'When the latest note was written.')),
    created_at: InstantOut,
    updated_at: InstantOut,
  }),
)
export type AgencyServiceRequest = v.InferOutput<typeof AgencyServiceRequest>

export const AgencyNote = named(
  'AgencyNote',
  v.object({
    id: Id,
    request_id: describe(Id, 'The service request.'),
    user_id: describe(Id, 'The member of the agency who has written it.'),
    content: v.pipe(v.string(), v.description('The text of the note.'), v.examples(['We have found the cause.'])),
    created_at: InstantOut,
    edited_at: v.nullable(describe(InstantOut, 'When its author has edited it last.')),
  }),
)
export type AgencyNote = v.InferOutput<typeof AgencyNote>
