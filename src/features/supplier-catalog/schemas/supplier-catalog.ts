import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import {
  Bool,
  Currency,
  describe,
  Id,
  Integer,
  IsoDate,
  Money,
  Multiline,
  optional,
  QueryBool,
  QueryDecimal,
  SingleLine,
} from '../../../schemas/fields.ts'
import { moneyOut } from '../../../schemas/pipes.ts'
import { Quantity } from '../../opportunities/schemas/opportunities.ts'

/** The filters of the list. */
export const catalogFilters = {
  supplier_id: v.optional(Id),
  product_id: v.optional(Id),
  is_preferred: v.optional(QueryBool),
  external_id: v.optional(SingleLine()),
}

const MinQuantity = v.pipe(Quantity, v.minValue(0.0001, 'must be more than 0'), v.examples([10]))

const entryFields = {
  product_id: v.optional(v.nullable(describe(Id, 'The product that the supplier sells.'))),
  currency: v.optional(describe(Currency, 'The currency of the price. Defaults to that of the product.', 'AUD')),
  supplier_sku: optional(describe(SingleLine(120), 'The supplier’s own number of the product.', 'NC-4090-24G')),
  min_quantity: v.optional(describe(MinQuantity, 'The least quantity for which the price is valid.', 10)),
  lead_time_days: v.optional(v.nullable(describe(Integer(0, 3_650), 'The days from the order to the delivery.', 14))),
  valid_from: v.optional(v.nullable(describe(IsoDate, 'The first day on which the price is valid; null: always.', '2026-01-01'))),
  valid_to: v.optional(
    v.nullable(describe(IsoDate, 'The last day on which the price is valid; null: until further notice.', '2026-12-31')),
  ),
  is_preferred: v.optional(
    describe(Bool, 'Whether this supplier is preferred for the product. Setting it ends the preference of another entry.', false),
  ),
  notes: optional(Multiline(2_000)),
  external_id: optional(describe(SingleLine(255), 'The record’s id in another system; unique in the workspace.', 'price-1042')),
}
const supplier_id = describe(Id, 'The company that supplies the product.')
const supplier_price = describe(Money, 'The price of one unit.', 1890.5)

export const NewCatalogEntry = v.strictObject({ supplier_id, supplier_price, ...entryFields })
export type NewCatalogEntry = v.InferOutput<typeof NewCatalogEntry>
export const CatalogEntryPatch = v.partial(NewCatalogEntry)
export const CatalogEntryPatchWithId = v.strictObject({ id: Id, ...CatalogEntryPatch.entries })
export type CatalogEntryPatch = v.InferOutput<typeof CatalogEntryPatch>

const entryOut = {
  id: Id,
  supplier_id: Id,
  product_id: v.nullable(Id),
  supplier_price: moneyOut,
  currency: v.string(),
  supplier_sku: v.nullable(v.string()),
  min_quantity: v.number(),
  lead_time_days: v.nullable(v.pipe(v.number(), v.integer())),
  valid_from: v.nullable(v.string()),
  valid_to: v.nullable(v.string()),
  is_preferred: v.boolean(),
  notes: v.nullable(v.string()),
  external_id: v.nullable(v.string()),
  ...timestamps,
}
export const SupplierCatalogEntry = named('SupplierCatalogEntry', v.object(entryOut))

const offerOut = {
  supplier_name: v.string(),
  quantity: v.pipe(v.number(), v.description('The quantity that the offer is for.')),
  cost: v.pipe(moneyOut, v.description('quantity × supplier_price.')),
  is_cheapest: v.boolean(),
}
export const SupplierOffer = named('SupplierOffer', v.object({ ...entryOut, ...offerOut }))

export const offersQuery = v.strictObject({
  product_id: describe(Id, 'The product that is bought.'),
  quantity: v.optional(describe(QueryDecimal(0.001, 9_999_999), 'How much of it is bought; 1 by default.')),
  date: v.optional(describe(IsoDate, 'The day on which it is bought; today in the workspace’s time zone by default.')),
  currency: v.optional(describe(Currency, 'The currency of the prices; that of the product by default.', 'AUD')),
})
export type OffersQuery = v.InferOutput<typeof offersQuery>
