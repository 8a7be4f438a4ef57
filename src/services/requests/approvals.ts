import { eq, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { approvals, changes, type HeldRequest, outbox } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { db } from '../../data/db.ts'
import { type Keys, type PageQuery, page } from '../../data/page.ts'
import { plan, read } from '../../data/plan.ts'
import { compiledSelect, oneOrThrow, type PageSource } from '../../data/query.ts'
import { columnsFor } from '../../data/store.ts'
import { Approval, type EditApproval, Event } from '../../schemas/approvals.ts'
import { readableFields, unlessReadable } from './readable.ts'

const readsAll = sql`(select has_scopes('{*:read}'))`
const isReadable = sql`(${readsAll} or is_readable(${approvals.changes}, ${approvals.required_scopes}, (select readable_entities())))`

const isOriginalReadable = sql`(${readsAll} or is_readable(${approvals.original} -> 'changes', ${approvals.required_scopes}, (select readable_entities())))`

/** What an approval shows depends on what its reader may read (see is_readable in authority.sql). */
export const approvalFields = {
  request:
    sql`case when ${isReadable} then ${approvals.request} else jsonb_build_object('params', ${approvals.request} -> 'params', 'query', '{}'::jsonb) end`
      .mapWith(approvals.request)
      .as('request'),
  original: sql<
    v.InferOutput<typeof Approval>['original']
  >`case when ${approvals.original} is null then null when ${isOriginalReadable} then ${approvals.original}
    else jsonb_build_object('request', jsonb_build_object('params', ${approvals.original} -> 'request' -> 'params', 'query', '{}'::jsonb),
      'changes', readable_changes(${approvals.original} -> 'changes', (select readable_entities()))) end`
    .mapWith(approvals.original)
    .as('original'),
  changes:
    sql`case when ${readsAll} then ${approvals.changes} else readable_changes(${approvals.changes}, (select readable_entities())) end`
      .mapWith(approvals.changes)
      .as('changes'),
  response_body: sql`case when ${isReadable} then ${approvals.response_body} end`.mapWith(approvals.response_body).as('response_body'),
}

const record = (id: string) =>
  oneOrThrow(
    db
      .select(columnsFor(approvals, Approval, approvalFields))
      .from(approvals)
      .where(eq(approvals.id, id)),
    'approval',
  )

export const getApproval = (id: string) => read(record(id))

type Held = { status: string; method: string; path: string; request: HeldRequest; version: number }
type Rehearse = (held: Held, request: HeldRequest) => Promise<{ changes: unknown[]; required_scopes: string[]; requires_admin: boolean }>

/** Replaces parts of a pending request, after `rehearse` found the new one valid for the caller. */
export async function editApproval(ctx: Ctx, id: string, edit: v.InferOutput<typeof EditApproval>, rehearse: Rehearse) {
  const { status, method, path, request, version } = approvals
  const stored = db.select({ status, method, path, request, version }).from(approvals).where(eq(approvals.id, id))
  const held = await ctx.read(oneOrThrow(stored, 'approval'))
  const edited = { ...held.request, ...edit } as HeldRequest
  // edit_approval refuses any other; a repeated request has its stored response.
  const found = held.status === 'pending' ? await rehearse(held, edited) : { changes: [], required_scopes: [], requires_admin: false }
  const change = { ...found, request: edited, version: ctx.ifMatch ?? held.version }
  return plan([sql`select edit_approval(${id}, ${JSON.stringify(change)}::jsonb)`], record(id))
}

/** Approves a request. The event of this change enqueues the run. */
export const approve = (
  id: string,
  { force = false, reason = null }: { force?: boolean | undefined; reason?: string | null | undefined },
) => plan([sql`select decide_approval(${id}, 'approved', ${reason}, ${force})`], record(id))

export const reject = (id: string, reason: string | null | undefined) =>
  plan([sql`select decide_approval(${id}, 'rejected', ${reason ?? null}, false)`], record(id))

/** The fields of the change that the event announces; the two share an id. */
const changed = sql<Record<
  string,
  unknown
> | null>`(select ${readableFields(sql`outbox.entity`, sql`c.fields`)} from changes c where c.workspace_id = outbox.workspace_id and c.id = outbox.id)`
const eventFields = columnsFor(outbox, Event, {
  changes: changed.mapWith(changes.fields).as('changes'),
  payload: unlessReadable(sql`outbox.entity`, sql`outbox.payload`, sql`'{}'::jsonb`).mapWith(outbox.payload).as('payload'),
})

/** Looks up the changes of a whole page at once: their ids are adjacent in the index. */
function events(keys: Keys): PageSource<v.InferOutput<typeof Event>> {
  const { fields, head } = compiledSelect(db.select({ ...eventFields, ...keys }).from(outbox))
  return {
    fields,
    page: (condition, order) => sql`with outbox as materialized (select * from outbox where ${condition ?? sql`true`} ${order}),
      changes as materialized (select workspace_id, id, fields from changes where id = any(array(select id from outbox))) ${head} ${order}`,
  }
}

type EventQuery = PageQuery & { type?: string | undefined; entity_id?: string | undefined; request_id?: string | undefined }

/** Lists events, newest first. Delivered events are retained for 30 days. */
export function listEvents(query: EventQuery) {
  const { type, entity_id, request_id } = query
  const where = [
    type === undefined ? undefined : eq(outbox.type, type),
    entity_id === undefined ? undefined : eq(outbox.entity_id, entity_id),
    request_id === undefined ? undefined : eq(outbox.request_id, request_id),
  ]
  return read(
    page({
      select: events,
      id: outbox.id,
      where,
      sorts: { id: outbox.id },
      name: 'events',
      query: { ...query, sort: '-id' },
    }),
  )
}

export const getEvent = (id: string) => read(oneOrThrow(db.select(eventFields).from(outbox).where(eq(outbox.id, id)), 'event'))
