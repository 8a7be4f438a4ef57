import { sql } from 'drizzle-orm'
import { bigint, check, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { FILE_STATES } from '../src/domain/file-names.ts'
import { DEFAULT_CURRENCY } from '../src/domain/money.ts'
import { INVOICE_STATUSES } from '../src/features/billing/rules/invoices.ts'
import { amount, day, identity, instant, money, normalised, percent, reference, tenant, timestamps } from './columns.ts'
import { supplierCatalogEntries } from './supplier-catalog.ts'

/** Named groups of an opportunity's line items, in display order. */
export const opportunityBuckets = pgTable(
  'opportunity_buckets',
  {
    ...identity,
    opportunity_id: uuid().notNull(),
    name: text().notNull(),
    name_norm: normalised().notNull().generatedAlwaysAs(sql`norm(name)`),
    position: integer().notNull(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('opportunity_buckets_by_position').on(t.workspace_id, t.opportunity_id, t.position, t.id),
    uniqueIndex('opportunity_buckets_name_key').on(t.workspace_id, t.opportunity_id, t.name_norm),
    uniqueIndex('opportunity_buckets_pair_key').on(t.workspace_id, t.opportunity_id, t.id),
  ],
)

/** A supplier's price for a line item. The line's margin is its subtotal less its costs. */
export const productCosts = pgTable(
  'product_costs',
  {
    ...identity,
    opportunity_id: uuid().notNull(),
    line_item_id: uuid().notNull(),
    description: text(),
    supplier_name: text(),
    catalog_entry_id: uuid(),
    quantity: amount().notNull().default(1),
    unit_cost: money().notNull(),
    cost: money().notNull().generatedAlwaysAs(sql`round(quantity * unit_cost, 2)`),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('product_costs_by_opportunity').on(t.workspace_id, t.opportunity_id, t.id),
    index('product_costs_by_line_item').on(t.workspace_id, t.line_item_id, t.id),
    index('product_costs_by_catalog_entry').on(t.workspace_id, t.catalog_entry_id, t.id),
    reference(t.catalog_entry_id, supplierCatalogEntries, 'set null'),
  ],
)

/** The companies that pay for an opportunity besides its own company. */
export const billingParties = pgTable(
  'billing_parties',
  {
    ...identity,
    opportunity_id: uuid().notNull(),
    customer_id: uuid().notNull(),
    share_percent: percent(),
    note: text(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('billing_parties_by_opportunity').on(t.workspace_id, t.opportunity_id, t.id),
    uniqueIndex('billing_parties_pair_key').on(t.workspace_id, t.opportunity_id, t.customer_id),
    index('billing_parties_by_customer').on(t.workspace_id, t.customer_id, t.id),
  ],
)

/** Invoice headers from an external system. Once an invoice is sent, a trigger derives its status from the amounts. */
export const invoices = pgTable(
  'invoices',
  {
    ...identity,
    invoice_number: text().notNull(),
    status: text({ enum: INVOICE_STATUSES }).notNull().default('draft'),
    customer_id: uuid(),
    opportunity_id: uuid(),
    currency: text().notNull().default(DEFAULT_CURRENCY),
    total: money().notNull().default(0),
    amount_paid: money().notNull().default(0),
    amount_due: money().notNull().generatedAlwaysAs(sql`total - amount_paid`),
    issue_date: day(),
    due_date: day(),
    notes: text(),
    external_id: text(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('invoices_by_created').on(t.workspace_id, t.created_at, t.id),
    index('invoices_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('invoices_by_number').on(t.workspace_id, t.invoice_number, t.id),
    index('invoices_by_status').on(t.workspace_id, t.status, t.created_at, t.id),
    index('invoices_by_customer').on(t.workspace_id, t.customer_id, t.created_at, t.id),
    index('invoices_by_opportunity').on(t.workspace_id, t.opportunity_id, t.created_at, t.id),
    uniqueIndex('invoices_number_key').on(t.workspace_id, t.invoice_number),
    uniqueIndex('invoices_external_id_key').on(t.workspace_id, t.external_id),
  ],
)

/**
 * Files of an opportunity, a contact or a company: exactly one. A row is written after its object, so a row without an object means a lost
 * file, which the sweep finds.
 */
export const attachments = pgTable(
  'attachments',
  {
    ...identity,
    opportunity_id: uuid(),
    contact_id: uuid(),
    customer_id: uuid(),
    name: text().notNull(),
    content_type: text().notNull(),
    size: bigint({ mode: 'number' }).notNull(),
    sha256: text().notNull(),
    state: text({ enum: FILE_STATES }).notNull().default('stored'),
    uploaded_by: uuid(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('attachments_by_opportunity').on(t.workspace_id, t.opportunity_id, t.created_at, t.id),
    index('attachments_by_contact').on(t.workspace_id, t.contact_id, t.created_at, t.id).where(sql`contact_id is not null`),
    index('attachments_by_customer').on(t.workspace_id, t.customer_id, t.created_at, t.id).where(sql`customer_id is not null`),
    ...['opportunity', 'contact', 'customer'].flatMap((record) => [
      index(`attachments_of_${record}_by_created`)
        .on(t.workspace_id, t.created_at, t.id)
        .where(sql.raw(`${record}_id is not null`)),
      index(`attachments_of_${record}_by_updated`)
        .on(t.workspace_id, t.updated_at, t.id)
        .where(sql.raw(`${record}_id is not null`)),
    ]),
    check('one_record', sql`num_nonnulls(opportunity_id, contact_id, customer_id) = 1`),
  ],
)

/** The changes that the timeline of a contact, company or opportunity shows: its own and those of related rows; written by a trigger. */
export const timelineChanges = pgTable(
  'timeline_changes',
  {
    ...tenant,
    record_id: uuid().notNull(),
    at: instant().notNull(),
    change_id: uuid().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.record_id, t.at, t.change_id] }),
    index('timeline_changes_by_age').using('brin', t.change_id).with({ pages_per_range: 16, autosummarize: true }),
  ],
)

/** The stage moves of opportunities that belonged to a contact or company at that time; written by a trigger. */
export const timelineMoves = pgTable(
  'timeline_moves',
  {
    ...tenant,
    record_id: uuid().notNull(),
    at: instant().notNull(),
    move_id: uuid().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspace_id, t.record_id, t.at, t.move_id] })],
)
