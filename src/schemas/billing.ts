import * as v from 'valibot'
import { INVOICE_STATUSES, SETTABLE_STATUSES } from '../domain/invoices.ts'
import { named, timestamps } from './common.ts'
import { about, Enum, Id, InstantOut, IsoDate, Money, Multiline, Name, optional, Percent, SingleLine } from './fields.ts'

const party = {
  share_percent: v.optional(v.nullable(about(Percent, 'What part of the sale it pays; all parties together at most 100.', 40))),
  note: optional(about(Multiline(2000), 'Such as how it wants to be billed.', 'Purchase order needed')),
}
export const NewBillingParty = v.strictObject({ customer_id: about(Id, 'The company that pays.'), ...party })
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

/** What a caller may write. Paid and partially_paid follow from the amounts. */
export const invoiceFields = {
  invoice_number: about(Name(60), 'Once in a workspace.', 'INV-1042'),
  status: v.optional(
    Enum(SETTABLE_STATUSES, 'Of one that was sent, the amounts tell whether it is partially_paid or paid. Only a draft can be deleted.'),
  ),
  customer_id: optional(about(Id, 'The company that pays it.')),
  opportunity_id: optional(about(Id, 'The opportunity that it is for.')),
  total: v.optional(about(Money, 'What is to be paid, with tax.', 4821)),
  amount_paid: v.optional(about(Money, 'What of it was paid, as your accounts say: no payment is made here.', 0)),
  currency: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code, such as AUD'),
      v.description('ISO 4217; AUD unless given.'),
      v.examples(['AUD']),
    ),
  ),
  issue_date: optional(IsoDate),
  due_date: optional(about(IsoDate, 'When it is to be paid.', '2026-04-30')),
  notes: optional(Multiline()),
  external_id: optional(about(SingleLine(255), 'The record’s id in another system; once in a workspace.', 'xero-7f1a')),
}

const amounts = { currency: v.string(), total: v.number(), amount_paid: v.number(), amount_due: v.number() }
const overdue = v.pipe(v.boolean(), v.description('Sent, not paid, and past its due date where the workspace is.'))

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

/** As an opportunity shows it. */
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
    opportunity_id: v.pipe(v.nullable(Id), v.description('Another one or null where a billing party brings it here.')),
    source: v.pipe(v.picklist(['opportunity', 'billing_party']), v.description('Whose invoice it is.')),
    created_at: InstantOut,
  }),
)
