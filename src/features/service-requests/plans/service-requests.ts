import { eq, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { serviceRequestNotes as notes, serviceRequests } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { type Children, childrenOf } from '../../../data/children.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Plan, plan, withOutside } from '../../../data/plan.ts'
import { assert, assertField, compiledSelect, oneOrThrow } from '../../../data/query.ts'
import { columnsFor, insertRow, isChangedBy, lockForUpdate, selectFrom, store } from '../../../data/store.ts'
import { AppError } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { vectorWithin } from '../../models/plans/vectors.ts'
import { MAX_NOTES, MAX_RELATED, MAX_THREAD } from '../rules/requests.ts'
import { embeddedText } from '../rules/search.ts'
import {
  CreatedServiceRequest,
  type NewServiceRequest,
  ServiceRequest,
  type ServiceRequestLinks,
  ServiceRequestNote,
} from '../schemas/service-requests.ts'
import { computed, computedOfNew } from './columns.ts'

const WHAT = 'service request'

const records = store<ServiceRequest>(
  serviceRequests,
  WHAT,
  selectFrom<ServiceRequest>(serviceRequests, columnsFor(serviceRequests, ServiceRequest, computed)),
)

const createdRecords = compiledSelect(
  selectFrom<CreatedServiceRequest>(serviceRequests, columnsFor(serviceRequests, CreatedServiceRequest, computedOfNew)),
)
const createdRecord = (id: string) => oneOrThrow(createdRecords.where(eq(serviceRequests.id, id)), WHAT, id)

/**
 * Adds a request. It is embedded after the commit, so that it is answered with those that are similar; what cannot be had in time is left
 * to the background.
 */
export function createServiceRequest(ctx: Ctx, { related_ids = [], ...input }: NewServiceRequest): Plan<CreatedServiceRequest> {
  const id = newId()
  const locked = related_ids.length > 0 ? [lockAll(related_ids)] : []
  const statements = [...locked, insertRow(serviceRequests, { ...input, id }), ...link(id, related_ids, [], 'related_ids')]
  const reserve = plan(statements, createdRecord(id))
  const { embedder } = ctx.deployment
  if (!embedder) return reserve
  return withOutside<CreatedServiceRequest, string | undefined, CreatedServiceRequest>(reserve, {
    call: (request) => vectorWithin(embedder, embeddedText(request)),
    settle: (request, called) =>
      called.ok && called.value !== undefined ? [call('finish_service_request_vector', request.id, embedder.model, called.value)] : [],
    // A repeated request has another id than the one that the first one added.
    result: (request) => createdRecord(request.id),
  })
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
  const change = call('link_service_requests', id, idsOf(add), idsOf(remove))
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
    columns: { content, edited_at: sql`case when ${isChangedBy(notes, { content })} then now() else edited_at end` },
    before: [
      assert(
        sql`select n.user_id is not distinct from current_user_id() and n.user_id is not null
          from service_request_notes n where n.id = ${id}`,
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
