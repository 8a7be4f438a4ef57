import * as v from 'valibot'
import { STATUSES } from '../domain/pipeline.ts'
import { archivedOut, named, timestamps } from './common.ts'
import {
  about,
  Bool,
  DateOrInstant,
  HexColor,
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
} from './fields.ts'

export const Quantity = v.pipe(
  v.number('must be a number, such as 2'),
  v.minValue(0, 'must be 0 or more'),
  v.maxValue(9_999_999, 'must be 9999999 or less'),
  v.check((value) => /^-?\d+(?:\.\d{1,4})?$/.test(String(value)), 'must have at most four decimals'),
  v.description('How many, with at most four decimals.'),
  v.examples([2]),
)

export const lineItemFields = {
  product_id: optional(about(Id, 'A product; its name and prices are copied unless given here.')),
  name: v.optional(about(Name(200), 'What is sold; the product’s name unless given.', 'GTX Pro')),
  description: optional(Multiline(2000)),
  quantity: v.optional(Quantity),
  unit_price: v.optional(about(Money, 'For one; the product’s price unless given.', 4821)),
  discount_percent: v.optional(about(Percent, 'Taken off the line.', 10)),
  tax_percent: v.optional(about(Percent, 'Added to the line after the discount; the product’s unless given.', 10)),
}
const called = v.check(
  (item: { product_id?: string | null | undefined; name?: string | undefined }) => Boolean(item.product_id || item.name),
  'must have a product_id or a name',
)
const inBucket = { bucket_id: optional(about(Id, 'The opportunity’s bucket that it stands in; null for none.')) }
export const LineItemFields = v.strictObject(lineItemFields)
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
    unit_price: v.number(),
    discount_percent: v.number(),
    tax_percent: v.number(),
    subtotal: v.pipe(v.number(), v.description('quantity × unit_price less the discount.')),
    total: v.pipe(v.number(), v.description('The subtotal with tax.')),
    position: v.pipe(v.number(), v.integer()),
    ...timestamps,
  }),
)

export const TagIn = v.strictObject({ name: about(Name(60), 'The tag.', 'VIP'), color: optional(HexColor) })
const Tags = v.pipe(
  v.array(TagIn, 'must be a list of tags'),
  v.maxLength(50, 'must be at most 50 tags'),
  v.transform((tags) => [...new Map(tags.map(({ name, color }) => [name.toLowerCase(), { name, color: color ?? null }])).values()]),
)
const Reasons = v.pipe(
  v.array(SingleLine(120), 'must be a list of reasons'),
  v.maxLength(20, 'must be at most 20 reasons'),
  v.examples([['Price']]),
)
export const reasonFields = {
  lost_reasons: v.optional(
    v.nullable(about(Reasons, 'From the workspace’s lost reasons; others are not saved. Replaces the list; null clears it.')),
  ),
  won_reasons: v.optional(
    v.nullable(about(Reasons, 'From the workspace’s won reasons; others are not saved. Replaces the list; null clears it.')),
  ),
}

/** A date means its beginning in UTC. */
const Moment = v.pipe(
  DateOrInstant,
  v.transform((text) => (text.length === 10 ? `${text}T00:00:00.000Z` : text)),
)

const own = {
  name: about(Name(200), 'What the opportunity is called.', 'Harbour Renovations – 12 workstations'),
  description: optional(Multiline()),
  value: v.optional(about(Money, 'What it is worth.', 4821)),
  currency: v.optional(
    v.pipe(v.string(), v.regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code, such as AUD'), v.description('ISO 4217.'), v.examples(['AUD'])),
  ),
  assigned_to: optional(about(Id, 'The member who owns it.')),
  customer_id: optional(about(Id, 'The company.')),
  opportunity_type: optional(SingleLine(80)),
  lead_source: optional(about(SingleLine(120), 'Campaign attribution.', 'Spring newsletter')),
  ...reasonFields,
  tags: v.optional(Tags),
  notes: optional(Multiline()),
  metadata: v.optional(about(Metadata, 'Custom field values by name. An update merges; null removes a name.')),
  opened_at: v.optional(v.nullable(about(Moment, 'When the sale began; the creation time unless given.'))),
  expected_close_date: optional(IsoDate),
  closed_at: v.optional(v.nullable(about(Moment, 'When it was won or lost; the time of the move unless given.'))),
  next_action_type: optional(about(SingleLine(60), 'The next step’s kind.', 'call')),
  next_action_note: optional(Multiline(2000)),
  next_action_at: v.optional(v.nullable(Instant)),
  external_id: optional(about(SingleLine(255), 'The record’s id in another system; once in a workspace.', '1C1I7A6R')),
}

export const ContactLink = v.strictObject({ contact_id: Id, role: optional(SingleLine(80)), is_primary: v.optional(Bool) })
export const UserLink = v.strictObject({ user_id: Id, role: optional(SingleLine(80)) })

export const NewOpportunity = v.strictObject({
  ...own,
  pipeline_id: v.optional(about(Id, 'Lands on this pipeline’s first stage.')),
  stage_id: v.optional(about(Id, 'Lands on this stage; the default pipeline’s first one when neither is given.')),
  products: v.optional(v.pipe(v.array(v.pipe(LineItemFields, called)), v.maxLength(100, 'must be at most 100 line items'))),
  contacts: v.optional(v.pipe(v.array(ContactLink), v.maxLength(100, 'must be at most 100 contacts'))),
  users: v.optional(v.pipe(v.array(UserLink), v.maxLength(100, 'must be at most 100 users'))),
})
export type NewOpportunity = v.InferOutput<typeof NewOpportunity>
export const OpportunityPatch = v.strictObject({ ...v.partial(v.strictObject(own)).entries, archived: v.optional(archivedOut) })
export type OpportunityPatch = v.InferOutput<typeof OpportunityPatch>
export const OpportunityPatchWithId = v.strictObject({ id: Id, ...OpportunityPatch.entries })

export const Move = v.strictObject({
  stage_id: Id,
  pipeline_id: v.optional(about(Id, 'The stage’s pipeline; derived from the stage when omitted.')),
  ...reasonFields,
  skip_action_ids: v.optional(
    v.pipe(v.array(Id), v.maxLength(100, 'must be at most 100 ids'), v.description('Automation actions not to run for this move.')),
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

export const Opportunity = named(
  'Opportunity',
  v.object({
    id: Id,
    name: v.string(),
    description: v.nullable(v.string()),
    value: v.number(),
    currency: v.string(),
    pipeline_id: v.nullable(Id),
    stage_id: v.nullable(Id),
    stage_entered_at: v.nullable(InstantOut),
    status: v.picklist(STATUSES),
    probability: v.number(),
    weighted_value: v.pipe(v.number(), v.description('value × probability.')),
    assigned_to: v.nullable(Id),
    customer_id: v.nullable(Id),
    opportunity_type: v.nullable(v.string()),
    lead_source: v.nullable(v.string()),
    lost_reasons: v.nullable(v.array(v.string())),
    won_reasons: v.nullable(v.array(v.string())),
    tags: v.array(v.object({ name: v.string(), color: v.nullable(v.string()) })),
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

/** One opportunity with all that belongs to it. */
export const OpportunityRecord = named(
  'OpportunityRecord',
  v.object({
    ...Opportunity.entries,
    company: v.nullable(v.object({ id: Id, name: v.string() })),
    placements: v.pipe(v.array(Placement), v.description('Where its card stands.')),
    products: v.pipe(
      v.array(v.omit(LineItem, ['opportunity_id', 'version', 'created_at', 'updated_at'])),
      v.description('Line items in order.'),
    ),
    products_total: v.pipe(v.number(), v.description('The sum of the line items’ totals.')),
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
    seconds_in_stage: v.pipe(v.nullable(v.number()), v.description('How long the card stood on the stage it left.')),
    moved_by: v.nullable(Id),
    moved_at: InstantOut,
  }),
)
