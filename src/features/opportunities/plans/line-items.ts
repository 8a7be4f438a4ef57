import { type SQL, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { opportunityBuckets, opportunityProducts, products } from '../../../../schema/index.ts'
import { refersTo } from '../../../data/bulk.ts'
import { childrenOf } from '../../../data/children.ts'
import { db, type Statement } from '../../../data/db.ts'
import { assertField } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { MONEY_MAX, MONEY_MAX_TEXT } from '../../../domain/money.ts'
import { createBelow } from '../../records/plans/below.ts'
import { LineItem, LineItemDraft, type LineItemPatch, type NewLineItem, NO_NAME } from '../schemas/opportunities.ts'
import { OPPORTUNITY } from './parent.ts'

type NewItem = v.InferOutput<typeof NewLineItem>
type Item = NewItem & { id: string; opportunity_id: string }

/** Prices are copied only within one currency, so that a line item never adds another one to the opportunity. */
export const OTHER_CURRENCY = 'Required, because the price of the product is in another currency than the opportunity'

const TOO_MUCH = `Line total exceeds ${MONEY_MAX_TEXT}`
const NO_BUCKET = 'No such bucket on this opportunity'

/** Inserts line items for existing opportunities. Missing values are copied from the product. */
export function insertLineItems(items: Item[]): Statement {
  return sql`insert into opportunity_products (id, opportunity_id, product_id, bucket_id, name, description, quantity, unit_price,
    discount_percent, tax_percent, position)
    select i.id, i.opportunity_id, i.product_id, i.bucket_id, coalesce(i.name, p.name), i.description, coalesce(i.quantity, 1),
      coalesce(i.unit_price, p.price, 0), coalesce(i.discount_percent, 0), coalesce(i.tax_percent, p.tax_percent, 0),
      coalesce(least(i.position, n.count), n.next)
    from jsonb_populate_recordset(null::opportunity_products, ${JSON.stringify(items)}::jsonb) i
    left join products p on p.id = i.product_id
    cross join lateral (select count(*)::int + ${items.length - 1} as count, coalesce(max(o.position) + 1, 0) as next
      from opportunity_products o where o.opportunity_id = i.opportunity_id) n
      where exists (select from opportunities o where o.id = i.opportunity_id)`
}

const fields = columnsFor(opportunityProducts, LineItem)

/** Asserts that the bucket belongs to the same opportunity. */
const fitsBucket = (opportunityId: string, bucketId: string | null | undefined) =>
  !!bucketId &&
  assertField(
    sql`exists (select from ${opportunityBuckets} where id = ${bucketId} and opportunity_id = ${opportunityId})`,
    'bucket_id',
    NO_BUCKET,
  )

const SUMMED = ['quantity', 'unit_price', 'discount_percent', 'tax_percent'] as const
type Summed = { [Name in (typeof SUMMED)[number]]?: number | undefined }

/** Asserts that the line's total fits its column. `stored` selects as `s` what the line has of what is not sent. */
function totalFits(sent: Summed, stored: SQL): Statement {
  const value = (name: keyof Summed) => sql`coalesce(${sent[name] ?? null}::numeric, s.${sql.identifier(name)}, 0)`
  const [quantity, price, discount, tax] = SUMMED.map(value)
  const subtotal = sql`round(${quantity} * ${price} * (100 - ${discount}) / 100, 2)`
  return assertField(
    sql`(select greatest(${subtotal}, round(${subtotal} * (100 + ${tax}) / 100, 2)) <= ${MONEY_MAX}::numeric from (${stored}) s)`,
    'unit_price',
    TOO_MUCH,
  )
}

/** What a new line has of what is not sent: the price and the tax of its product. */
const ofProduct = (id: string | null | undefined) =>
  sql`select 1 as quantity, p.price as unit_price, 0 as discount_percent, p.tax_percent from (select) one
    left join products p on p.id = ${id ?? null}::uuid`

export const lineItems = childrenOf({
  parent: OPPORTUNITY,
  what: 'line item on this opportunity',
  table: opportunityProducts,
  link: opportunityProducts.opportunity_id,
  select: (keys) => db.select({ ...fields, ...keys }).from(opportunityProducts),
  sort: 'position',
  lockParent: true,
  create: (input: NewItem, { parentId, id }) => ({
    before: [
      assertField(sql`${Boolean(input.product_id || input.name)}::boolean`, 'name', NO_NAME),
      assertField(
        sql`${input.product_id ?? null}::uuid is null or exists (select from products where id = ${input.product_id ?? null}::uuid)`,
        'product_id',
        'No such product in this workspace',
      ),
      assertField(
        sql`${input.unit_price ?? null}::numeric is not null or not exists (select from products p, opportunities o
          where p.id = ${input.product_id ?? null}::uuid and o.id = ${parentId}::uuid and p.currency <> o.currency)`,
        'unit_price',
        OTHER_CURRENCY,
      ),
      totalFits(input, ofProduct(input.product_id)),
      fitsBucket(parentId, input.bucket_id),
    ],
    insert: insertLineItems([{ ...input, id, opportunity_id: parentId }]),
  }),
  update: (patch: v.InferOutput<typeof LineItemPatch>, { parentId, id }) => ({
    before: [
      fitsBucket(parentId, patch.bucket_id),
      SUMMED.some((name) => patch[name] !== undefined) &&
        totalFits(patch, sql`select i.* from opportunity_products i where i.id = ${id} and i.opportunity_id = ${parentId}`),
    ],
  }),
})

const productOf = (column: string) => sql`(select t.${sql.raw(column)} from products t where t.id = r.product_id)`

export const createLineItems = createBelow({
  parent: OPPORTUNITY,
  what: 'line item on this opportunity',
  entity: 'opportunity_product',
  table: opportunityProducts,
  link: opportunityProducts.opportunity_id,
  fields,
  body: LineItemDraft,
  rules: [
    refersTo('product_id', products),
    {
      field: 'bucket_id',
      condition: sql`(r.bucket_id is null
        or exists (select from ${opportunityBuckets} t where t.id = r.bucket_id and t.opportunity_id = r.opportunity_id))`,
      message: NO_BUCKET,
    },
    {
      field: 'unit_price',
      condition: sql`(r.unit_price is not null
        or not exists (select from products t, opportunities o
          where t.id = r.product_id and o.id = r.opportunity_id and t.currency <> o.currency))`,
      message: OTHER_CURRENCY,
    },
    {
      field: 'quantity',
      condition: sql`coalesce(r.quantity, 1) * coalesce(r.unit_price, ${productOf('price')}, 0) * 2 <= ${MONEY_MAX}::numeric`,
      message: TOO_MUCH,
    },
  ],
  creating: {
    name: sql`coalesce(r.name, ${productOf('name')})`,
    unit_price: sql`coalesce(r.unit_price, ${productOf('price')})`,
    tax_percent: sql`coalesce(r.tax_percent, ${productOf('tax_percent')})`,
  },
  ordered: true,
})
