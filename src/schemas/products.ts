import * as v from 'valibot'
import { archivedOut, named, timestamps } from './common.ts'
import { about, Bool, Id, Metadata, Money, Multiline, Name, optional, Percent, SingleLine } from './fields.ts'

/** What a caller may write. */
export const productFields = {
  name: about(Name(200), 'What the product is called.', 'GTX Pro'),
  sku: optional(about(SingleLine(120), 'Stock keeping unit; once in a workspace.', 'GTX-PRO')),
  category: optional(about(SingleLine(120), 'Free text to filter by.', 'Workstations')),
  description: optional(Multiline()),
  price: v.optional(about(Money, 'For one unit.', 4821)),
  cost: v.optional(v.nullable(about(Money, 'What one unit costs the workspace.', 3100))),
  currency: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code, such as AUD'),
      v.description('ISO 4217; AUD unless given.'),
      v.examples(['AUD']),
    ),
  ),
  unit: optional(about(SingleLine(40), 'What one of it is.', 'piece')),
  tax_percent: v.optional(about(Percent, 'Tax added to the price.', 10)),
  is_active: v.optional(about(Bool, 'Whether it can be sold.', true)),
  metadata: v.optional(about(Metadata, 'Custom field values by name. An update merges; null removes a name.')),
  external_id: optional(about(SingleLine(255), 'The record’s id in another system; once in a workspace.', 'shop-1042')),
}

export const NewProduct = v.strictObject(productFields)
export const ProductPatch = v.strictObject({ ...v.partial(NewProduct).entries, archived: v.optional(archivedOut) })
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
    price: v.number(),
    cost: v.nullable(v.number()),
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
