import { type SQL, sql } from 'drizzle-orm'
import type { Statement } from '../../data/db.ts'
import { periodsOf } from '../../domain/periods.ts'

export type DateField = 'created_at' | 'opened_at' | 'closed_at'

/** Selects the opportunities of a pipeline to count. */
export type CountFilter = {
  assigned_to?: string | undefined
  /** Excludes archived opportunities; cannot be combined with `dates`. */
  active?: boolean
  dates?: { field: DateField; from: string | undefined; to: string | undefined } | undefined
}

const SUMS = ['count', 'without_company', 'value', 'weighted_value', 'won_ms'] as const
const columns = sql.raw(['stage_id', ...SUMS].join(', '))
const sums = sql.raw(SUMS.map((name) => `sum(${name}) as ${name}`).join(', '))

/** Folds pending deltas into the totals, so that countsByStage adds up few rows. Run it before, in the same batch. */
export const foldDeltas = (pipelineId: string): Statement => sql`select fold_pipeline(${pipelineId}::uuid)`

/**
 * The counts of a pipeline's non-empty stages by stage_id: the totals plus the deltas that are not folded in yet. One select reads both
 * in the same snapshot, so the sum is exact.
 */
export function countsByStage(pipelineId: string, filter: CountFilter): SQL {
  const parts = [...totalsOf(filter), deltasOf(filter)].map(
    ({ table, where }) => sql`select ${columns} from ${sql.raw(table)} where pipeline_id = ${pipelineId}::uuid and ${where}`,
  )
  return sql`select stage_id, ${sums} from (${sql.join(parts, sql` union all `)}) counted group by stage_id`
}

type Part = { table: string; where: SQL }

/** The totals or, for a range of dates, those of its months and days. */
function totalsOf({ assigned_to, active, dates }: CountFilter): Part[] {
  const owner = assigned_to === undefined ? sql`assigned_to is null` : sql`assigned_to = ${assigned_to}::uuid`
  if (!dates) return [{ table: 'opportunity_totals', where: active ? sql`${owner} and not archived` : owner }]
  return periodsOf(dates.from, dates.to).map(({ period, first, last }) => ({
    table: 'opportunity_periods',
    where: sql`${owner} and date_field = ${dates.field} and period = ${period} and starts_on between ${first}::date and ${last}::date`,
  }))
}

const DELTA_DAY = { created_at: sql`created_on`, opened_at: sql`opened_on`, closed_at: sql`closed_on` }

function deltasOf({ assigned_to, active, dates }: CountFilter): Part {
  const conditions = [
    assigned_to === undefined ? undefined : sql`assigned_to = ${assigned_to}::uuid`,
    active ? sql`not archived` : undefined,
    dates && sql`${DELTA_DAY[dates.field]} between ${dates.from ?? '-infinity'}::date and ${dates.to ?? 'infinity'}::date`,
  ].filter((one) => one !== undefined)
  return { table: 'opportunity_deltas', where: sql.join([sql`true`, ...conditions], sql` and `) }
}
