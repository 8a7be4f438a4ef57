import { sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { approvals } from '../../../../schema/index.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { handed } from '../../../data/handed.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { mapResult, rows, typed } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { AppError, type ErrorCode } from '../../../errors.ts'
import { type Bulk, failure } from '../../../schemas/bulk.ts'
import { Decision } from '../schemas/approvals.ts'

type Decided = v.InferOutput<typeof Decision>
type Refusal = { code: ErrorCode; message: string; details: unknown } | null
type Options = { force?: boolean | undefined; reason?: string | null | undefined }

/** Approves or rejects each request, and reports those that could not be decided about. */
export function decideAll(ids: string[], status: 'approved' | 'rejected', { force = false, reason = null }: Options): Plan<Bulk<Decided>> {
  const once = `{${[...new Set(ids)].sort().join(',')}}`
  const refusal = sql<Refusal>`(select ${handed('decisions')}) -> requested.id::text`.as('refusal')
  const select = db
    .select({ ...columnsFor(approvals, Decision), requested_id: sql<string>`requested.id`.as('requested_id'), refusal })
    .from(sql`unnest(${`{${ids.join(',')}}`}::uuid[]) with ordinality as requested(id, index)`)
    .leftJoin(approvals, sql`approvals.id = requested.id`)
    .orderBy(sql`requested.index`)
  const result = mapResult(rows(typed<Decided & { requested_id: string; refusal: Refusal }>(select)), (decoded) => {
    const bulk: Bulk<Decided> = { results: [], skipped: [], errors: [] }
    decoded.forEach(({ requested_id: id, refusal, ...decision }, index) => {
      if (ids.indexOf(id) < index) bulk.skipped.push({ index, id, reason: 'Duplicate id in request' })
      else if (refusal) bulk.errors.push(failure(index, new AppError(refusal.code, refusal.message, refusal.details ?? undefined), id))
      else bulk.results.push(decision)
    })
    return bulk
  })
  return plan([call('decide_approvals', once, status, reason, force)], result)
}
