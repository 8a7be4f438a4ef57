import { and, eq, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { opportunities, opportunityBuckets, opportunityProducts } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { db, type Statement } from '../../data/db.ts'
import { type PageQuery, page } from '../../data/page.ts'
import { plan, read } from '../../data/plan.ts'
import { type Ordered, reorder, shiftPositions } from '../../data/position.ts'
import { assertField, constant, oneOrThrow } from '../../data/query.ts'
import { assertExists, columnsFor, lockForUpdate } from '../../data/store.ts'
import { newId } from '../../lib/ids.ts'
import { MONEY_MAX } from '../../schemas/fields.ts'
import { LineItem, type LineItemPatch, type NewLineItem } from '../../schemas/opportunities.ts'

type Item = v.InferOutput<typeof NewLineItem> & { id: string; opportunity_id: string }

/** Prices are copied only within one currency, so that a line item never adds another one to the opportunity. */
export const OTHER_CURRENCY = 'Required, because the price of the product is in another currency than the opportunity'

/** Inserts line items for existing opportunities. Missing values are copied from the product. */
export function insertLineItems(items: Item[]): Statement {
  return sql`insert into opportunity_products (id, opportunity_id, product_id, bucket_id, name, description, quantity, unit_price, discount_percent, tax_percent, position)
    select i.id, i.opportunity_id, i.product_id, i.bucket_id, coalesce(i.name, p.name), i.description, coalesce(i.quantity, 1), coalesce(i.unit_price, p.price, 0), coalesce(i.discount_percent, 0), coalesce(i.tax_percent, p.tax_percent, 0),
      coalesce(least(i.position, n.count), n.next)
    from jsonb_populate_recordset(null::opportunity_products, ${JSON.stringify(items)}::jsonb) i
    left join products p on p.id = i.product_id
    cross join lateral (select count(*)::int + ${items.length - 1} as count, coalesce(max(o.position) + 1, 0) as next from opportunity_products o where o.opportunity_id = i.opportunity_id) n where exists (select from opportunities o where o.id = i.opportunity_id)`
}

const fields = columnsFor(opportunityProducts, LineItem)
const ofPair = (opportunityId: string, id: string) =>
  and(eq(opportunityProducts.id, id), eq(opportunityProducts.opportunity_id, opportunityId))
const lineItem = (opportunityId: string, id: string) =>
  oneOrThrow(db.select(fields).from(opportunityProducts).where(ofPair(opportunityId, id)), 'line item')
const lockItem = (ctx: Ctx, opportunityId: string, id: string): Statement =>
  sql`select assert_version((select version from opportunity_products where id = ${id} and opportunity_id = ${opportunityId} for update), ${ctx.ifMatch ?? null}::int, 'line item')`

/** Asserts that the bucket belongs to the same opportunity. */
const fitsBucket = (opportunityId: string, bucketId: string | null | undefined) =>
  !!bucketId &&
  assertField(
    sql`exists (select from ${opportunityBuckets} where id = ${bucketId} and opportunity_id = ${opportunityId})`,
    'bucket_id',
    'No such bucket on this opportunity',
  )

export function listLineItems(opportunityId: string, query: PageQuery) {
  return plan(
    [assertExists(opportunities, opportunityId, 'opportunity')],
    page({
      select: (keys) => db.select({ ...fields, ...keys }).from(opportunityProducts),
      id: opportunityProducts.id,
      where: [eq(opportunityProducts.opportunity_id, opportunityId)],
      sorts: { position: opportunityProducts.position },
      name: `line items ${opportunityId}`,
      query: { ...query, sort: 'position' },
    }),
  )
}

export const getLineItem = (opportunityId: string, id: string) => read(lineItem(opportunityId, id))

export function addLineItem(ctx: Ctx, opportunityId: string, input: v.InferOutput<typeof NewLineItem>) {
  const id = newId()
  const productExists = assertField(
    sql`${input.product_id ?? null}::uuid is null or exists (select from products where id = ${input.product_id ?? null}::uuid)`,
    'product_id',
    'No such product in this workspace',
  )
  const inCurrency = assertField(
    sql`${input.unit_price ?? null}::numeric is not null or not exists (select from products p, opportunities o
      where p.id = ${input.product_id ?? null}::uuid and o.id = ${opportunityId}::uuid and p.currency <> o.currency)`,
    'unit_price',
    OTHER_CURRENCY,
  )
  const called = assertField(sql`${Boolean(input.product_id || input.name)}::boolean`, 'name', 'Required when there is no product_id')
  return plan(
    [
      lockForUpdate({ ...ctx, ifMatch: undefined }, opportunities, opportunityId, 'opportunity'),
      called,
      productExists,
      inCurrency,
      fitsBucket(opportunityId, input.bucket_id),
      input.position !== undefined && shiftPositions(itemsOf(opportunityId), input.position),
      insertLineItems([{ ...input, id, opportunity_id: opportunityId }]),
    ],
    lineItem(opportunityId, id),
  )
}

/** Asserts that the line's total, tax included, fits the total's column. */
const totalFits = (
  opportunityId: string,
  id: string,
  { quantity, unit_price }: { quantity?: number | undefined; unit_price?: number | undefined },
): Statement =>
  assertField(
    sql`exists (select from opportunity_products where ${ofPair(opportunityId, id)}
      and coalesce(${quantity ?? null}::numeric, quantity) * coalesce(${unit_price ?? null}::numeric, unit_price) * 2 <= ${MONEY_MAX}::numeric)`,
    'unit_price',
    'Line total exceeds 999,999,999,999.99',
  )

export function updateLineItem(ctx: Ctx, opportunityId: string, id: string, patch: v.InferOutput<typeof LineItemPatch>) {
  const changes = Object.keys(patch).length > 0
  return plan(
    [
      lockItem(ctx, opportunityId, id),
      fitsBucket(opportunityId, patch.bucket_id),
      (patch.quantity !== undefined || patch.unit_price !== undefined) && totalFits(opportunityId, id, patch),
      changes && db.update(opportunityProducts).set(patch).where(ofPair(opportunityId, id)),
    ],
    lineItem(opportunityId, id),
  )
}

export function removeLineItem(ctx: Ctx, opportunityId: string, id: string) {
  return plan(
    [lockItem(ctx, opportunityId, id), db.delete(opportunityProducts).where(ofPair(opportunityId, id))],
    constant({ id, deleted: true as const }),
  )
}

/** Replaces the whole order. The request must name every line item of the opportunity exactly once. */
export function reorderLineItems(ctx: Ctx, opportunityId: string, ids: string[]) {
  return plan(
    [
      lockForUpdate({ ...ctx, ifMatch: undefined }, opportunities, opportunityId, 'opportunity'),
      ...reorder(itemsOf(opportunityId), ids, 'ids', 'Send every line item of this opportunity exactly once'),
    ],
    listLineItems(opportunityId, { limit: 100 }).result,
  )
}

const itemsOf = (opportunityId: string): Ordered => ({
  table: opportunityProducts,
  parent: opportunityProducts.opportunity_id,
  parentId: opportunityId,
})
