import * as v from 'valibot'
import { named, timestamps } from './common.ts'
import { about, Bool, Id, Name, Percent } from './fields.ts'

/** The writable fields. */
export const discountFields = {
  product_id: about(Id, 'The product that is sold for less.'),
  name: about(Name(120), 'What the discount is called on an offer.', 'Launch price'),
  percent: about(Percent, 'The share of the price that the customer saves, in percent.', 15),
  is_active: v.optional(about(Bool, 'Whether it can be offered.', true)),
}

export const Discount = named(
  'Discount',
  v.pipe(
    v.object({ id: Id, product_id: Id, name: v.string(), percent: discountFields.percent, is_active: v.boolean(), ...timestamps }),
    v.description('A discount on a product.'),
  ),
)
