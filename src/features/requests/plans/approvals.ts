import { eq, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { approvals, type HeldRequest } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { plan, read } from '../../../data/plan.ts'
import { oneOrThrow } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { Approval, type EditApproval } from '../schemas/approvals.ts'

const readsAll = sql`(select has_scopes('{*:read}'))`
export const isReadable = sql`(${readsAll}
  or is_readable(${approvals.changes}, ${approvals.required_scopes}, (select readable_entities())))`

const isOriginalReadable = sql`(${readsAll}
  or is_readable(${approvals.original} -> 'changes', ${approvals.required_scopes}, (select readable_entities())))`

/** What an approval shows depends on what its reader may read (see is_readable in authority.sql). */
export const approvalFields = {
  request: sql`case when ${isReadable} then ${approvals.request}
      else jsonb_build_object('params', ${approvals.request} -> 'params', 'query', '{}'::jsonb) end`
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
  proposal: sql<
    v.InferOutput<typeof Approval>['proposal']
  >`case when ${isReadable} then (select jsonb_build_object('id', p.id, 'operation_id', p.operation_id)
    || p.grounds from agent_proposals p where p.workspace_id = approvals.workspace_id and p.approval_id = approvals.id) end`.as('proposal'),
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
type Found = { changes: unknown[]; required_scopes: string[]; requires_admin: boolean; policy_ids: string[] }
type Rehearse = (held: Held, request: HeldRequest) => Promise<Found>
const NOTHING: Found = { changes: [], required_scopes: [], requires_admin: false, policy_ids: [] }

/** Replaces parts of a pending request, after `rehearse` found the new one valid for the caller. */
export async function editApproval(ctx: Ctx, id: string, edit: v.InferOutput<typeof EditApproval>, rehearse: Rehearse) {
  const { status, method, path, request, version } = approvals
  const stored = db.select({ status, method, path, request, version }).from(approvals).where(eq(approvals.id, id))
  const held = await ctx.readConfirmed(oneOrThrow(stored, 'approval'))
  const edited = { ...held.request, ...edit } as HeldRequest
  // edit_approval refuses any other; a repeated request has its stored response.
  const found = held.status === 'pending' ? await rehearse(held, edited) : NOTHING
  const { changes, required_scopes, requires_admin, policy_ids } = found
  const change = { changes, required_scopes, requires_admin, policy_ids, request: edited, version: ctx.ifMatch ?? held.version }
  return plan([call('edit_approval', id, JSON.stringify(change))], record(id))
}

/** Approves a request. The event of this change enqueues the run. */
export const approve = (
  id: string,
  { force = false, reason = null }: { force?: boolean | undefined; reason?: string | null | undefined },
) => plan([call('decide_approval', id, 'approved', reason, force)], record(id))

export const reject = (id: string, reason: string | null | undefined) =>
  plan([call('decide_approval', id, 'rejected', reason ?? null, false)], record(id))
