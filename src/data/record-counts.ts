import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { call } from './call.ts'
import type { Statement } from './db.ts'

/** The kinds of records that are counted, and what each is counted by (schema/functions/record-counts.sql). */
type Counted = 'contacts' | 'companies' | 'opportunities' | 'tasks'
type CountedBy = 'assigned_to' | 'source_id' | 'source' | 'tag'

/** The number of deltas that are read for each count, and the number that is read once for many. */
const MOST_DELTAS = 1_000
const MOST_FOR_MANY = 200

/** Runs before counts are read, in the same batch, so that they add up few deltas. */
export const foldCounts: Statement = call('fold_own_record_counts', sql.raw(String(MOST_DELTAS)))
export const foldForMany: Statement = call('fold_own_record_counts', sql.raw(String(MOST_FOR_MANY)))

/** The values of the deltas of a kind, as `value`. */
const VALUES: Record<CountedBy, SQL> = {
  assigned_to: sql`(select d.assigned_to::text) v(value)`,
  source_id: sql`(select d.source_id::text) v(value)`,
  source: sql`(select d.source) v(value)`,
  tag: sql`unnest(d.tags) v(value)`,
}

/**
 * The number of records with a value, archived ones included, for a statement that counts for many values: the total, plus the deltas that
 * are not folded in yet, which are read once for the statement. One select reads both in the same snapshot, so the sum is exact.
 */
export function countForEach(object: Counted, by: CountedBy, value: SQL): SQL {
  const kind = sql.raw(`'${object}'`)
  const unfolded = sql`(select coalesce(jsonb_object_agg(u.value, u.n), '{}') from (
    select v.value, sum(d.count) as n from record_count_deltas d, lateral ${VALUES[by]}
    where d.object = ${kind} and v.value is not null group by 1) u)`
  const total = sql`(select sum(c.count) from record_counts c
    where c.object = ${kind} and c.counted_by = ${sql.raw(`'${by}'`)} and c.value = ${value})`
  return sql`(coalesce(${total}, 0) + coalesce((${unfolded} ->> ${value})::bigint, 0))::int`
}

/** The filters of lists whose records are counted. */
const FILTERS: Record<Counted, Record<string, CountedBy>> = {
  contacts: { assigned_to: 'assigned_to', source_id: 'source_id', source: 'source', tag: 'tag' },
  companies: { assigned_to: 'assigned_to', tag: 'tag' },
  opportunities: { assigned_to: 'assigned_to', lead_source: 'source', tag: 'tag' },
  tasks: { assigned_to: 'assigned_to' },
}
/** What a query may say without listing fewer records. */
const OF_PAGE = ['limit', 'after', 'sort', 'archived', 'count', 'fields', 'include']

const isCounted = (table: string): table is Counted => table in FILTERS

/**
 * The number of records of a list of its whole table, if its query has at most one filter by which they are counted. Whoever may list these
 * records sees all of them, except those of running deletions, which are counted until they are gone.
 */
export function countOfList({ id, isTable, query }: { id: PgColumn; isTable?: boolean; query: Record<string, unknown> }): SQL | undefined {
  // The id of a list that is not of its whole table may have no table.
  const table = isTable ? getTableName(id.table) : ''
  if (!isCounted(table)) return undefined
  const sent = Object.keys(query).filter((name) => query[name] !== undefined && !OF_PAGE.includes(name))
  const [name, ...others] = sent
  const by = name === undefined ? 'all' : FILTERS[table][name]
  if (!by || others.length > 0) return undefined
  const kind = query.archived === 'all' ? sql`true` : sql`archived = ${sql.raw(String(query.archived === 'true'))}`
  const [value, holds] = conditionOf(by, name === undefined ? undefined : query[name])
  return sql`(select coalesce(sum(n), 0)::bigint from (
    select count as n from record_counts where object = ${table} and counted_by = ${by} and value = ${value} and ${kind}
    union all select count from record_count_deltas where object = ${table} and ${holds} and ${kind}) counts)`
}

/** A value as totals have it, and the condition of deltas with it. */
function conditionOf(by: CountedBy | 'all', value: unknown): [value: SQL, holds: SQL] {
  if (by === 'all') return [sql`''`, sql`true`]
  if (by === 'tag') return [sql`norm(${value})`, sql`norm(${value}) = any(tags)`]
  if (by === 'source') return [sql`${value}`, sql`source = ${value}`]
  return [sql`${value}::uuid::text`, sql`${sql.identifier(by)} = ${value}::uuid`]
}
