import type pg from 'pg'
import type { Row } from './crm.ts'

const SUMS =
  'sum(count) as count, sum(without_company) as without_company, sum(value) as value, sum(weighted_value) as ' +
  'weighted_value, sum(won_ms) as won_ms'
const NOT_EMPTY = 'having sum(count) <> 0 or sum(without_company) <> 0 or sum(value) <> 0 or sum(weighted_value) <> 0 or sum(won_ms) <> 0'

/** Each opportunity as a row that counts one, and each for its owner too. */
const CARDS = `select o.pipeline_id, o.stage_id, o.currency, w.owner, o.archived, (o.created_at at time zone 'UTC')::date as created_on,
    (o.opened_at at time zone 'UTC')::date as opened_on, (o.closed_at at time zone 'UTC')::date as closed_on, 1 as count,
      (o.customer_id is null)::int as without_company, o.value,
    round(o.value * o.probability / 100, 2) as weighted_value,
    case when o.status = 'won' then extract(epoch from o.closed_at - coalesce(o.opened_at, o.created_at)) * 1000 else 0 end as won_ms
  from opportunities o, lateral (select null::uuid as owner union all select o.assigned_to where o.assigned_to is not null) w
  where o.workspace_id = $1 and o.stage_id is not null`
const DELTAS = `select d.pipeline_id, d.stage_id, d.currency, w.owner, d.archived, d.created_on, d.opened_on, d.closed_on, d.count,
  d.without_company, d.value, d.weighted_value, d.won_ms
  from opportunity_deltas d, lateral (select null::uuid as owner union all select d.assigned_to where d.assigned_to is not null) w
  where d.workspace_id = $1`

const byStage = (rows: string) =>
  `select pipeline_id, stage_id, currency, owner, archived, ${SUMS} from (${rows}) r group by 1, 2, 3, 4, 5 ${NOT_EMPTY}`
const byPeriod = (rows: string) =>
  `select pipeline_id, stage_id, currency, owner, date_field, period, starts_on, ${SUMS} from (${rows}) r
    group by 1, 2, 3, 4, 5, 6, 7 ${NOT_EMPTY}`
const inPeriods = (
  rows: string,
) => `select pipeline_id, stage_id, currency, owner, f.date_field, p.period, p.starts_on, count, without_company,
  value, weighted_value, won_ms
  from (${rows}) r, lateral (values ('created_at', created_on), ('opened_at', opened_on), ('closed_at', closed_on)) f(date_field, at),
    lateral (values ('day', f.at), ('month', date_trunc('month', f.at::timestamp)::date)) p(period, starts_on) where f.at is not null`

const TOTALS = `select pipeline_id, stage_id, currency, assigned_to as owner, archived, count, without_company, value, weighted_value,
  won_ms from opportunity_totals where workspace_id = $1`
const PERIODS = `select pipeline_id, stage_id, currency, assigned_to as owner, date_field, period, starts_on, count, without_company, value,
  weighted_value, won_ms from opportunity_periods where workspace_id = $1`

const apart = (one: string, other: string) =>
  `(select * from (${one}) a except all select * from (${other}) b)
    union all (select * from (${other}) b except all select * from (${one}) a)`

/** Where the counters of a workspace differ from its opportunities, in one snapshot of the database: nowhere, at whatever moment. */
export async function miscounts(owner: pg.Pool, workspace: string): Promise<Row[]> {
  const stages = apart(
    byStage(CARDS),
    byStage(
      `${TOTALS} union all select pipeline_id, stage_id, currency, owner, archived, count, without_company, value, weighted_value, ` +
        `won_ms from (${DELTAS}) d`,
    ),
  )
  const periods = apart(byPeriod(inPeriods(CARDS)), byPeriod(`${PERIODS} union all ${inPeriods(DELTAS)}`))
  const { rows } = await owner.query(
    `select 'stage' as what, to_jsonb(s) as row from (${stages}) s union all select 'period', to_jsonb(p) from (${periods}) p`,
    [workspace],
  )
  return rows
}

export type Filter = { assigned_to?: string; date_field?: 'created_at' | 'opened_at' | 'closed_at'; from?: string; to?: string }
const DAY = 86_400_000

/** A board's and a summary's figures, from the rows of the pipeline's opportunities. */
export function recounted(rows: Row[], pipeline: Row, filter: Filter) {
  const { assigned_to, date_field = 'created_at', from, to } = filter
  const owned = rows.filter((card) => assigned_to === undefined || card.assigned_to === assigned_to)
  const dated = owned.filter((card) => {
    if (from === undefined && to === undefined) return true
    const at = card[date_field] as Date | null
    return at !== null && (!from || +at >= Date.parse(from)) && (!to || +at < Date.parse(to) + DAY)
  })
  const of = (stage: Row, cards: Row[]) => cards.filter(({ stage_id }) => stage_id === stage.id)
  const cents = (card: Row) => Math.round(Number(card.value) * 100)
  const sum = (cards: Row[], each: (card: Row) => number) => cards.reduce((all, card) => all + each(card), 0)
  const weighted = (card: Row) => Math.round((cents(card) * Math.round(Number(card.probability) * 100)) / 10_000)
  const currencies = (cards: Row[]) => [...new Set(cards.map(({ currency }) => currency as string))].sort()
  const inOneCurrency = (cards: Row[], each: (card: Row) => number) => (currencies(cards).length > 1 ? null : sum(cards, each) / 100)
  const figures = (stage: Row, cards: Row[]) => ({
    stage_id: stage.id,
    count: cards.length,
    value: inOneCurrency(cards, cents),
    by_currency: currencies(cards).map((currency) => {
      const own = cards.filter((card) => card.currency === currency)
      return { currency, count: own.length, value: sum(own, cents) / 100, weighted_value: sum(own, weighted) / 100 }
    }),
  })
  const kinds = (kind: string) => pipeline.stages.filter((stage: Row) => stage.kind === kind).flatMap((stage: Row) => of(stage, dated))
  const [won, lost] = [kinds('won'), kinds('lost')]
  const days = sum(won, (card) => (card.status === 'won' ? (+card.closed_at - +(card.opened_at ?? card.created_at)) / DAY : 0)) / won.length
  return {
    columns: pipeline.stages.map((stage: Row) =>
      figures(
        stage,
        of(stage, owned).filter(({ archived }) => !archived),
      ),
    ),
    stages: pipeline.stages.map((stage: Row) => ({
      ...figures(stage, of(stage, dated)),
      weighted_value: inOneCurrency(of(stage, dated), weighted),
    })),
    without_company: dated.filter(({ customer_id }) => customer_id === null).length,
    conversion_percent: won.length + lost.length ? Math.round((won.length / (won.length + lost.length)) * 10_000) / 100 : null,
    days: won.length ? days : null,
  }
}
