import { eq, sql } from 'drizzle-orm'
import { approvals } from '../../../schema/index.ts'
import { db } from '../../data/db.ts'
import { plan, read } from '../../data/plan.ts'
import { oneOrThrow } from '../../data/query.ts'
import { columnsFor } from '../../data/store.ts'
import { Approval } from '../../schemas/approvals.ts'

const readsAll = sql`(select has_scopes('{*:read}'))`
const isReadable = sql`(${readsAll} or is_readable(${approvals.changes}, ${approvals.required_scopes}, (select readable_entities())))`

/** What an approval shows depends on what its reader may read (see is_readable in authority.sql). */
export const approvalFields = {
  request:
    sql`case when ${isReadable} then ${approvals.request} else jsonb_build_object('params', ${approvals.request} -> 'params', 'query', '{}'::jsonb) end`
      .mapWith(approvals.request)
      .as('request'),
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

/** Approves a request. The event of this change enqueues the run. */
export const approve = (
  id: string,
  { force = false, reason = null }: { force?: boolean | undefined; reason?: string | null | undefined },
) => plan([sql`select decide_approval(${id}, 'approved', ${reason}, ${force})`], record(id))

export const reject = (id: string, reason: string | null | undefined) =>
  plan([sql`select decide_approval(${id}, 'rejected', ${reason ?? null}, false)`], record(id))
