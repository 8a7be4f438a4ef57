import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { Guard, type Reference } from '../../data/bulk.ts'

/** Stores, for the transaction, the ids of the records whose value is taken, because uniqueRule reads them before and after the update. */
const DUPLICATES_SETTING = 'app.not_unique'

/** The rule of a bulk update that no other record has the value. Requires `checkUnique` before it. */
export const uniqueRule = (field: string, what: string): Reference => ({
  field,
  condition: sql`position(r.id::text in coalesce(current_setting(${DUPLICATES_SETTING}, true), '')) = 0`,
  message: `Another ${what} already uses this ${field}`,
  code: 'CONFLICT',
})

/** Marks the records of a bulk update whose `field` another record has, or an earlier one in the call requests. */
export function checkUnique(table: PgTable, field: string, patches: { id: string; [name: string]: unknown }[]): Guard | undefined {
  const candidates = patches.flatMap(({ id, [field]: value }, at) => (value ? [{ id, value, at }] : []))
  if (candidates.length === 0) return undefined
  const own = sql.identifier(field)
  const taken: SQL = sql`exists (select from ${sql.identifier(getTableName(table))} t where t.${own} = r.value and t.id <> r.id)
    or exists (select from requested e where e.value = r.value and e.at < r.at)`
  return new Guard(sql`with requested as (select * from jsonb_to_recordset(${JSON.stringify(candidates)}::jsonb) as a(id uuid, value text, at int))
    select set_config(${DUPLICATES_SETTING}, coalesce(string_agg(r.id::text, ' '), ''), true) from requested r where ${taken}`)
}
