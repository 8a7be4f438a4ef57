import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Id, Instant, InstantOut, Integer, Money, Multiline, Name, optional, SingleLine } from '../../../schemas/fields.ts'
import { moneyOut } from '../../../schemas/pipes.ts'
import { Quantity } from './opportunities.ts'

/** Parts of one opportunity: the next action, buckets, supplier costs and the margin. */

export const NextActionIn = v.strictObject({
  type: describe(SingleLine(60), 'The type of the next action.', 'call'),
  note: optional(Multiline(2000)),
  at: v.optional(v.nullable(describe(Instant, 'When the action is due.'))),
})
export const NextAction = named(
  'NextAction',
  v.object({
    opportunity_id: Id,
    type: v.nullable(v.string()),
    note: v.nullable(v.string()),
    at: v.nullable(InstantOut),
    version: v.pipe(timestamps.version, v.description('The version of the opportunity, which is also the ETag.')),
  }),
)

const bucketName = describe(Name(120), 'The bucket’s name; unique in the opportunity.', 'Hardware')
export const NewBucket = v.strictObject({
  name: bucketName,
  position: v.optional(describe(Integer(0, 200), 'The position; 0 is first. Defaults to the end.', 0)),
})
/** A bucket of a bulk call, which adds them at the end. */
export const BucketDraft = v.omit(NewBucket, ['position'])
export const BucketPatch = v.strictObject({ name: v.optional(bucketName) })
const sumsOut = {
  subtotal: v.pipe(moneyOut, v.description('The sum without tax.')),
  total: v.pipe(moneyOut, v.description('The sum with tax.')),
}
export const Bucket = named(
  'Bucket',
  v.object({
    id: Id,
    opportunity_id: Id,
    name: v.string(),
    position: v.pipe(v.number(), v.integer()),
    line_items: v.pipe(v.object({ count: v.pipe(v.number(), v.integer()), ...sumsOut }), v.description('The line items in the bucket.')),
    ...timestamps,
  }),
)

const costFields = {
  description: optional(describe(SingleLine(500), 'What the supplier charges for.', 'Graphics cards')),
  supplier_name: optional(describe(SingleLine(200), 'The name of the supplier.', 'Northern Components')),
  quantity: v.optional(Quantity),
}
const unit_cost = describe(Money, 'The cost of one unit.', 1890.5)
export const NewProductCost = v.strictObject({
  line_item_id: describe(Id, 'The line item to which the cost belongs.'),
  unit_cost: v.optional(describe(Money, 'The cost of one unit. Required unless catalog_entry_id is sent.', 1890.5)),
  catalog_entry_id: v.optional(
    v.nullable(describe(Id, 'An entry of the supplier catalogue. Its price and its supplier are copied, unless they are sent.')),
  ),
  ...costFields,
})
export const ProductCostPatch = v.strictObject({ unit_cost: v.optional(unit_cost), ...costFields })

const margins = {
  subtotal: v.pipe(moneyOut, v.description('The sum without tax.')),
  cost: moneyOut,
  margin: v.pipe(moneyOut, v.description('The subtotal less the cost.')),
  margin_percent: v.pipe(v.nullable(v.number()), v.description('The margin as a percentage of the subtotal; null when the subtotal is 0.')),
}
export const LineMargin = named('LineMargin', v.object({ line_item_id: Id, name: v.string(), ...margins }))
export const Margin = named(
  'Margin',
  v.object({
    opportunity_id: Id,
    currency: v.string(),
    ...margins,
    lines: v.pipe(v.array(LineMargin), v.description('All line items in order.')),
  }),
)
export const ProductCost = named(
  'ProductCost',
  v.object({
    id: Id,
    opportunity_id: Id,
    line_item_id: Id,
    description: v.nullable(v.string()),
    supplier_name: v.nullable(v.string()),
    catalog_entry_id: v.nullable(Id),
    quantity: v.number(),
    unit_cost: moneyOut,
    cost: v.pipe(moneyOut, v.description('quantity × unit_cost.')),
    line_item: v.pipe(LineMargin, v.description('The line item with all of its costs.')),
    ...timestamps,
  }),
)
