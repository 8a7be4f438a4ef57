import { eq, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { pipelines } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { plan } from '../../../data/plan.ts'
import { mapResult, oneOrThrow } from '../../../data/query.ts'
import { stageTimes } from '../../../data/stage-times.ts'
import type { Rate } from '../rules/conversion.ts'
import type { Board, Summary } from '../schemas/pipelines.ts'
import { type ConversionQuery, conversionOf } from './conversions.ts'
import { amountsOf, countsByStage, type DateField, foldDeltas } from './pipeline-counts.ts'

const inStage = stageTimes(sql`c`)

type Columns = v.InferOutput<typeof Board>['columns']
type Stages = v.InferOutput<typeof Summary>['stages']

type BoardQuery = ConversionQuery & { cards: number; assigned_to?: string | undefined }

/** A pipeline's board: one column per stage with its count, value and newest cards. */
export function boardOf(ctx: Ctx, id: string, { cards, assigned_to, ...query }: BoardQuery) {
  const conversion = conversionOf(ctx, query)
  const owned = assigned_to === undefined ? sql`` : sql` and o.assigned_to = ${assigned_to}::uuid`
  const newest = sql`(select coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'value', c.value, 'assigned_to', c.assigned_to,
      'customer_id', c.customer_id,
      'company_name', (select k.name from companies k where k.workspace_id = c.workspace_id and k.id = c.customer_id),
        'stage_entered_at', iso(c.stage_entered_at), 'days_in_stage', ${inStage.days_in_stage}, 'is_rotting', ${inStage.is_rotting},
      'expected_close_date', c.expected_close_date, 'next_action_at', iso(c.next_action_at)) order by c.created_at desc, c.id desc), '[]')
    from (select o.* from opportunities o where o.workspace_id = s.workspace_id and o.stage_id = s.id and not o.archived${owned}
      order by o.created_at desc, o.id desc limit ${cards}) c)`
  const board = sql<{
    columns: Columns
    rates: Rate[] | null
  }>`(with counts as materialized (${countsByStage(id, { assigned_to, active: true })})
    select json_build_object('rates', ${conversion.rates},
      'columns', coalesce(json_agg(json_build_object('stage_id', s.id, 'name', s.name, 'kind', s.kind, 'color', s.color,
      'rotting_days', s.rotting_days, 'count', coalesce(t.count, 0), ${amountsOf('value')}, 'cards', ${newest})
      order by s.position, s.id), '[]'))
    from stages s left join counts t on t.stage_id = s.id
    where s.workspace_id = pipelines.workspace_id and s.pipeline_id = pipelines.id)`.as('board')
  const select = db.select({ pipeline_id: pipelines.id, name: pipelines.name, board }).from(pipelines).where(eq(pipelines.id, id))
  return plan(
    [...conversion.guards, foldDeltas(id)],
    mapResult(oneOrThrow(select, 'pipeline'), ({ board: { columns, rates }, ...pipeline }) => ({
      ...pipeline,
      ...conversion.described(columns, rates),
      columns: columns.map((column) => conversion.sums(column, rates)),
    })),
  )
}

export type SummaryQuery = ConversionQuery & {
  from?: string | undefined
  to?: string | undefined
  date_field: DateField
  assigned_to?: string | undefined
}
type Totals = { stages: Stages; rates: Rate[] | null; days: number | null; without_company: number }

/** The pipeline report: totals by stage, won and lost, win rate and average days to win. Archived opportunities count. */
export function summaryOf(ctx: Ctx, id: string, { from, to, date_field, assigned_to, ...query }: SummaryQuery) {
  const conversion = conversionOf(ctx, query)
  const dates = from === undefined && to === undefined ? undefined : { field: date_field, from, to }
  const totals = sql<Totals>`(
    with counts as materialized (${countsByStage(id, { assigned_to, dates })})
    select json_build_object('rates', ${conversion.rates},
      'stages', coalesce(json_agg(json_build_object('stage_id', s.id, 'name', s.name, 'kind', s.kind, 'count', coalesce(t.count, 0),
        ${amountsOf('value', 'weighted_value')})
        order by s.position, s.id), '[]'),
      'days', round(sum(t.won_ms) filter (where s.kind = 'won') / nullif(sum(t.count) filter (where s.kind = 'won'), 0) / 86400000, 1),
      'without_company', coalesce(sum(t.without_company), 0))
    from stages s left join counts t on t.stage_id = s.id
    where s.workspace_id = pipelines.workspace_id and s.pipeline_id = pipelines.id)`.as('totals')
  const result = oneOrThrow(db.select({ pipeline_id: pipelines.id, totals }).from(pipelines).where(eq(pipelines.id, id)), 'pipeline')
  return plan(
    [...conversion.guards, foldDeltas(id)],
    mapResult(result, ({ pipeline_id, totals }) => {
      const { rates } = totals
      const { open, won, lost, ...figures } = resultsOf(totals)
      return {
        pipeline_id,
        ...conversion.described(totals.stages, rates),
        stages: totals.stages.map((stage) => conversion.sums(stage, rates)),
        open: conversion.sums(open, rates),
        won: conversion.sums(won, rates),
        lost: conversion.sums(lost, rates),
        ...figures,
      }
    }),
  )
}

type CurrencyTotal = Stages[number]['by_currency'][number]
/** Summed in cents, because integers add up exactly. */
const sumOf = (amounts: number[]): number => amounts.reduce((sum, amount) => sum + Math.round(amount * 100), 0) / 100

function totalsOf(stages: Stages) {
  const currencies = Map.groupBy(
    stages.flatMap(({ by_currency }) => by_currency),
    ({ currency }) => currency,
  )
  const by_currency = [...currencies]
    .map(
      ([currency, totals]): CurrencyTotal => ({
        currency,
        count: totals.reduce((sum, { count }) => sum + count, 0),
        value: sumOf(totals.map(({ value }) => value)),
        weighted_value: sumOf(totals.map(({ weighted_value }) => weighted_value)),
      }),
    )
    .sort((a, b) => (a.currency < b.currency ? -1 : 1))
  return {
    count: stages.reduce((sum, { count }) => sum + count, 0),
    value: by_currency.length > 1 ? null : (by_currency[0]?.value ?? 0),
    by_currency,
  }
}

function resultsOf({ stages, days, without_company }: Totals) {
  const of = (kind: string) => totalsOf(stages.filter((stage) => stage.kind === kind))
  const [open, won, lost] = [of('open'), of('won'), of('lost')]
  const decided = won.count + lost.count
  return {
    open,
    won,
    lost,
    conversion_percent: decided === 0 ? null : Math.round((won.count / decided) * 10_000) / 100,
    average_days_to_close: days,
    without_company,
  }
}
