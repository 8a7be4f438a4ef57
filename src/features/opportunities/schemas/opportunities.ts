import * as v from 'valibot'
import { archivedOut, named, timestamps } from '../../../schemas/common.ts'
import {
  Bool,
  Currency,
  DateOrInstant,
  describe,
  Enum,
  Id,
  Instant,
  InstantOut,
  IsoDate,
  Metadata,
  Money,
  Multiline,
  Name,
  optional,
  Percent,
  SingleLine,
} from '../../../schemas/fields.ts'
import { moneyOut } from '../../../schemas/pipes.ts'
import { COPIED_PARTS, MAX_COPIED, STATUSES, VALUE_SOURCES } from '../../pipelines/rules/pipeline.ts'
import { Tags, TagsOut } from '../../tags/schemas/tags.ts'

export const Quantity = v.pipe(
  v.number('must be a number, such as 2'),
  v.minValue(0, 'must be 0 or more'),
  v.maxValue(9_999_999, 'must be 9999999 or less'),
  v.check((value) => /^-?\d+(?:\.\d{1,4})?$/.test(String(value)), 'must have at most four decimals'),
  v.description('The quantity, with at most four decimals.'),
  v.examples([2]),
)

export const lineItemFields = {
  product_id: optional(describe(Id, 'The product. Its name and prices are copied unless they are set here.')),
  name: v.optional(describe(Name(200), 'The name of the item. Defaults to the product’s name.', 'GTX Pro')),
  description: optional(Multiline(2000)),
  quantity: v.optional(Quantity),
  unit_price: v.optional(describe(Money, 'The price of one unit. Defaults to the product’s price.', 4821)),
  discount_percent: v.optional(describe(Percent, 'The discount on the line, in percent.', 10)),
  tax_percent: v.optional(describe(Percent, 'The tax on the discounted line, in percent. Defaults to the product’s.', 10)),
}
export const NO_NAME = 'Required when there is no product_id'
type Named = { product_id?: string | null | undefined; name?: string | undefined }
const productOrName = <Item extends Named>() =>
  v.rawCheck<Item>(({ dataset, addIssue }) => {
    if (!dataset.typed || dataset.issues || dataset.value.product_id || dataset.value.name) return
    const path: [v.ObjectPathItem] = [{ type: 'object', origin: 'value', input: { ...dataset.value }, key: 'name', value: undefined }]
    addIssue({ message: NO_NAME, path })
  })
const inBucket = { bucket_id: optional(describe(Id, 'The bucket of the opportunity that contains the item; null for none.')) }
export const LineItemFields = v.strictObject(lineItemFields)
/** A line item of a bulk call, which adds them at the end. */
export const LineItemDraft = v.pipe(v.strictObject({ ...lineItemFields, ...inBucket }), productOrName())
export const LineItemPatch = v.strictObject({ ...(({ product_id: _, ...rest }) => rest)(lineItemFields), ...inBucket })

export const LineItem = named(
  'LineItem',
  v.object({
    id: Id,
    opportunity_id: Id,
    product_id: v.nullable(Id),
    bucket_id: v.nullable(Id),
    name: v.string(),
    description: v.nullable(v.string()),
    quantity: v.number(),
    unit_price: moneyOut,
    discount_percent: v.number(),
    tax_percent: v.number(),
    subtotal: v.pipe(moneyOut, v.description('quantity × unit_price, less the discount.')),
    total: v.pipe(moneyOut, v.description('The subtotal plus tax.')),
    position: v.pipe(v.number(), v.integer()),
    ...timestamps,
  }),
)

const Reasons = v.pipe(
  v.array(SingleLine(120), 'must be a list of reasons'),
  v.maxLength(20, 'must be at most 20 reasons'),
  v.examples([['Price']]),
)
export const reasonFields = {
  lost_reasons: v.optional(
    v.nullable(describe(Reasons, 'Reasons from the workspace’s lost reasons; others are not saved. Replaces the list; null clears it.')),
  ),
  won_reasons: v.optional(
    v.nullable(describe(Reasons, 'Reasons from the workspace’s won reasons; others are not saved. Replaces the list; null clears it.')),
  ),
}

/** A date stands for its first moment in UTC. */
const Moment = v.pipe(
  DateOrInstant,
  v.transform((text) => (text.length === 10 ? `${text}T00:00:00.000Z` : text)),
)

const fields = {
  name: describe(Name(200), 'The name of the opportunity.', 'Harbour Renovations – 12 workstations'),
  description: optional(Multiline()),
  value: v.optional(describe(Money, 'The value of the opportunity.', 4821)),
  value_source: v.optional(
    Enum(
      VALUE_SOURCES,
      'Where the value is from: `manual` (the default) when it is sent, otherwise the sum of its line items’ subtotals, ' +
        'or of their totals with tax. The value then follows the line items, and cannot be sent.',
    ),
  ),
  currency: v.optional(Currency),
  assigned_to: optional(describe(Id, 'The member who owns it.')),
  customer_id: optional(describe(Id, 'The linked company.')),
  opportunity_type: optional(SingleLine(80)),
  lead_source: optional(describe(SingleLine(120), 'The lead source, for campaign attribution.', 'Spring newsletter')),
  ...reasonFields,
  tags: v.optional(Tags),
  notes: optional(Multiline()),
  metadata: v.optional(describe(Metadata, 'Custom field values by key. An update merges them; null removes a key.')),
  opened_at: v.optional(v.nullable(describe(Moment, 'When the sale began. Defaults to the creation time.'))),
  expected_close_date: optional(IsoDate),
  closed_at: v.optional(v.nullable(describe(Moment, 'When it was won or lost. Defaults to the time of the move.'))),
  next_action_type: optional(describe(SingleLine(60), 'The type of the next action.', 'call')),
  next_action_note: optional(Multiline(2000)),
  next_action_at: v.optional(v.nullable(Instant)),
  external_id: optional(describe(SingleLine(255), 'The record’s id in another system; unique in the workspace.', '1C1I7A6R')),
}

export const ContactLink = v.strictObject({ contact_id: Id, role: optional(SingleLine(80)), is_primary: v.optional(Bool) })
export const UserLink = v.strictObject({ user_id: Id, role: optional(SingleLine(80)) })

export const NewOpportunity = v.strictObject({
  ...fields,
  pipeline_id: v.optional(describe(Id, 'Starts in the first stage of this pipeline.')),
  stage_id: v.optional(describe(Id, 'Starts in this stage. Defaults to the first stage of the pipeline, or of the default pipeline.')),
  products: v.optional(v.pipe(v.array(v.pipe(LineItemFields, productOrName())), v.maxLength(100, 'must be at most 100 line items'))),
  contacts: v.optional(v.pipe(v.array(ContactLink), v.maxLength(100, 'must be at most 100 contacts'))),
  users: v.optional(v.pipe(v.array(UserLink), v.maxLength(100, 'must be at most 100 users'))),
})
export type NewOpportunity = v.InferOutput<typeof NewOpportunity>
/** A record of a file, which may have been archived in the system that it comes from. */
export const ImportedOpportunity = v.strictObject({
  ...NewOpportunity.entries,
  products: v.optional(v.pipe(v.array(v.pipe(LineItemFields, productOrName())), v.maxLength(1000, 'must be at most 1,000 line items'))),
  archived: v.optional(archivedOut),
})
export const OpportunityPatch = v.strictObject({ ...v.partial(v.strictObject(fields)).entries, archived: v.optional(archivedOut) })
export type OpportunityPatch = v.InferOutput<typeof OpportunityPatch>
export const OpportunityPatchWithId = v.strictObject({ id: Id, ...OpportunityPatch.entries })

export const Move = v.strictObject({
  stage_id: Id,
  pipeline_id: v.optional(describe(Id, 'The pipeline of the stage. Derived from the stage by default.')),
  ...reasonFields,
  skip_action_ids: v.optional(
    v.pipe(v.array(Id), v.maxLength(100, 'must be at most 100 ids'), v.description('Automation actions that are not run for this move.')),
  ),
})
export type Move = v.InferOutput<typeof Move>
export const MoveCard = v.strictObject({ ...Move.entries, pipeline_id: Id })
export const MoveWithId = v.strictObject({ id: Id, ...(({ skip_action_ids: _, ...rest }) => rest)(Move.entries) })
export const NewLineItem = v.strictObject({
  ...lineItemFields,
  ...inBucket,
  position: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
})

export const CopyOpportunity = v.strictObject({
  name: v.optional(
    describe(Name(200), 'The name of the copy. Defaults to the original’s, followed by (copy).', 'Harbour Renovations – phase two'),
  ),
  stage_id: v.optional(describe(Id, 'The stage of the copy. Defaults to the first stage of the original’s pipeline.')),
  metadata: v.optional(describe(Metadata, 'Custom field values that replace or complete those of the original.')),
  include: v.optional(
    v.pipe(
      v.array(v.picklist(COPIED_PARTS, `must be some of: ${COPIED_PARTS.join(', ')}`), 'must be a list of parts'),
      v.maxLength(COPIED_PARTS.length, `must be at most ${COPIED_PARTS.length} parts`),
      v.check((parts) => !parts.includes('costs') || parts.includes('line_items'), 'must have line_items, to which costs belong'),
      v.description(
        `What is copied beside the fields: ${COPIED_PARTS.join(', ')}. Defaults to all. ` +
          `At most ${MAX_COPIED.toLocaleString('en')} rows are copied in one call.`,
      ),
      v.examples([['line_items', 'buckets', 'contacts']]),
    ),
    [...COPIED_PARTS],
  ),
})
export type CopyOpportunity = v.InferOutput<typeof CopyOpportunity>

export const Opportunity = named(
  'Opportunity',
  v.object({
    id: Id,
    name: v.string(),
    description: v.nullable(v.string()),
    value: moneyOut,
    value_source: v.picklist(VALUE_SOURCES),
    currency: v.string(),
    pipeline_id: v.nullable(Id),
    stage_id: v.nullable(Id),
    stage_entered_at: v.nullable(InstantOut),
    days_in_stage: v.pipe(
      v.nullable(v.pipe(v.number(), v.integer())),
      v.description('The number of whole days since stage_entered_at; null without a stage.'),
    ),
    is_rotting: v.pipe(v.boolean(), v.description('Whether it is open and longer in its stage than the rotting_days of the stage.')),
    status: v.picklist(STATUSES),
    probability: v.number(),
    weighted_value: v.pipe(moneyOut, v.description('value × probability.')),
    assigned_to: v.nullable(Id),
    customer_id: v.nullable(Id),
    opportunity_type: v.nullable(v.string()),
    lead_source: v.nullable(v.string()),
    lost_reasons: v.nullable(v.array(v.string())),
    won_reasons: v.nullable(v.array(v.string())),
    tags: TagsOut,
    notes: v.nullable(v.string()),
    metadata: v.record(v.string(), v.unknown()),
    opened_at: v.nullable(InstantOut),
    expected_close_date: v.nullable(IsoDate),
    closed_at: v.nullable(InstantOut),
    next_action_type: v.nullable(v.string()),
    next_action_note: v.nullable(v.string()),
    next_action_at: v.nullable(InstantOut),
    external_id: v.nullable(v.string()),
    archived: archivedOut,
    ...timestamps,
  }),
)

export const LinkedContact = named(
  'LinkedContact',
  v.object({
    contact_id: Id,
    first_name: v.string(),
    last_name: v.nullable(v.string()),
    email: v.nullable(v.string()),
    phone: v.nullable(v.string()),
    role: v.nullable(v.string()),
    is_primary: v.boolean(),
  }),
)
export const LinkedUser = named(
  'LinkedUser',
  v.object({ user_id: Id, full_name: v.nullable(v.string()), email: v.string(), role: v.nullable(v.string()) }),
)
export const Placement = named(
  'Placement',
  v.object({
    pipeline_id: Id,
    pipeline_name: v.string(),
    stage_id: Id,
    stage_name: v.string(),
    stage_kind: v.picklist(STATUSES),
    entered_at: InstantOut,
  }),
)

/** One opportunity with its parts. */
export const OpportunityRecord = named(
  'OpportunityRecord',
  v.object({
    ...Opportunity.entries,
    company: v.nullable(v.object({ id: Id, name: v.string() })),
    placements: v.pipe(v.array(Placement), v.description('The stage of the opportunity in its pipeline.')),
    products: v.pipe(
      v.array(v.omit(LineItem, ['opportunity_id', 'version', 'created_at', 'updated_at'])),
      v.description('The line items in order.'),
    ),
    products_total: v.pipe(moneyOut, v.description('The sum of the line items’ totals.')),
    contacts: v.array(LinkedContact),
    users: v.array(LinkedUser),
  }),
)

export const StageMove = named(
  'StageMove',
  v.object({
    id: Id,
    opportunity_id: Id,
    from_pipeline_id: v.nullable(Id),
    from_stage_id: v.nullable(Id),
    from_stage_name: v.nullable(v.string()),
    to_pipeline_id: v.nullable(Id),
    to_stage_id: v.nullable(Id),
    to_stage_name: v.nullable(v.string()),
    seconds_in_stage: v.pipe(v.nullable(v.number()), v.description('How long the opportunity was in the previous stage, in seconds.')),
    moved_by: v.nullable(Id),
    moved_at: InstantOut,
  }),
)
