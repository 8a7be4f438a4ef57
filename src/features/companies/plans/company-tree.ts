import { type SQL, sql } from 'drizzle-orm'
import { Guard, type Reference, thereIs } from '../../../data/bulk.ts'
import { hand, handedText } from '../../../data/handed.ts'
import { MAX_COMPANY_LEVELS } from '../../../domain/limits.ts'

export const CYCLE = `must be a company of this workspace, neither the company itself nor below it, \
with fewer than ${MAX_COMPANY_LEVELS} above it`

/**
 * Serialises changes of the hierarchy: two companies moved under each other at the same time would form a cycle that neither transaction
 * sees.
 */
export const hierarchyLock = sql`select pg_advisory_xact_lock(hashtext('companies.parent_company_id'), hashtext(current_workspace()::text))`

const stored = sql`select id, parent_company_id from companies`

/** True when `parent` may become the parent of `id`: following the links of `tree` upwards from `parent` never reaches `id`. */
const fits = (id: SQL, parent: SQL, tree: SQL): SQL => sql`not exists (
  with recursive up(id, level) as (
    select ${parent}, 1 union select t.parent_company_id, level + 1 from up join (${tree}) t on t.id = up.id
      where up.id <> ${id} and level < ${MAX_COMPANY_LEVELS} and t.parent_company_id is not null
  ) select from up where up.id = ${id} or up.level = ${MAX_COMPANY_LEVELS})`

export const fitsUnder = (id: string, parent: string): SQL => fits(sql`${id}::uuid`, sql`${parent}::uuid`, stored)

type Patch = { id: string; parent_company_id?: string | null | undefined }

/** The rule of a bulk update. Requires checkHierarchy before it. */
export const hierarchyRule: Reference = {
  field: 'parent_company_id',
  condition: sql`position(r.id::text in coalesce((select ${handedText('refused_parents')}), '')) = 0`,
  message: CYCLE,
}

/** The rule that the parent of a row exists, and may become its parent in `tree`. */
const parentIn = (tree: SQL): Reference => ({
  field: 'parent_company_id',
  message: CYCLE,
  condition: sql`(r.parent_company_id is null or ${thereIs(sql`companies c where c.id = r.parent_company_id`)}
    and ${fits(sql`r.id`, sql`r.parent_company_id`, tree)})`,
})
/** The rule of a bulk create: nothing is below a new company. */
export const createHierarchyRule = parentIn(stored)
/** The hierarchy rule of an upsert: the stored links together with the requested ones must not form a cycle. */
export const upsertHierarchyRule = parentIn(sql`${stored} union all select a.id, (a.patch ->> 'parent_company_id')::uuid from requested a`)

/**
 * Finds the parents in a bulk update that would form a cycle with the stored and the requested links, whichever of these are written. The
 * result is handed over, because hierarchyRule reads it before and after the update.
 */
export function checkHierarchy(patches: Patch[]): Guard[] {
  const moves = patches.flatMap(({ id, parent_company_id }) => (parent_company_id === undefined ? [] : [{ id, parent_company_id }]))
  if (!moves.some(({ parent_company_id }) => parent_company_id)) return []
  const requested = sql`jsonb_to_recordset(${JSON.stringify(moves)}::jsonb) as r(id uuid, parent_company_id uuid)`
  const links = sql`${stored} union all select id, parent_company_id from requested`
  return [
    new Guard(hierarchyLock),
    new Guard(sql`with requested as (select r.* from ${requested})
      ${hand('refused_parents', sql`to_jsonb(coalesce(string_agg(r.id::text, ' '), ''))`)} from requested r
        where r.parent_company_id is not null
        and not (exists (select from companies c where c.id = r.parent_company_id)
          and ${fits(sql`r.id`, sql`r.parent_company_id`, links)})`),
  ]
}
