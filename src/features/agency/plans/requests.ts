import { eq, sql } from 'drizzle-orm'
import { agencyRequests } from '../../../../schema/index.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import type { Page } from '../../../data/paged.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { oneOrThrow, type Query, selected } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { MAX_NOTES, MAX_THREAD } from '../../service-requests/rules/requests.ts'
import { type AgencyNote, AgencyServiceRequest } from '../schemas/requests.ts'
import { assertAgency } from './settling.ts'

const columns = columnsFor(agencyRequests, AgencyServiceRequest)
const selectRequests = (keys: Keys) => db.select({ ...columns, ...keys }).from(agencyRequests)

type RequestQuery = PageQuery & { status?: AgencyServiceRequest['status'] | undefined; client?: string | undefined }

/** The service requests of clients that the agency looks after, the latest first. */
export function listRequests({ status, client, ...query }: RequestQuery): Plan<Page<AgencyServiceRequest>> {
  const result = page({
    select: selectRequests,
    id: agencyRequests.id,
    where: [status ? eq(agencyRequests.status, status) : undefined, client ? eq(agencyRequests.client_id, client) : undefined],
    sorts: { created_at: agencyRequests.created_at },
    name: `agency requests ${status ?? ''} ${client ?? ''}`,
    query: { ...query, sort: '-created_at' },
  })
  return plan([assertAgency()], result)
}

const FIELDS = ['id', 'request_id', 'user_id', 'content', 'created_at', 'edited_at']
const noteOf = (requestId: string, noteId: string): Query<AgencyNote> =>
  oneOrThrow(
    selected<AgencyNote>(
      sql`select n.id, n.request_id, n.user_id, n.content, iso(n.created_at), iso(n.edited_at)
        from read_agency_note(${requestId}::uuid, ${noteId}::uuid) n where n.id is not null`,
      FIELDS,
    ),
    'note of the agency',
  )

const written = (requestId: string, noteId: string, content: string, isEdit: boolean): Plan<AgencyNote> =>
  plan([assertAgency(), call('write_agency_note', requestId, noteId, content, isEdit, MAX_NOTES, MAX_THREAD)], noteOf(requestId, noteId))

/** Adds a note to a client's request, in the name of the caller. The client sees it. */
export const addNote = (requestId: string, content: string) => written(requestId, newId(), content, false)

/** Changes a note that the caller has written. */
export const editNote = (requestId: string, noteId: string, content: string) => written(requestId, noteId, content, true)
