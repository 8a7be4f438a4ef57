import { type SQL, sql } from 'drizzle-orm'
import { companies } from '../../schema/index.ts'
import type { Reference } from '../data/bulk.ts'
import type { Statement } from '../data/db.ts'
import { lockAll } from '../data/store.ts'

const MAX_LEVELS = 50
export const CIRCLE = `must be a company of this workspace, neither the company itself nor below it, with fewer than ${MAX_LEVELS} above it`

/** Two companies moved under one another at once would each see the other where it was. */
export const oneMoveAtATime = sql`select pg_advisory_xact_lock(hashtext('companies.parent_company_id'), hashtext(current_workspace()::text))`

/** Whether `id` may have `parent`, as far as that exists: going up from it never comes to `id`. */
export const fitsUnder = (id: string, parent: string): SQL => sql`not exists (
  with recursive up(id, level) as (
    select ${parent}::uuid, 1 union all select c.parent_company_id, level + 1 from up join companies c on c.id = up.id where up.id <> ${id} and level < ${MAX_LEVELS}
  ) select from up where up.id = ${id} or up.level = ${MAX_LEVELS})`

type Patch = { id: string; parent_company_id?: string | null | undefined; external_id?: string | null | undefined }

/** The update did not come to this record's turn with this field refused (see updatesInTurn). */
const notRefused = (field: string): SQL => sql`position(${`${field}:`}::text || r.id in coalesce(current_setting('app.refused', true), '')) = 0`
const refuseUnless = (holds: SQL, field: string, id: string): Statement =>
  sql`select set_config('app.refused', concat(current_setting('app.refused', true), ' ', ${`${field}:${id}`}::text), true) where not (${holds})`

export const RULES: Reference[] = [
  { field: 'parent_company_id', known: notRefused('parent_company_id'), message: CIRCLE },
  { field: 'external_id', known: notRefused('external_id'), message: 'Another company already has this external_id', code: 'CONFLICT' },
]

/**
 * Updates for a bulk call. Whether a new parent or external id is possible depends on the records before it, so each of those
 * is judged and written in its turn; what was refused is noted for the transaction, where RULES finds it.
 */
export function updatesInTurn<P extends Patch>(patches: P[], update: (some: P[]) => Statement): Statement[] {
  const alone = patches.filter((patch) => patch.parent_company_id || patch.external_id)
  const together = patches.filter((patch) => !alone.includes(patch))
  const locks = alone.length > 0 ? [oneMoveAtATime, lockAll(companies, patches.map(({ id }) => id))] : []
  return [...locks, ...(together.length > 0 ? [update(together)] : []), ...alone.flatMap((patch) => [...judged(patch), update([patch])])]
}

function judged({ id, parent_company_id: parent, external_id }: Patch): Statement[] {
  const isThere = sql`exists (select from companies where id = ${parent})`
  const isItsOwn = sql`not exists (select from companies where external_id = ${external_id} and id <> ${id})`
  return [
    ...(parent ? [refuseUnless(sql`${isThere} and ${fitsUnder(id, parent)}`, 'parent_company_id', id)] : []),
    ...(external_id ? [refuseUnless(isItsOwn, 'external_id', id)] : []),
  ]
}
