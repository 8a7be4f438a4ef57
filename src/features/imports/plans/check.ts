import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import { allHold, Guard, violatedFields } from '../../../data/bulk.ts'
import type { Statement } from '../../../data/db.ts'
import { hand, handed } from '../../../data/handed.ts'
import type { OwnedTable } from '../../../data/store.ts'
import { takenBy } from '../../../data/unique-keys.ts'
import { valuesOf } from '../../../schemas/bulk.ts'
import { type BulkPlan, checkCustomValues } from '../../records/plans/bulk.ts'
import { takenFrom } from '../../records/plans/unique-values.ts'

type Checked = { statements: Statement[]; outcomes: SQL }

/**
 * Computes the outcome of each line without writing. It evaluates the rules of both bulk writes, and replaces the unique index by a
 * comparison with the stored rows and the other lines of the batch. Creates come before updates, as they do in a run.
 */
export function checkStatements(creates: BulkPlan, updates: BulkPlan): { created: Checked; updated: Checked } {
  const [{ entity }] = creates
  const guards = (plan: BulkPlan) => plan.slice(2).filter((statement) => statement instanceof Guard) as Statement[]
  const custom = checkCustomValues(entity, [...creates[1].valid, ...updates[1].valid])
  return {
    created: { statements: [...(custom ? [custom] : []), ...guards(creates)], outcomes: createdOutcomes(creates) },
    updated: { statements: [createdIds(creates), ...guards(updates)], outcomes: updatedOutcomes(updates, creates) },
  }
}

/** The error of a record's custom values. It does not name a record that a line would create. */
function refusedOf(created: BulkPlan): SQL {
  const ids = JSON.stringify(valuesOf(created[1]).map(({ id }) => id))
  return sql`(select case when ${ids}::jsonb ? (error ->> 'id') then error - 'id' else error end from custom_error_of(r.id) error)`
}

/** The external id of a row; null where records have none. */
const externalIdOf = (table: OwnedTable): SQL => ('external_id' in getTableColumns(table) ? sql`r.external_id` : sql`null::text`)

/** The rows of a plan with the rules that each of them violates, as bulk.ts defines them. */
function checkedRows([{ table, references }, { valid }]: BulkPlan, created: BulkPlan): SQL {
  const rows = JSON.stringify(valid.map(({ value }) => value))
  return sql`(select p.index - 1 as i, r.id, ${externalIdOf(table)} as external_id, ${violatedFields(references)} as unknown,
      coalesce(${allHold(references)}, false) as holds, ${refusedOf(created)} as refused
      , coalesce(${takenFrom(sql`r.id`)}, ${takenBy(table, sql`r`)}) as taken
    from jsonb_array_elements(${rows}::jsonb) with ordinality as p(patch, index), jsonb_populate_record(null::${table}, p.patch) as r)`
}

/** When several lines have the same external id, the first valid one gets it. The record that it would create has no id to name. */
const writable = (plan: BulkPlan): SQL =>
  sql`(select j.*, j.holds and j.refused is null and (j.external_id is null or j.taken is null and j.nth = 1) as done,
      case when j.external_id is not null and j.nth > 1 then '{"field": "external_id"}'::jsonb end as repeated
    from (select c.*, row_number() over (partition by c.external_id order by not (c.holds and c.refused is null), c.i) as nth
      from ${checkedRows(plan, plan)} c) j)`

const outcomesFrom = (rows: SQL): SQL =>
  sql`(select coalesce(jsonb_agg(jsonb_build_object('i', f.i, 'id', f.id, 'unknown', f.unknown, 'refused', f.refused, 'done', f.done,
    'taken', case when not f.done then coalesce(f.taken, f.repeated) end)), '[]') from ${rows} f)`

const createdOutcomes = (plan: BulkPlan): SQL => (plan[1].valid.length > 0 ? outcomesFrom(writable(plan)) : sql`'[]'::jsonb`)

/** Hands over the external ids that lines of the batch would create. */
const createdIds = (plan: BulkPlan): SQL => {
  const ids = valuesOf(plan[1]).some(({ external_id }) => external_id)
    ? sql`(select coalesce(jsonb_agg(w.external_id), '[]') from ${writable(plan)} w where w.done and w.external_id is not null)`
    : sql`'[]'::jsonb`
  return hand('import_created_ids', ids)
}

/** The outcomes of the updates. An external id that a line of the batch creates counts as taken. */
function updatedOutcomes(plan: BulkPlan, created: BulkPlan): SQL {
  if (plan[1].valid.length === 0) return sql`'[]'::jsonb`
  const name = sql.identifier(getTableName(plan[0].table))
  const taken = sql`j.external_id is not null and (select ${handed('import_created_ids')}) ? j.external_id
    and not 'external_id' = any(j.unknown)`
  const unknown = sql`case when ${taken} then j.unknown || array['external_id'] else j.unknown end`
  return outcomesFrom(sql`(select j.i, j.id, u.unknown, j.refused, j.taken, null::jsonb as repeated, t.id is not null
    and cardinality(u.unknown) = 0 and j.refused is null as done
    from ${checkedRows(plan, created)} j cross join lateral (select ${unknown} as unknown) u left join ${name} t on t.id = j.id)`)
}
