import * as v from 'valibot'
import { archivedOut, named, timestamps } from '../../../schemas/common.ts'
import {
  Bool,
  Currency,
  describe,
  Id,
  Metadata,
  Money,
  Multiline,
  Name,
  optional,
  Percent,
  QueryBool,
  SingleLine,
} from '../../../schemas/fields.ts'
import { moneyOut } from '../../../schemas/pipes.ts'

/** The filters and sorts of the list. */
export const productFilters = {
  category: v.optional(SingleLine(120)),
  is_active: v.optional(QueryBool),
  sku: v.optional(SingleLine(120)),
  external_id: v.optional(SingleLine()),
}
export const PRODUCT_SORTS = ['created_at', 'name']

/** The writable fields. */
export const productFields = {
  name: describe(Name(200), 'The product’s name.', 'GTX Pro'),
  sku: optional(describe(SingleLine(120), 'The stock keeping unit; unique in the workspace.', 'GTX-PRO')),
  category: optional(describe(SingleLine(120), 'The category, as free text.', 'Workstations')),
  description: optional(Multiline()),
  price: v.optional(describe(Money, 'The price of one unit.', 4821)),
  cost: v.optional(v.nullable(describe(Money, 'The cost of one unit to the workspace.', 3100))),
  currency: v.optional(Currency),
  unit: optional(describe(SingleLine(40), 'The unit of sale.', 'piece')),
  tax_percent: v.optional(describe(Percent, 'The tax on the price, in percent.', 10)),
  is_active: v.optional(describe(Bool, 'Whether it can be sold.', true)),
  metadata: v.optional(describe(Metadata, 'Custom field values by key. An update merges them; null removes a key.')),
  external_id: optional(describe(SingleLine(255), 'The record’s id in another system; unique in the workspace.', 'shop-1042')),
}

export const NewProduct = v.strictObject(productFields)
export type NewProduct = v.InferOutput<typeof NewProduct>
/** A record of a file, which may have been archived in the system that it comes from. */
export const ImportedProduct = v.strictObject({ ...NewProduct.entries, archived: v.optional(archivedOut) })
export const ProductPatch = v.strictObject({ ...v.partial(NewProduct).entries, archived: v.optional(archivedOut) })
export const ProductPatchWithId = v.strictObject({ id: Id, ...ProductPatch.entries })
export type ProductPatch = v.InferOutput<typeof ProductPatch>

const text = v.nullable(v.string())

export const Product = named(
  'Product',
  v.object({
    id: Id,
    name: v.string(),
    sku: text,
    category: text,
    description: text,
    price: moneyOut,
    cost: v.nullable(moneyOut),
    currency: v.string(),
    unit: text,
    tax_percent: v.number(),
    is_active: v.boolean(),
    metadata: v.record(v.string(), v.unknown()),
    external_id: text,
    archived: archivedOut,
    ...timestamps,
  }),
)
