import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { Guard, type Reference } from '../../../data/bulk.ts'
import { hand, handed } from '../../../data/handed.ts'
import { requestedBefore, takenBy, uniqueKeysOf } from '../../../data/unique-keys.ts'

/** Which value of which record is taken: the rules read it before and after the update. */
const taken = sql`(select ${handed('taken')})`

/**
 * The unique value that a record of a bulk update would take from another record, as `Taken`, or null. Requires `checkUnique` before it.
 */
export const takenFrom = (id: SQL): SQL => sql`(${taken} -> ${id}::text)`

/** The rules of a bulk update that no other record has a unique value of the record. Requires `checkUnique` before it. */
export const uniqueRules = (table: PgTable, what: string): Reference[] =>
  uniqueKeysOf(table).map(({ field }) => ({
    field,
    condition: sql`${takenFrom(sql`r.id`)} ->> 'field' is distinct from ${field}`,
    message: `Another ${what} already uses this ${field}`,
    code: 'CONFLICT',
  }))

/** Finds the records of a bulk update with a unique value that another record has, or an earlier one in the call requests. */
export function checkUnique(table: PgTable, patches: Record<string, unknown>[]): Guard | undefined {
  const keys = uniqueKeysOf(table)
  const candidates = patches.flatMap((patch, at) => (keys.some(({ field }) => patch[field]) ? [{ patch, at }] : []))
  if (candidates.length === 0) return undefined
  const found = sql`coalesce(${takenBy(table, sql`r`)}, ${requestedBefore(table, sql`r`, sql`requested`, sql`e.at < r.at`)})`
  return new Guard(sql`with requested as (select r.*, c.at
    from jsonb_to_recordset(${JSON.stringify(candidates)}::jsonb) as c(patch jsonb, at int),
      jsonb_populate_record(null::${table}, c.patch) r)
    ${hand('taken', sql`coalesce(jsonb_object_agg(r.id, found) filter (where found is not null), '{}')`)}
      from requested r, lateral (select ${found} as found) f`)
}
