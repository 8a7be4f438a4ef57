import { and, eq, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { opportunities, productCosts } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { db, type Statement } from '../../data/db.ts'
import { type PageQuery, page } from '../../data/page.ts'
import { plan, read } from '../../data/plan.ts'
import { assertField, constant, mapResult, oneOrThrow } from '../../data/query.ts'
import { assertExists, columnsFor, lockForUpdate } from '../../data/store.ts'
import { newId } from '../../lib/ids.ts'
import { MONEY_MAX } from '../../schemas/fields.ts'
import { type LineMargin, type Margin, type NewProductCost, ProductCost, type ProductCostPatch } from '../../schemas/opportunity-details.ts'

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
const fields = columnsFor(productCosts, ProductCost, { line_item })

const ofPair = (opportunityId: string, id: string) => and(eq(productCosts.id, id), eq(productCosts.opportunity_id, opportunityId))
const cost = (opportunityId: string, id: string) =>
  oneOrThrow(db.select(fields).from(productCosts).where(ofPair(opportunityId, id)), 'product cost on this opportunity')
const lockCost = (ctx: Ctx, opportunityId: string, id: string): Statement =>
  sql`select assert_version((select version from product_costs where id = ${id} and opportunity_id = ${opportunityId} for update), ${ctx.ifMatch ?? null}::int, 'product cost on this opportunity')`

export function listProductCosts(opportunityId: string, query: PageQuery & { line_item_id?: string | undefined }) {
  const { line_item_id } = query
  const result = page({
    select: (keys) => db.select({ ...fields, ...keys }).from(productCosts),
    id: productCosts.id,
    where: [
      eq(productCosts.opportunity_id, opportunityId),
      line_item_id === undefined ? undefined : eq(productCosts.line_item_id, line_item_id),
    ],
    sorts: { id: productCosts.id },
    name: `product costs ${opportunityId}`,
    query: { ...query, sort: 'id' },
  })
  return plan([assertExists(opportunities, opportunityId, 'opportunity')], result)
}

export const getProductCost = (opportunityId: string, id: string) => read(cost(opportunityId, id))

/** Asserts that the total cost fits its column. `id` is the stored line, whose values apply to fields that the patch leaves out. */
const totalFits = ({ quantity, unit_cost }: { quantity?: number | undefined; unit_cost?: number | undefined }, id?: string): Statement => {
  const stored = sql`(select c from product_costs c where c.id = ${id ?? null}::uuid)`
  return assertField(
    sql`coalesce(${quantity ?? null}::numeric, (${stored}).quantity, 1) * coalesce(${unit_cost ?? null}::numeric, (${stored}).unit_cost, 0) <= ${MONEY_MAX}::numeric`,
    'unit_cost',
    'Total cost exceeds 999,999,999,999.99',
  )
}

export function addProductCost(ctx: Ctx, opportunityId: string, input: v.InferOutput<typeof NewProductCost>) {
  const id = newId()
  return plan(
    [
      lockForUpdate({ ...ctx, ifMatch: undefined }, opportunities, opportunityId, 'opportunity'),
      assertField(
        sql`exists (select from opportunity_products where id = ${input.line_item_id} and opportunity_id = ${opportunityId})`,
        'line_item_id',
        'No such line item on this opportunity',
      ),
      totalFits(input),
      db.insert(productCosts).values({ ...input, id, opportunity_id: opportunityId }),
    ],
    cost(opportunityId, id),
  )
}

export function updateProductCost(ctx: Ctx, opportunityId: string, id: string, patch: v.InferOutput<typeof ProductCostPatch>) {
  const changes = Object.keys(patch).length > 0
  return plan(
    [
      lockCost(ctx, opportunityId, id),
      changes && totalFits(patch, id),
      changes && db.update(productCosts).set(patch).where(ofPair(opportunityId, id)),
    ],
    cost(opportunityId, id),
  )
}

export function removeProductCost(ctx: Ctx, opportunityId: string, id: string) {
  return plan(
    [lockCost(ctx, opportunityId, id), db.delete(productCosts).where(ofPair(opportunityId, id))],
    constant({ id, deleted: true as const }),
  )
}

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
