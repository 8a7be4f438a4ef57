import { sql } from 'drizzle-orm'
import * as v from 'valibot'
import type { Ctx } from '../../../context.ts'
import { compileFilter } from '../../../data/filters.ts'
import { plan } from '../../../data/plan.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import { parseFilter } from '../../../domain/filters/parse.ts'
import { invalid } from '../../../errors.ts'
import { Id } from '../../../schemas/fields.ts'
import { needsScopes, readyFilter, SEARCHED } from '../../search/plans/record-search.ts'

export const MatchBody = v.object({
  object: v.picklist(['contacts', 'companies', 'opportunities']),
  filter: v.record(v.string(), v.unknown()),
  ids: v.array(Id),
  snapshots: v.optional(v.array(v.record(v.string(), v.unknown()))),
})
export type MatchBody = v.InferOutput<typeof MatchBody>

/**
 * Which of these records match a filter: their ids. Archived ones count like any others. Of snapshots, which are rows of records as they
 * were, the positions from 0: related records and what is computed when it is read are as they are now.
 */
export async function matching(ctx: Ctx, { object, filter: sent, ids, snapshots }: MatchBody) {
  const { filter, issues } = parseFilter(object, sent)
  const ready = await readyFilter(ctx, object, filter)
  if (!ready) throw invalid(issues.map(({ path, message }) => ({ path: `filter${path}`, message })))
  const { reads, guards, where } = compileFilter(object, ready)
  const { table } = SEARCHED[object]
  const found = snapshots
    ? sql`select (e.n - 1)::text as id from jsonb_array_elements(${JSON.stringify(snapshots)}::jsonb) with ordinality e(j, n)
        join ${table} present on present.id = (e.j ->> 'id')::uuid, lateral snapshot_row(present, e.j) ${sql.identifier(object)}
        where ${where}`
    : sql`select ${table.id} as id from ${table} where ${table.id} = any(${`{${ids.join(',')}}`}::uuid[]) and ${where}`
  return plan(
    [...needsScopes([object, ...reads]), ...guards],
    mapResult(plainRows<{ id: string }>(found, ['id']), (rows) => rows.map(({ id }) => id)),
  )
}
