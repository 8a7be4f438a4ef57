import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { PAYMENT_KINDS, SETUP_STEPS } from '../src/features/agency/rules/agency.ts'
import { day, dueIndexes, identity, instant, percent, reference, tenant, work } from './columns.ts'
import { memberships } from './workspaces.ts'

const cents = () => bigint({ mode: 'number' })
const created = { created_at: instant().notNull().default(sql`now()`) }

/** The workspaces that are agencies. The platform pays them `commission_percent` of what their clients pay. */
export const agencies = pgTable(
  'agencies',
  {
    ...tenant,
    commission_percent: percent().notNull(),
    /** All amounts of an agency are in this currency. */
    currency: text().notNull(),
    signup_url: text(),
    /** The first month of its commission, in its zone. */
    from_month: day().notNull(),
    ...created,
  },
  (t) => [primaryKey({ columns: [t.workspace_id] })],
)

/**
 * The workspaces that an agency looks after, and figures about them, which a sweep writes. The row is the agency's: nobody reads the
 * client's workspace for it.
 */
export const agencyClients = pgTable(
  'agency_clients',
  {
    ...tenant,
    /** The client's workspace. */
    client_id: uuid().notNull(),
    name: text().notNull(),
    is_template: boolean().notNull().default(false),
    brought_in_by: uuid(),
    linked_at: instant().notNull().default(sql`now()`),
    /** Set when the agency no longer looks after the client. */
    ended_at: instant(),
    plan: text(),
    trial_ends_at: instant(),
    /** What the client has paid, refunds subtracted. */
    paid_cents: cents().notNull().default(0),
    user_count: integer(),
    website_url: text(),
    last_activity_at: instant(),
    open_service_requests: integer(),
    unfinished_setup: text({ enum: SETUP_STEPS }).array(),
    /** When the figures were last read; null until then. */
    checked_at: instant(),
    ...work,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.client_id] }),
    uniqueIndex('agency_clients_key').on(t.client_id).where(sql`ended_at is null`),
    index('agency_clients_by_linked').on(t.workspace_id, t.linked_at, t.client_id).where(sql`ended_at is null`),
    index('agency_clients_by_kind').on(t.workspace_id, t.is_template, t.linked_at, t.client_id).where(sql`ended_at is null`),
    ...dueIndexes('agency_clients', t, t.client_id),
    reference(t.brought_in_by, memberships),
  ],
)

/** What clients have paid to the platform. `refunded_cents` is the sum of its refunds. */
export const agencyPayments = pgTable(
  'agency_payments',
  {
    ...identity,
    client_id: uuid().notNull(),
    /** Who had brought in the client when it paid. */
    brought_in_by: uuid(),
    kind: text({ enum: PAYMENT_KINDS }).notNull(),
    paid_at: instant().notNull(),
    /** The first day of its month in the agency's zone. */
    month: day().notNull(),
    amount_cents: cents().notNull(),
    currency: text().notNull(),
    refunded_cents: cents().notNull().default(0),
    /** What the biller calls the payment: it is recorded once. */
    reference: text().notNull(),
    ...created,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('agency_payments_key').on(t.workspace_id, t.reference),
    index('agency_payments_by_client').on(t.workspace_id, t.client_id, t.id),
    check('agency_payments_amount', sql`amount_cents > 0 and refunded_cents between 0 and amount_cents`),
    reference(t.brought_in_by, memberships),
  ],
)

/** Refunds of payments, in the order in which they were recorded. `refunded_cents` is the sum of the payment's refunds up to this one. */
export const agencyRefunds = pgTable(
  'agency_refunds',
  {
    ...identity,
    payment_id: uuid().notNull(),
    refunded_at: instant().notNull(),
    month: day().notNull(),
    amount_cents: cents().notNull(),
    refunded_cents: cents().notNull(),
    reference: text().notNull(),
    ...created,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('agency_refunds_key').on(t.workspace_id, t.reference),
    index('agency_refunds_by_payment').on(t.workspace_id, t.payment_id, t.id),
    reference(t.payment_id, agencyPayments),
  ],
)

/** The months in which a client has paid a subscription, in the agency's zone. */
export const agencyPaidMonths = pgTable('agency_paid_months', { ...tenant, client_id: uuid().notNull(), month: day().notNull() }, (t) => [
  primaryKey({ columns: [t.workspace_id, t.client_id, t.month] }),
])

/** The plans of salespersons. A change is a further version; the latest with a month that is not later is the plan of a month. */
export const commissionPlans = pgTable(
  'commission_plans',
  {
    ...identity,
    user_id: uuid().notNull(),
    number: integer().notNull(),
    from_month: day().notNull(),
    one_off_percent: percent().notNull(),
    first_months: integer().notNull(),
    first_months_percent: percent().notNull(),
    ongoing_percent: percent().notNull(),
    /** Null for ever. */
    ongoing_months: integer(),
    changed_by: uuid(),
    ...created,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('commission_plans_key').on(t.workspace_id, t.user_id, t.number),
    reference(t.user_id, memberships),
    reference(t.changed_by, memberships),
  ],
)

/**
 * What may earn a commission: a payment or a refund, once for the agency (whose payee_id is the id of its workspace) and once for who
 * brought in the client. Its line has the same id.
 */
export const commissionCauses = pgTable(
  'commission_causes',
  {
    ...identity,
    payee_id: uuid().notNull(),
    payment_id: uuid().notNull(),
    refund_id: uuid(),
    month: day().notNull(),
    has_line: boolean().notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('commission_causes_payment_key').on(t.workspace_id, t.payee_id, t.payment_id).where(sql`refund_id is null`),
    uniqueIndex('commission_causes_refund_key').on(t.workspace_id, t.payee_id, t.refund_id).where(sql`refund_id is not null`),
    index('commission_causes_pending').on(t.workspace_id, t.payee_id, t.month, t.id).where(sql`not has_line`),
    index('commission_causes_by_payment').on(t.workspace_id, t.payment_id),
    index('commission_causes_by_refund').on(t.workspace_id, t.refund_id),
    reference(t.payment_id, agencyPayments),
    reference(t.refund_id, agencyRefunds),
  ],
)

/** The months that have ended, one for each payee and month. What is not payable because refunds exceed it is carried into the next. */
export const commissionStatements = pgTable(
  'commission_statements',
  {
    ...identity,
    payee_id: uuid().notNull(),
    month: day().notNull(),
    line_count: integer().notNull(),
    lines_cents: cents().notNull(),
    carried_in_cents: cents().notNull(),
    payable_cents: cents().notNull(),
    carried_out_cents: cents().notNull(),
    locked_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('commission_statements_key').on(t.workspace_id, t.payee_id, t.month),
    check(
      'commission_statements_sum',
      sql`payable_cents >= 0 and carried_out_cents <= 0 and lines_cents + carried_in_cents = payable_cents + carried_out_cents`,
    ),
  ],
)

/** The lines of statements, with all that explains their amounts. */
export const commissionLines = pgTable(
  'commission_lines',
  {
    ...identity,
    payee_id: uuid().notNull(),
    statement_month: day().notNull(),
    brought_in_by: uuid(),
    client_id: uuid().notNull(),
    payment_id: uuid().notNull(),
    refund_id: uuid(),
    kind: text({ enum: PAYMENT_KINDS }).notNull(),
    occurred_at: instant().notNull(),
    payment_cents: cents().notNull(),
    /** What was refunded of the payment before this line, and after it. */
    refunded_before_cents: cents().notNull(),
    refunded_cents: cents().notNull(),
    /** Which paid month of the subscription it is. */
    month_index: integer(),
    /** The version of the plan; null for the agency. */
    plan_number: integer(),
    /** Hundredths of a percent. */
    rate: integer().notNull(),
    commission_cents: cents().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('commission_lines_by_statement').on(t.workspace_id, t.payee_id, t.statement_month, t.id),
    index('commission_lines_by_person').on(t.workspace_id, t.payee_id, t.brought_in_by, t.statement_month, t.id),
    index('commission_lines_by_payment').on(t.workspace_id, t.payment_id),
  ],
)

/** That a statement was paid, or that it was not after all; the latest holds. */
export const commissionPayouts = pgTable(
  'commission_payouts',
  {
    ...tenant,
    statement_id: uuid().notNull(),
    number: integer().notNull(),
    is_paid: boolean().notNull(),
    payment_reference: text(),
    user_id: uuid(),
    ...created,
  },
  (t) => [primaryKey({ columns: [t.workspace_id, t.statement_id, t.number] }), reference(t.statement_id, commissionStatements)],
)
