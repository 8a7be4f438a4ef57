import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { DEFAULT_CURRENCY } from '../src/domain/money.ts'
import { STAGE_KINDS, STATUSES, VALUE_SOURCES } from '../src/features/pipelines/rules/pipeline.ts'
import { amount, byWords, day, identity, instant, money, normalised, percent, type Tag, timestamps } from './columns.ts'

export const pipelines = pgTable(
  'pipelines',
  {
    ...identity,
    name: text().notNull(),
    name_norm: normalised().notNull().generatedAlwaysAs(sql`norm(name)`),
    description: text(),
    is_default: boolean().notNull().default(false),
    archived: boolean().notNull().default(false),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('pipelines_by_created').on(t.workspace_id, t.archived, t.created_at, t.id),
    uniqueIndex('pipelines_name_key').on(t.workspace_id, t.name_norm),
    uniqueIndex('pipelines_one_default').on(t.workspace_id).where(sql`is_default`),
  ],
)

export const stages = pgTable(
  'stages',
  {
    ...identity,
    pipeline_id: uuid().notNull(),
    name: text().notNull(),
    name_norm: normalised().notNull().generatedAlwaysAs(sql`norm(name)`),
    kind: text({ enum: STAGE_KINDS }).notNull().default('open'),
    probability: percent().notNull().default(0),
    color: text(),
    position: integer().notNull(),
    /** The fields that an opportunity needs to enter the stage: columns, or `metadata.<key>`. */
    required_fields: text().array().notNull().default([]),
    /** After this many days in the stage an open opportunity is rotting. */
    rotting_days: integer(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('stages_by_position').on(t.workspace_id, t.pipeline_id, t.position, t.id),
    uniqueIndex('stages_name_key').on(t.workspace_id, t.pipeline_id, t.name_norm),
  ],
)

/** The `apply_stage` trigger derives pipeline_id, status, probability and the stage's timestamps from stage_id. */
export const opportunities = pgTable(
  'opportunities',
  {
    ...identity,
    name: text().notNull(),
    name_norm: normalised().notNull().generatedAlwaysAs(sql`norm(name)`),
    search_text: normalised().notNull().generatedAlwaysAs(sql`search_form(name || coalesce(' ' || external_id, ''))`),
    description: text(),
    value: money().notNull().default(0),
    value_minor: bigint({ mode: 'number' }).notNull().generatedAlwaysAs(sql`(value * 100)::bigint`),
    /** `manual`, or the sum of the line items that triggers keep in `value`. */
    value_source: text({ enum: VALUE_SOURCES }).notNull().default('manual'),
    currency: text().notNull().default(DEFAULT_CURRENCY),
    pipeline_id: uuid(),
    stage_id: uuid(),
    stage_entered_at: instant(),
    status: text({ enum: STATUSES }).notNull().default('open'),
    probability: percent().notNull().default(0),
    assigned_to: uuid(),
    customer_id: uuid(),
    opportunity_type: text(),
    lead_source: text(),
    lost_reasons: text().array(),
    won_reasons: text().array(),
    tags: jsonb().$type<Tag[]>().notNull().default([]),
    notes: text(),
    metadata: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    opened_at: instant().default(sql`now()`),
    expected_close_date: day(),
    closed_at: instant(),
    next_action_type: text(),
    next_action_note: text(),
    next_action_at: instant(),
    external_id: text(),
    archived: boolean().notNull().default(false),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    // These two include search_text (0021), for search= in their order.
    index('opportunities_by_created').on(t.workspace_id, t.archived, t.created_at, t.id),
    index('opportunities_by_updated').on(t.workspace_id, t.archived, t.updated_at, t.id),
    index('opportunities_by_name').on(t.workspace_id, t.archived, t.name_norm, t.id),
    byWords('opportunities'),
    index('opportunities_by_value').on(t.workspace_id, t.archived, t.value_minor, t.id),
    index('opportunities_by_expected_close').on(
      t.workspace_id,
      t.archived,
      sql`(case when expected_close_date is null then 'infinity'::date else expected_close_date end)`,
      t.id,
      t.created_at,
    ),
    index('opportunities_by_stage_entered').on(
      t.workspace_id,
      t.archived,
      sql`(case when stage_entered_at is null then 'infinity'::timestamptz else stage_entered_at end)`,
      t.id,
    ),
    index('opportunities_by_pipeline').on(t.workspace_id, t.pipeline_id, t.archived, t.created_at, t.id),
    index('opportunities_by_stage').on(t.workspace_id, t.stage_id, t.archived, t.created_at, t.id),
    index('opportunities_by_status').on(t.workspace_id, t.status, t.archived, t.created_at, t.id),
    index('opportunities_in_order_of_owner').on(
      t.workspace_id,
      t.archived,
      sql`(case when assigned_to is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid else assigned_to end)`,
      t.id,
    ),
    index('opportunities_by_owner').on(t.workspace_id, t.assigned_to, t.archived, t.created_at, t.id),
    index('opportunities_by_stage_and_owner')
      .on(t.workspace_id, t.stage_id, t.assigned_to, t.created_at, t.id)
      .where(sql`not archived and assigned_to is not null`),
    index('opportunities_by_customer').on(t.workspace_id, t.customer_id, t.archived, t.created_at, t.id),
    index('opportunities_by_type').on(t.workspace_id, t.opportunity_type, t.archived, t.created_at, t.id),
    index('opportunities_by_lead_source').on(t.workspace_id, t.lead_source, t.archived, t.created_at, t.id),
    uniqueIndex('opportunities_external_id_key').on(t.workspace_id, t.external_id),
  ],
)

/** The stages that a card has entered and left; written by a trigger. */
export const stageMoves = pgTable(
  'stage_moves',
  {
    ...identity,
    opportunity_id: uuid().notNull(),
    from_pipeline_id: uuid(),
    from_stage_id: uuid(),
    from_stage_name: text(),
    to_pipeline_id: uuid(),
    to_stage_id: uuid(),
    to_stage_name: text(),
    seconds_in_stage: bigint({ mode: 'number' }),
    moved_by: uuid(),
    moved_at: instant().notNull().default(sql`now()`),
  },
  (t) => [primaryKey({ columns: [t.workspace_id, t.id] }), index('stage_moves_by_opportunity').on(t.workspace_id, t.opportunity_id, t.id)],
)

export const opportunityContacts = pgTable(
  'opportunity_contacts',
  {
    ...identity,
    opportunity_id: uuid().notNull(),
    contact_id: uuid().notNull(),
    role: text(),
    is_primary: boolean().notNull().default(false),
    /** When the opportunity was created: a trigger copies it, so that an index lists those of a contact in that order. */
    opportunity_created_at: instant().notNull().default(sql`now()`),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('opportunity_contacts_pair_key').on(t.workspace_id, t.opportunity_id, t.contact_id),
    uniqueIndex('opportunity_contacts_one_primary').on(t.workspace_id, t.opportunity_id).where(sql`is_primary`),
    index('opportunity_contacts_in_order').on(t.workspace_id, t.contact_id, t.opportunity_created_at, t.opportunity_id),
  ],
)

export const opportunityUsers = pgTable(
  'opportunity_users',
  {
    ...identity,
    opportunity_id: uuid().notNull(),
    user_id: uuid().notNull(),
    role: text(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('opportunity_users_pair_key').on(t.workspace_id, t.opportunity_id, t.user_id),
    index('opportunity_users_by_user').on(t.workspace_id, t.user_id, t.opportunity_id),
  ],
)

export const products = pgTable(
  'products',
  {
    ...identity,
    name: text().notNull(),
    name_norm: normalised().notNull().generatedAlwaysAs(sql`norm(name)`),
    search_text: normalised().notNull().generatedAlwaysAs(sql`search_form(name || coalesce(' ' || sku, ''))`),
    sku: text(),
    category: text(),
    description: text(),
    price: money().notNull().default(0),
    cost: money(),
    currency: text().notNull().default(DEFAULT_CURRENCY),
    unit: text(),
    tax_percent: percent().notNull().default(0),
    is_active: boolean().notNull().default(true),
    metadata: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    external_id: text(),
    archived: boolean().notNull().default(false),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    // These two include search_text (0021), for search= in their order.
    index('products_by_created').on(t.workspace_id, t.archived, t.created_at, t.id),
    index('products_by_updated').on(t.workspace_id, t.archived, t.updated_at, t.id),
    index('products_by_name').on(t.workspace_id, t.archived, t.name_norm, t.id),
    byWords('products'),
    index('products_by_category').on(t.workspace_id, t.category, t.archived, t.created_at, t.id),
    index('products_by_active').on(t.workspace_id, t.is_active, t.archived, t.created_at, t.id),
    uniqueIndex('products_sku_key').on(t.workspace_id, t.sku),
    uniqueIndex('products_external_id_key').on(t.workspace_id, t.external_id),
  ],
)

/** Line items. Names and prices are copies, so later changes of the product do not affect them. */
export const opportunityProducts = pgTable(
  'opportunity_products',
  {
    ...identity,
    opportunity_id: uuid().notNull(),
    product_id: uuid(),
    bucket_id: uuid(),
    name: text().notNull(),
    description: text(),
    quantity: amount().notNull().default(1),
    unit_price: money().notNull().default(0),
    discount_percent: percent().notNull().default(0),
    tax_percent: percent().notNull().default(0),
    position: integer().notNull().default(0),
    subtotal: money().notNull().generatedAlwaysAs(sql`round(quantity * unit_price * (100 - discount_percent) / 100, 2)`),
    total: money()
      .notNull()
      .generatedAlwaysAs(sql`round(round(quantity * unit_price * (100 - discount_percent) / 100, 2) * (100 + tax_percent) / 100, 2)`),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('opportunity_products_by_opportunity').on(t.workspace_id, t.opportunity_id, t.position, t.id),
    index('opportunity_products_by_created').on(t.workspace_id, t.created_at, t.id),
    index('opportunity_products_by_product').on(t.workspace_id, t.product_id),
    index('opportunity_products_by_bucket').on(t.workspace_id, t.bucket_id),
    uniqueIndex('opportunity_products_pair_key').on(t.workspace_id, t.opportunity_id, t.id),
  ],
)
