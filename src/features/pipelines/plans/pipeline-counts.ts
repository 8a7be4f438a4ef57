import { type SQL, sql } from 'drizzle-orm'
import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import { periodsOf } from '../rules/periods.ts'

export type DateField = 'created_at' | 'opened_at' | 'closed_at'

/** Selects the opportunities of a pipeline to count. */
export type CountFilter = {
  assigned_to?: string | undefined
  /** Excludes archived opportunities; cannot be combined with `dates`. */
  active?: boolean
  dates?: { field: DateField; from: string | undefined; to: string | undefined } | undefined
}

const SUMS = ['count', 'without_company', 'value', 'weighted_value', 'won_ms'] as const
const columns = sql.raw(['stage_id', 'currency', ...SUMS].join(', '))
const sums = sql.raw(SUMS.map((name) => `sum(${name}) as ${name}`).join(', '))
/** The sum of an amount, if all opportunities have one currency. */
const inOneCurrency = (name: string) => `case when count(*) filter (where count > 0) <= 1 then sum(${name}) end as ${name}`
const perStage = sql.raw(`stage_id, sum(count) as count, sum(without_company) as without_company, sum(won_ms) as won_ms,
  ${inOneCurrency('value')}, ${inOneCurrency('weighted_value')},
  coalesce(json_agg(json_build_object('currency', currency, 'count', count, 'value', value,
    'weighted_value', weighted_value) order by currency) filter (where count > 0), '[]') as by_currency`)

/** Folds pending deltas into the totals, so that countsByStage adds up few rows. Run it before, in the same batch. */
export const foldDeltas = (pipelineId: string): Statement => call('fold_pipeline', pipelineId)

/**
 * The counts of a pipeline's non-empty stages by stage_id: the totals plus the deltas that are not folded in yet. One select reads both
 * in the same snapshot, so the sum is exact. Amounts in different currencies are not added: `value` and `weighted_value` are then null.
 */
export function countsByStage(pipelineId: string, filter: CountFilter): SQL {
  const parts = [...totalsOf(filter), deltasOf(filter)].map(
    ({ table, where }) => sql`select ${columns} from ${sql.raw(table)} where pipeline_id = ${pipelineId}::uuid and ${where}`,
  )
  const perCurrency = sql`select stage_id, currency, ${sums} from (${sql.join(parts, sql` union all `)}) counted
    group by stage_id, currency`
  return sql`select ${perStage} from (${perCurrency}) totals group by stage_id`
}

/** A stage's amounts for json_build_object, from a left join to countsByStage as `t`. */
export const amountsOf = (...names: ('value' | 'weighted_value')[]): SQL =>
  sql.raw(
    [
      ...names.map((name) => `'${name}', case when t.stage_id is null then 0.00 else t.${name} end`),
      `'by_currency', coalesce(t.by_currency, '[]')`,
    ].join(', '),
  )

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
