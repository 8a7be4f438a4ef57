import { eq, type SQL, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { productCosts as costs, opportunities } from '../../../../schema/index.ts'
import { childrenOf } from '../../../data/children.ts'
import { db, type Statement } from '../../../data/db.ts'
import { read } from '../../../data/plan.ts'
import { assertField, mapResult, oneOrThrow } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { MONEY_MAX, MONEY_MAX_TEXT } from '../../../domain/money.ts'
import { createBelow } from '../../records/plans/below.ts'
import { type LineMargin, type Margin, NewProductCost, ProductCost, type ProductCostPatch } from '../schemas/opportunity-details.ts'
import { OPPORTUNITY } from './parent.ts'

/** A line item `i` with the sum of its costs `k`. */
const lines = sql.raw(`opportunity_products i, lateral
  (select coalesce(sum(c.cost), 0.00) as cost from product_costs c where c.workspace_id = i.workspace_id and c.line_item_id = i.id) k`)
const margins = (subtotal: string, cost: string) =>
  sql.raw(
    `'subtotal', ${subtotal}, 'cost', ${cost}, 'margin', ${subtotal} - ${cost}, 'margin_percent', round((${subtotal} - ${cost}) * 100 ` +
      `/ nullif(${subtotal}, 0), 2)`,
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
const NO_COST = 'Required, because there is no catalog_entry_id'
const OTHER_CURRENCY = 'Required, because the price of the catalogue entry is in another currency than the opportunity'
const NO_ENTRY = 'catalog_entry_id does not exist in this workspace'

/** A value of the entry `e` that a cost is taken from, and of its supplier `s`. */
const ofEntry = (value: string, id: SQL) =>
  sql`(select ${sql.raw(value)} from supplier_catalog_entries e join companies s on s.workspace_id = e.workspace_id and s.id = e.supplier_id
    where e.id = ${id})`
/** Whether the price of an entry, if it exists, is in the currency of the opportunity. */
const inSameCurrency = (opportunity: SQL, entry: SQL) =>
  sql`exists (select from opportunities o
    where o.id = ${opportunity} and o.currency = coalesce(${ofEntry('e.currency', entry)}, o.currency))`

/** Asserts that the total cost fits its column. `id` is the stored line, whose values apply to fields that the patch leaves out. */
const totalFits = (
  { quantity, unit_cost }: { quantity?: number | undefined; unit_cost?: number | SQL | undefined },
  id?: string,
): Statement => {
  const stored = sql`(select c from product_costs c where c.id = ${id ?? null}::uuid)`
  return assertField(
    sql`coalesce(${quantity ?? null}::numeric, (${stored}).quantity, 1) * coalesce(${unit_cost ?? null}::numeric, (${stored}).unit_cost, 0)
      <= ${MONEY_MAX}::numeric`,
    'unit_cost',
    TOO_MUCH,
  )
}

/** The columns of a cost that is taken from an entry of the catalogue. */
const takenFrom = (input: NewCost, entry: string) => ({
  ...input,
  unit_cost: input.unit_cost ?? ofEntry('e.supplier_price', sql`${entry}::uuid`),
  supplier_name: input.supplier_name ?? ofEntry('left(s.name, 200)', sql`${entry}::uuid`),
})

/** Asserts that a cost has an amount: its own, or that of an entry in the currency of the opportunity. */
function mayTakeFrom({ unit_cost, catalog_entry_id }: NewCost, opportunityId: string): Statement[] {
  if (!catalog_entry_id) return unit_cost === undefined ? [assertField(sql`false`, 'unit_cost', NO_COST)] : []
  const entry = sql`${catalog_entry_id}::uuid`
  const known = assertField(sql`exists (select from supplier_catalog_entries where id = ${entry})`, 'catalog_entry_id', NO_ENTRY)
  if (unit_cost !== undefined) return [known]
  return [known, assertField(inSameCurrency(sql`${opportunityId}::uuid`, entry), 'unit_cost', OTHER_CURRENCY)]
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
    ...(input.catalog_entry_id && { columns: takenFrom(input, input.catalog_entry_id) }),
    before: [
      ...mayTakeFrom(input, parentId),
      assertField(
        sql`exists (select from opportunity_products where id = ${input.line_item_id} and opportunity_id = ${parentId})`,
        'line_item_id',
        NO_LINE_ITEM,
      ),
      totalFits({ ...input, unit_cost: input.unit_cost ?? ofEntry('e.supplier_price', sql`${input.catalog_entry_id ?? null}::uuid`) }),
    ],
  }),
  update: (patch: CostPatch, { id }) => ({ before: [Object.keys(patch).length > 0 && totalFits(patch, id)] }),
})

const ENTRY = sql`r.catalog_entry_id`
const COST = sql`coalesce(r.unit_cost, ${ofEntry('e.supplier_price', ENTRY)})`

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
    { field: 'catalog_entry_id', condition: sql`(r.catalog_entry_id is null or ${ofEntry('true', ENTRY)} is true)`, message: NO_ENTRY },
    { field: 'unit_cost', condition: sql`num_nonnulls(r.unit_cost, r.catalog_entry_id) > 0`, message: NO_COST },
    {
      field: 'unit_cost',
      condition: sql`(r.unit_cost is not null or r.catalog_entry_id is null or ${inSameCurrency(sql`r.opportunity_id`, ENTRY)})`,
      message: OTHER_CURRENCY,
    },
    { field: 'unit_cost', condition: sql`coalesce(r.quantity, 1) * coalesce(${COST}, 0) <= ${MONEY_MAX}::numeric`, message: TOO_MUCH },
  ],
  creating: { unit_cost: COST, supplier_name: sql`coalesce(r.supplier_name, ${ofEntry('left(s.name, 200)', ENTRY)})` },
})

/** The margin: subtotals less supplier costs, per line item and in total. */
export function marginOf(opportunityId: string) {
  const margin = sql<
    Omit<v.InferOutput<typeof Margin>, 'opportunity_id' | 'currency'>
  >`(select json_build_object(${margins('coalesce(sum(i.subtotal), 0.00)', 'coalesce(sum(k.cost), 0.00)')},
    'lines', coalesce(json_agg(${lineMargin} order by i.position, i.id), '[]'))
    from ${lines} where i.workspace_id = opportunities.workspace_id and i.opportunity_id = opportunities.id)`.as('margin')
  const select = db
    .select({ opportunity_id: opportunities.id, currency: opportunities.currency, margin })
    .from(opportunities)
    .where(eq(opportunities.id, opportunityId))
  return read(mapResult(oneOrThrow(select, 'opportunity', opportunityId), ({ margin, ...row }) => ({ ...row, ...margin })))
}
