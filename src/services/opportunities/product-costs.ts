import { eq, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { productCosts as costs, opportunities } from '../../../schema/index.ts'
import { childrenOf } from '../../data/children.ts'
import { db, type Statement } from '../../data/db.ts'
import { read } from '../../data/plan.ts'
import { assertField, mapResult, oneOrThrow } from '../../data/query.ts'
import { columnsFor } from '../../data/store.ts'
import { MONEY_MAX, MONEY_MAX_TEXT } from '../../domain/money.ts'
import { type LineMargin, type Margin, NewProductCost, ProductCost, type ProductCostPatch } from '../../schemas/opportunity-details.ts'
import { createBelow } from '../bulk/below.ts'
import { OPPORTUNITY } from './parent.ts'

/** A line item `i` with the sum of its costs `k`. */
const lines = sql.raw(`opportunity_products i, lateral
  (select coalesce(sum(c.cost), 0.00) as cost from product_costs c where c.workspace_id = i.workspace_id and c.line_item_id = i.id) k`)
const margins = (subtotal: string, cost: string) =>
  sql.raw(
    `'subtotal', ${subtotal}, 'cost', ${cost}, 'margin', ${subtotal} - ${cost}, 'margin_percent', round((${subtotal} - ${cost}) * 100 / nullif(${subtotal}, 0), 2)`,
  )
const lineMargin = sql`json_build_object('line_item_id', i.id, 'name', i.name, ${margins('i.subtotal', 'k.cost')})`

const line_item = sql<
  v.InferOutput<typeof LineMargin>
>`(select ${lineMargin} from ${lines} where i.workspace_id = product_costs.workspace_id and i.id = product_costs.line_item_id)`.as(
  'line_item',
)
const fields = columnsFor(costs, ProductCost, { line_item })

const TOO_MUCH = `Total cost exceeds ${MONEY_MAX_TEXT}`
const NO_LINE_ITEM = 'No such line item on this opportunity'

/** Asserts that the total cost fits its column. `id` is the stored line, whose values apply to fields that the patch leaves out. */
const totalFits = ({ quantity, unit_cost }: { quantity?: number | undefined; unit_cost?: number | undefined }, id?: string): Statement => {
  const stored = sql`(select c from product_costs c where c.id = ${id ?? null}::uuid)`
  return assertField(
    sql`coalesce(${quantity ?? null}::numeric, (${stored}).quantity, 1) * coalesce(${unit_cost ?? null}::numeric, (${stored}).unit_cost, 0) <= ${MONEY_MAX}::numeric`,
    'unit_cost',
    TOO_MUCH,
  )
}

type NewCost = v.InferOutput<typeof NewProductCost>
type CostPatch = v.InferOutput<typeof ProductCostPatch>

export const productCosts = childrenOf({
  parent: OPPORTUNITY,
  what: 'product cost on this opportunity',
  table: costs,
  link: costs.opportunity_id,
  select: (keys) => db.select({ ...fields, ...keys }).from(costs),
  sort: 'id',
  filters: { line_item_id: costs.line_item_id },
  create: (input: NewCost, { parentId }) => ({
    before: [
      assertField(
        sql`exists (select from opportunity_products where id = ${input.line_item_id} and opportunity_id = ${parentId})`,
        'line_item_id',
        NO_LINE_ITEM,
      ),
      totalFits(input),
    ],
  }),
  update: (patch: CostPatch, { id }) => ({ before: [Object.keys(patch).length > 0 && totalFits(patch, id)] }),
})

export const createProductCosts = createBelow({
  parent: OPPORTUNITY,
  what: 'product cost on this opportunity',
  entity: 'product_cost',
  table: costs,
  link: costs.opportunity_id,
  fields,
  body: NewProductCost,
  rules: [
    {
      field: 'line_item_id',
      condition: sql`exists (select from opportunity_products t where t.id = r.line_item_id and t.opportunity_id = r.opportunity_id)`,
      message: NO_LINE_ITEM,
    },
    {
      field: 'unit_cost',
      condition: sql`coalesce(r.quantity, 1) * r.unit_cost <= ${MONEY_MAX}::numeric`,
      message: TOO_MUCH,
    },
  ],
})

/** The margin: subtotals less supplier costs, per line item and in total. */
export function marginOf(opportunityId: string) {
  const margin = sql<
    Omit<v.InferOutput<typeof Margin>, 'opportunity_id' | 'currency'>
  >`(select json_build_object(${margins('coalesce(sum(i.subtotal), 0.00)', 'coalesce(sum(k.cost), 0.00)')}, 'lines', coalesce(json_agg(${lineMargin} order by i.position, i.id), '[]'))
    from ${lines} where i.workspace_id = opportunities.workspace_id and i.opportunity_id = opportunities.id)`.as('margin')
  const select = db
    .select({ opportunity_id: opportunities.id, currency: opportunities.currency, margin })
    .from(opportunities)
    .where(eq(opportunities.id, opportunityId))
  return read(mapResult(oneOrThrow(select, 'opportunity', opportunityId), ({ margin, ...row }) => ({ ...row, ...margin })))
}
