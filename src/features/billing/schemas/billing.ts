import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import {
  Currency,
  describe,
  Enum,
  Id,
  InstantOut,
  IsoDate,
  Money,
  Multiline,
  Name,
  optional,
  Percent,
  SingleLine,
} from '../../../schemas/fields.ts'
import { moneyOut } from '../../../schemas/pipes.ts'
import { INVOICE_STATUSES, SETTABLE_STATUSES } from '../rules/invoices.ts'

const party = {
  share_percent: v.optional(
    v.nullable(describe(Percent, 'The share of the sale that it pays. The shares of all parties add up to at most 100.', 40)),
  ),
  note: optional(describe(Multiline(2000), 'A note, such as billing instructions.', 'Purchase order needed')),
}
export const NewBillingParty = v.strictObject({ customer_id: describe(Id, 'The company that pays.'), ...party })
export const BillingPartyPatch = v.strictObject(party)
export const BillingParty = named(
  'BillingParty',
  v.object({
    customer_id: Id,
    name: v.string(),
    email: v.nullable(v.string()),
    share_percent: v.nullable(v.number()),
    note: v.nullable(v.string()),
    created_at: InstantOut,
  }),
)

/** The writable fields. The statuses paid and partially_paid follow from the amounts. */
export const invoiceFields = {
  invoice_number: describe(Name(60), 'The invoice number; unique in the workspace.', 'INV-1042'),
  status: v.optional(
    Enum(
      SETTABLE_STATUSES,
      'The status. Once an invoice is sent, its amounts decide whether it is partially_paid or paid. Only a draft can be deleted.',
    ),
  ),
  customer_id: optional(describe(Id, 'The company that pays the invoice.')),
  opportunity_id: optional(describe(Id, 'The opportunity that is invoiced.')),
  total: v.optional(describe(Money, 'The amount to pay, including tax.', 4821)),
  amount_paid: v.optional(describe(Money, 'The amount paid so far, according to your accounts. The API makes no payments.', 0)),
  currency: v.optional(Currency),
  issue_date: optional(IsoDate),
  due_date: optional(describe(IsoDate, 'When payment is due.', '2026-04-30')),
  notes: optional(Multiline()),
  external_id: optional(describe(SingleLine(255), 'The record’s id in another system; unique in the workspace.', 'xero-7f1a')),
}

const amounts = { currency: v.string(), total: moneyOut, amount_paid: moneyOut, amount_due: moneyOut }
const overdue = v.pipe(
  v.boolean(),
  v.description('Whether it was sent, is not fully paid, and is past its due date in the workspace’s time zone.'),
)

export const Invoice = named(
  'Invoice',
  v.object({
    id: Id,
    invoice_number: v.string(),
    status: v.picklist(INVOICE_STATUSES),
    is_overdue: overdue,
    customer_id: v.nullable(Id),
    opportunity_id: v.nullable(Id),
    ...amounts,
    issue_date: v.nullable(IsoDate),
    due_date: v.nullable(IsoDate),
    notes: v.nullable(v.string()),
    external_id: v.nullable(v.string()),
    ...timestamps,
  }),
)

/** An invoice in an opportunity's list of invoices. */
export const InvoiceHeader = named(
  'InvoiceHeader',
  v.object({
    id: Id,
    invoice_number: v.string(),
    status: v.picklist(INVOICE_STATUSES),
    is_overdue: overdue,
    ...amounts,
    due_date: v.nullable(IsoDate),
    customer_id: v.nullable(Id),
    customer_name: v.nullable(v.string()),
    opportunity_id: v.pipe(
      v.nullable(Id),
      v.description('The opportunity of the invoice. When it is listed through a billing party, another opportunity or null.'),
    ),
    source: v.pipe(
      v.picklist(['opportunity', 'billing_party']),
      v.description('Why the invoice is listed: it belongs to the opportunity or to one of its billing parties.'),
    ),
    created_at: InstantOut,
  }),
)
