import * as v from 'valibot'
import { addNote, editNote, listRequests } from '../../src/features/agency/plans/requests.ts'
import { AgencyNote, AgencyServiceRequest, requestQuery } from '../../src/features/agency/schemas/requests.ts'
import { NewServiceRequestNote } from '../../src/features/service-requests/schemas/service-requests.ts'
import { created, listOf, one, scopes } from '../../src/http/modes.ts'
import { Id } from '../../src/schemas/fields.ts'
import { agencyApi } from './agency.ts'

const STAYS = 'The status and the queue of the request stay as they are: a note reopens nothing.'

agencyApi.get(
  '/service-requests',
  {
    id: 'listAgencyServiceRequests',
    summary: 'List the service requests of clients',
    description: 'Those of the clients that the agency looks after, the latest first.',
    access: scopes('agency:read'),
    query: requestQuery,
    returns: listOf(AgencyServiceRequest),
  },
  ({ query }) => listRequests(query),
)
agencyApi.post(
  '/service-requests/:request_id/notes',
  {
    id: 'createAgencyNote',
    summary: 'Add a note to the service request of a client',
    description: `The client sees the note. Any member of the agency may add one, while the agency looks after the client. ${STAYS}`,
    access: scopes('service-requests:write'),
    params: v.object({ request_id: Id }),
    body: NewServiceRequestNote,
    returns: created(AgencyNote),
    errors: ['NOT_FOUND'],
  },
  ({ params, body }) => addNote(params.request_id, body.content),
)
agencyApi.patch(
  '/service-requests/:request_id/notes/:note_id',
  {
    id: 'updateAgencyNote',
    summary: 'Edit your note on the service request of a client',
    description: `Only its author may, while the agency looks after the client. ${STAYS}`,
    access: scopes('service-requests:write'),
    params: v.object({ request_id: Id, note_id: Id }),
    body: NewServiceRequestNote,
    returns: one(AgencyNote),
    errors: ['NOT_FOUND', 'FORBIDDEN'],
  },
  ({ params, body }) => editNote(params.request_id, params.note_id, body.content),
)
