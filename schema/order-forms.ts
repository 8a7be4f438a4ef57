import { sql } from 'drizzle-orm'
import { boolean, index, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { DEFAULT_CURRENCY } from '../src/domain/money.ts'
import { type Buyer, type ContactField, ORDER_EVENTS, type OrderItem, type OrderLine } from '../src/features/orders/rules/types.ts'
import { identity, instant, money, reference, timestamps } from './columns.ts'
import { contacts } from './contacts.ts'
import { opportunities, pipelines } from './opportunities.ts'

/** The workspace's account at the payment provider. Both secrets are sealed; the token is the last part of the webhook's address. */
export const paymentSettings = pgTable(
  'payment_settings',
  {
    ...identity,
    secret_key: text().notNull(),
    secret_key_hint: text().notNull(),
    webhook_secret: text(),
    webhook_token: text().notNull(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('payment_settings_key').on(t.workspace_id),
    uniqueIndex('payment_settings_webhook_token_key').on(t.webhook_token),
  ],
)

/** Pages on which visitors order and pay. Items are copies of their products, so later changes of those do not affect them. */
export const orderForms = pgTable(
  'order_forms',
  {
    ...identity,
    name: text().notNull(),
    /** The last part of the page's address, so it is unique among all workspaces. */
    slug: text().notNull(),
    description: text(),
    is_active: boolean().notNull().default(true),
    currency: text().notNull().default(DEFAULT_CURRENCY),
    prices_include_tax: boolean().notNull().default(false),
    items: jsonb().$type<OrderItem[]>().notNull(),
    contact_fields: jsonb().$type<ContactField[]>().notNull().default([]),
    success_message: text(),
    redirect_url: text(),
    pipeline_id: uuid(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('order_forms_by_created').on(t.workspace_id, t.created_at, t.id),
    index('order_forms_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('order_forms_by_active').on(t.workspace_id, t.is_active, t.created_at, t.id),
    index('order_forms_by_pipeline').on(t.workspace_id, t.pipeline_id),
    uniqueIndex('order_forms_slug_key').on(t.slug),
    reference(t.pipeline_id, pipelines, 'set null'),
  ],
)

/**
 * What a visitor has ordered. A row exists before a checkout page is requested. The reports of the provider may come in any
 * order, so each sets its own columns, of which `status` follows. The details of the buyer are kept until they are a contact, or the page
 * has expired.
 */
export const formOrders = pgTable(
  'form_orders',
  {
    ...identity,
    form_id: uuid().notNull(),
    /** A random token of the form that was shown, which orders once. */
    form_token: text().notNull(),
    status: text()
      .notNull()
      .generatedAlwaysAs(
        sql`case when dispute_status = 'lost' then 'dispute_lost' \
when dispute_status is not null and dispute_status not in ('won', 'warning_closed', 'prevented') then 'disputed'
          when amount_refunded >= total and paid_at is not null then 'refunded' \
when amount_refunded > 0 and paid_at is not null then 'partially_refunded'
          when paid_at is not null then 'paid' when failed_at is not null then 'failed' \
when expired_at is not null then 'expired' else 'open' end`,
      ),
    currency: text().notNull(),
    tax: money().notNull(),
    total: money().notNull(),
    lines: jsonb().$type<OrderLine[]>().notNull(),
    buyer: jsonb().$type<Buyer>(),
    checkout_session_id: text(),
    checkout_url: text(),
    payment_id: text(),
    contact_id: uuid(),
    opportunity_id: uuid(),
    paid_at: instant(),
    failed_at: instant(),
    expired_at: instant(),
    amount_refunded: money().notNull().default(0),
    dispute_status: text(),
    /** When the provider has reported this status of the dispute. */
    dispute_at: instant(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('form_orders_by_form').on(t.workspace_id, t.form_id, t.id),
    index('form_orders_by_contact').on(t.workspace_id, t.contact_id, t.id),
    index('form_orders_by_opportunity').on(t.workspace_id, t.opportunity_id, t.id),
    index('form_orders_by_payment').on(t.workspace_id, t.payment_id),
    index('form_orders_with_buyer').on(t.created_at).where(sql`buyer is not null`),
    uniqueIndex('form_orders_token_key').on(t.workspace_id, t.form_id, t.form_token),
    reference(t.form_id, orderForms),
    reference(t.contact_id, contacts, 'set null'),
    reference(t.opportunity_id, opportunities, 'set null'),
  ],
)

/** What happened to the payments of a form. The provider's event is stored once. */
export const orderFormLogs = pgTable(
  'order_form_logs',
  {
    ...identity,
    form_id: uuid().notNull(),
    order_id: uuid().notNull(),
    event: text({ enum: ORDER_EVENTS }).notNull(),
    amount: money(),
    currency: text().notNull(),
    message: text(),
    provider_id: text(),
    provider_event_id: text(),
    contact_id: uuid(),
    opportunity_id: uuid(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('order_form_logs_by_form').on(t.workspace_id, t.form_id, t.created_at, t.id),
    index('order_form_logs_by_event').on(t.workspace_id, t.form_id, t.event, t.created_at, t.id),
    index('order_form_logs_by_order').on(t.workspace_id, t.order_id, t.id),
    index('order_form_logs_by_contact').on(t.workspace_id, t.contact_id, t.id),
    index('order_form_logs_by_opportunity').on(t.workspace_id, t.opportunity_id, t.id),
    uniqueIndex('order_form_logs_event_key').on(t.workspace_id, t.provider_event_id),
    reference(t.form_id, orderForms),
    reference(t.order_id, formOrders, 'cascade'),
    reference(t.contact_id, contacts, 'set null'),
    reference(t.opportunity_id, opportunities, 'set null'),
  ],
)
