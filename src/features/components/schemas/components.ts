import * as v from 'valibot'
import { bulkOf } from '../../../schemas/bulk.ts'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Id, JsonObject, Name, optional, SingleLine } from '../../../schemas/fields.ts'

/** The most components or instances of one bulk call. */
export const MOST_COMPONENTS = 500
export const ATTRIBUTE_BYTES = 16_384

const Attributes = JsonObject({ keys: 200, keyLength: 100, depth: 8, bytes: ATTRIBUTE_BYTES }, '{"colour": "anthracite"}')

const Quantity = v.pipe(
  v.number('must be a number, such as 2'),
  v.minValue(0.0001, 'must be more than 0'),
  v.maxValue(9_999_999, 'must be 9999999 or less'),
  v.check((value) => /^-?\d+(?:\.\d{1,4})?$/.test(String(value)), 'must have at most four decimals'),
  v.description('The quantity: more than 0, with at most four decimals.'),
  v.examples([2]),
)

const fields = {
  label: optional(describe(Name(200), 'What the component is called.', 'Solar panel')),
  type: optional(describe(SingleLine(80), 'The kind of component, as free text.', 'hardware')),
  status: optional(describe(SingleLine(80), 'The status, as free text.', 'ordered')),
  quantity: v.optional(Quantity),
  attributes: v.optional(describe(Attributes, 'Values by key. An update merges them; null removes a key. At most 16 KB.')),
}
const parent = {
  parent_component_id: optional(describe(Id, 'The component of the same product that contains it; at most eight levels.')),
}

export const NewComponent = v.strictObject({ product_id: describe(Id, 'The product; it cannot be changed.'), ...parent, ...fields })
export type NewComponent = v.InferOutput<typeof NewComponent>
export const ComponentPatch = v.strictObject({ ...parent, ...fields })
export type ComponentPatch = v.InferOutput<typeof ComponentPatch>
export const Components = v.strictObject({ components: bulkOf(NewComponent, MOST_COMPONENTS) })

export const NewInstance = v.strictObject({
  product_id: describe(Id, 'The product; it cannot be changed.'),
  opportunity_id: describe(Id, 'The opportunity; it cannot be changed.'),
  ...fields,
})
export type NewInstance = v.InferOutput<typeof NewInstance>
export const InstancePatch = v.strictObject(fields)
export type InstancePatch = v.InferOutput<typeof InstancePatch>
export const Instances = v.strictObject({ instances: bulkOf(NewInstance, MOST_COMPONENTS) })

const text = v.nullable(v.string())
const out = {
  label: text,
  type: text,
  status: text,
  quantity: v.number(),
  attributes: v.record(v.string(), v.unknown()),
  ...timestamps,
}

export const ProductComponent = named(
  'ProductComponent',
  v.object({
    id: Id,
    product_id: Id,
    parent_component_id: v.pipe(v.nullable(Id), v.description('The component that contains it.')),
    ...out,
  }),
)

export const ComponentInstance = named(
  'ComponentInstance',
  v.object({
    id: Id,
    product_id: v.pipe(v.nullable(Id), v.description('Null after the product was deleted.')),
    opportunity_id: Id,
    component_id: v.pipe(v.nullable(Id), v.description('The component of the product that it was made of.')),
    line_item_id: v.pipe(v.nullable(Id), v.description('The line item that it was made for.')),
    ...out,
  }),
)

export const FromOpportunity = v.strictObject({ opportunity_id: describe(Id, 'The opportunity.') })
export const MadeInstances = named(
  'MadeInstances',
  v.object({
    opportunity_id: Id,
    made: v.pipe(v.number(), v.integer(), v.description('The number of instances that the call has made.'), v.examples([3])),
  }),
)
