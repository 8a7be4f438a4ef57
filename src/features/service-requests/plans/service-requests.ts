import { sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { serviceRequestNotes as notes, serviceRequests } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { type Children, childrenOf } from '../../../data/children.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { assert, assertField } from '../../../data/query.ts'
import { columnsFor, insertRow, lockForUpdate, selectFrom, store } from '../../../data/store.ts'
import { AppError } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { MAX_NOTES, MAX_RELATED, MAX_THREAD } from '../rules/requests.ts'
import { type NewServiceRequest, ServiceRequest, type ServiceRequestLinks, ServiceRequestNote } from '../schemas/service-requests.ts'

export const WHAT = 'service request'

export const computed = {
  notes: sql<
    ServiceRequest['notes']
  >`(select coalesce(json_agg(json_build_object('id', n.id, 'user_id', n.user_id, 'by_agency', n.by_agency,
    'content', n.content, 'created_at', iso(n.created_at), 'edited_at', iso(n.edited_at)) order by n.id), '[]') from service_request_notes n
    where n.workspace_id = service_requests.workspace_id and n.request_id = service_requests.id)`.as('notes'),
  message_reference: sql<ServiceRequest['message_reference']>`(select m.message_reference from service_request_notices m
    where m.workspace_id = service_requests.workspace_id and m.request_id = service_requests.id and m.request_version = 1
      and m.recipient = 'engineering')`.as('message_reference'),
}
const records = store<ServiceRequest>(
  serviceRequests,
  WHAT,
  selectFrom<ServiceRequest>(serviceRequests, columnsFor(serviceRequests, ServiceRequest, computed)),
)

export function createServiceRequest({ related_ids = [], ...input }: NewServiceRequest): Plan<ServiceRequest> {
  const id = newId()
  const locked = related_ids.length > 0 ? [lockAll(related_ids)] : []
  return plan([...locked, insertRow(serviceRequests, { ...input, id }), ...link(id, related_ids, [], 'related_ids')], records.record(id))
}

/** Relates a request to others, or ends that, at both ends. */
export function linkServiceRequests(ctx: Ctx, id: string, { add = [], remove = [] }: ServiceRequestLinks): Plan<ServiceRequest> {
  for (const [field, ids] of Object.entries({ add, remove })) {
    const at = ids.indexOf(id)
    if (at >= 0) throw invalid(`${field}.${at}`, 'must be the id of another service request: this is the id of the request itself')
  }
  const both = add.findIndex((other) => remove.includes(other))
  if (both >= 0) throw invalid(`add.${both}`, 'is in remove too: leave it out of one of them')
  return plan([...lockTogether(ctx, id, [...add, ...remove]), ...link(id, add, remove, 'add')], records.record(id))
}

const idsOf = (ids: string[]) => sql`${`{${ids.join(',')}}`}::uuid[]`

/** Locks the requests in order of id, so that calls about the same ones wait for each other and do not deadlock. */
const lockAll = (ids: string[]): Statement =>
  sql`select count(*) from (select from ${serviceRequests} where ${serviceRequests.id} = any(${idsOf(ids)})
    order by ${serviceRequests.id} for update) locked`

const lockTogether = (ctx: Ctx, id: string, others: string[]): Statement[] => [
  lockAll([id, ...others]),
  lockForUpdate(ctx, serviceRequests, id, WHAT),
]

function link(id: string, add: string[], remove: string[], field: string): Statement[] {
  const unknown = (ids: string[], name: string) =>
    sql`select fail_paths(array(select ${`${name}.`}::text || (s.nth - 1) from unnest(${idsOf(ids)}) with ordinality s(id, nth)
      where not exists (select from service_requests r where r.id = s.id)), 'is no service request of this workspace')`
  const change = sql`select link_service_requests(${id}::uuid, ${idsOf(add)}, ${idsOf(remove)})`
  const room = sql`(select cardinality(related_ids) <= ${MAX_RELATED}::int from service_requests where id = ${id})
    and not exists (select from service_requests where id = any(${idsOf(add)}) and cardinality(related_ids) > ${MAX_RELATED}::int)`
  if (add.length + remove.length === 0) return []
  const checks = [...(add.length > 0 ? [unknown(add, field)] : []), ...(remove.length > 0 ? [unknown(remove, 'remove')] : [])]
  return [...checks, change, assertField(room, field, `A service request is related to at most ${MAX_RELATED} others: remove one first`)]
}

const invalid = (path: string, message: string) =>
  new AppError('VALIDATION_ERROR', 'Some fields are not valid', { issues: [{ path, message }] })

type Note = v.InferOutput<typeof ServiceRequestNote>
type Content = { content: string }

/** The notes of a request. Only its author may edit one. Neither an addition nor an edit changes the request. */
export const serviceRequestThread: Children<Note, Content, Content> = childrenOf<Note, Content, Content>({
  parent: { table: serviceRequests, name: 'service_request' },
  what: 'note of this service request',
  table: notes,
  link: notes.request_id,
  select: (keys) => db.select({ ...columnsFor(notes, ServiceRequestNote), ...keys }).from(notes),
  sort: 'id',
  max: { rows: MAX_NOTES, field: 'content', message: `A service request has at most ${MAX_NOTES} notes: create another request` },
  lockParent: true,
  create: (_, { parentId }) => ({ after: [assertThread(parentId)] }),
  update: ({ content }, { parentId, id }) => ({
    columns: { content, edited_at: sql`now()` },
    before: [
      assert(
        sql`select n.user_id is not distinct from current_user_id() and n.user_id is not null from service_request_notes n where n.id = ${id}`,
        'FORBIDDEN',
        'Only the author of a note may edit it: add a note of your own',
      ),
    ],
    after: [assertThread(parentId)],
  }),
})

const assertThread = (requestId: string) =>
  assertField(
    sql`select sum(char_length(content)) <= ${MAX_THREAD}::int from service_request_notes where request_id = ${requestId}`,
    'content',
    `The notes of a service request have at most ${MAX_THREAD} characters together: create another request and relate them`,
  )
