import { eq, type SQL, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { pipelines } from '../../schema/index.ts'
import { map, one } from '../data/answer.ts'
import { db } from '../data/db.ts'
import { read } from '../data/work.ts'
import type { Board, Summary } from '../shapes/pipelines.ts'

type Columns = v.InferOutput<typeof Board>['columns']
type Stages = v.InferOutput<typeof Summary>['stages']

const and = (conditions: (SQL | undefined)[]) => sql.join([sql`true`, ...conditions.filter((one) => one !== undefined)], sql` and `)

/** The board as people see it: a column a stage, with how much is in it and its newest cards. */
export function boardOf(id: string, { cards, assigned_to }: { cards: number; assigned_to?: string | undefined }) {
  const shown = and([
    sql`o.workspace_id = s.workspace_id and o.stage_id = s.id and not o.archived`,
    assigned_to === undefined ? undefined : sql`o.assigned_to = ${assigned_to}::uuid`,
  ])
  const newest = sql`(select coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'value', c.value, 'assigned_to', c.assigned_to, 'customer_id', c.customer_id,
      'company_name', (select k.name from companies k where k.workspace_id = c.workspace_id and k.id = c.customer_id), 'stage_entered_at', iso(c.stage_entered_at),
      'expected_close_date', c.expected_close_date, 'next_action_at', iso(c.next_action_at)) order by c.created_at desc, c.id desc), '[]')
    from (select o.* from opportunities o where ${shown} order by o.created_at desc, o.id desc limit ${cards}) c)`
  const columns =
    sql<Columns>`(select coalesce(json_agg(json_build_object('stage_id', s.id, 'name', s.name, 'kind', s.kind, 'color', s.color, 'count', t.count, 'value', t.value, 'cards', ${newest})
      order by s.position, s.id), '[]')
    from stages s, lateral (select count(*) as count, coalesce(sum(o.value), 0) as value from opportunities o where ${shown}) t
    where s.workspace_id = pipelines.workspace_id and s.pipeline_id = pipelines.id)`.as('columns')
  return read(
    one(db.select({ pipeline_id: pipelines.id, name: pipelines.name, columns }).from(pipelines).where(eq(pipelines.id, id)), 'pipeline'),
  )
}

export type SummaryQuery = {
  from?: string | undefined
  to?: string | undefined
  date_field: 'created_at' | 'opened_at' | 'closed_at'
  assigned_to?: string | undefined
}
type Totals = { stages: Stages; days: number | null; without_company: number }

/** How the pipeline did: by stage, won and lost, how many of those decided were won, and how long that took. Archived ones count. */
export function summaryOf(id: string, { from, to, date_field, assigned_to }: SummaryQuery) {
  const at = sql`o.${sql.identifier(date_field)}`
  const counted = and([
    sql`o.workspace_id = pipelines.workspace_id and o.pipeline_id = pipelines.id`,
    from === undefined ? undefined : sql`${at} >= ${from}::date`,
    to === undefined ? undefined : sql`${at} < ${to}::date + 1`,
    assigned_to === undefined ? undefined : sql`o.assigned_to = ${assigned_to}::uuid`,
  ])
  const totals = sql<Totals>`(
    with picked as (select o.stage_id, count(*) as count, coalesce(sum(o.value), 0) as value, coalesce(sum(round(o.value * o.probability / 100, 2)), 0) as weighted,
        count(*) filter (where o.customer_id is null) as without_company, sum(extract(epoch from o.closed_at - coalesce(o.opened_at, o.created_at)) / 86400) filter (where o.status = 'won') as days
      from opportunities o where ${counted} group by o.stage_id)
    select json_build_object(
      'stages', (select coalesce(json_agg(json_build_object('stage_id', s.id, 'name', s.name, 'kind', s.kind, 'count', coalesce(p.count, 0), 'value', coalesce(p.value, 0), 'weighted_value', coalesce(p.weighted, 0))
        order by s.position, s.id), '[]') from stages s left join picked p on p.stage_id = s.id where s.workspace_id = pipelines.workspace_id and s.pipeline_id = pipelines.id),
      'days', (select round(sum(p.days) / nullif(sum(p.count) filter (where s.kind = 'won'), 0), 1) from picked p join stages s on s.id = p.stage_id and s.kind = 'won'),
      'without_company', (select coalesce(sum(without_company), 0) from picked)))`.as('totals')
  const answer = one(db.select({ pipeline_id: pipelines.id, totals }).from(pipelines).where(eq(pipelines.id, id)), 'pipeline')
  return read(map(answer, ({ pipeline_id, totals }) => ({ pipeline_id, stages: totals.stages, ...resultsOf(totals) })))
}

function resultsOf({ stages, days, without_company }: Totals) {
  const of = (kind: string) => {
    const some = stages.filter((stage) => stage.kind === kind)
    // Cents are whole numbers, so their sum is exact.
    return {
      count: some.reduce((sum, { count }) => sum + count, 0),
      value: some.reduce((sum, { value }) => sum + Math.round(value * 100), 0) / 100,
    }
  }
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
