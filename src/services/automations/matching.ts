import { sql } from 'drizzle-orm'
import * as v from 'valibot'
import type { Ctx } from '../../context.ts'
import { compileFilter } from '../../data/filters.ts'
import { plan } from '../../data/plan.ts'
import { mapResult, plainRows } from '../../data/query.ts'
import { parseFilter } from '../../domain/filters/parse.ts'
import { invalid } from '../../errors.ts'
import { Id } from '../../schemas/fields.ts'
import { needsScopes, readyFilter, SEARCHED } from '../search/record-search.ts'

export const MatchBody = v.object({
  object: v.picklist(['contacts', 'companies', 'opportunities']),
  filter: v.record(v.string(), v.unknown()),
  ids: v.array(Id),
})
export type MatchBody = v.InferOutput<typeof MatchBody>

/** Which of these records match a filter. Archived ones count like any others. */
export async function matching(ctx: Ctx, { object, filter: sent, ids }: MatchBody) {
  const { filter, issues } = parseFilter(object, sent)
  const ready = await readyFilter(ctx, object, filter)
  if (!ready) throw invalid(issues.map(({ path, message }) => ({ path: `filter${path}`, message })))
  const { reads, guards, where } = compileFilter(object, ready)
  const { table } = SEARCHED[object]
  const found = sql`select ${table.id} as id from ${table} where ${table.id} = any(${`{${ids.join(',')}}`}::uuid[]) and ${where}`
  return plan(
    [...needsScopes([object, ...reads]), ...guards],
    mapResult(plainRows<{ id: string }>(found, ['id']), (rows) => rows.map(({ id }) => id)),
  )
}
