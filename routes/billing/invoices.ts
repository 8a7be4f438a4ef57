import { Hono } from 'hono'
import * as v from 'valibot'
import { invoices } from '../../schema/index.ts'
import { isOverdue, setToday } from '../../src/features/billing/plans/invoices.ts'
import { INVOICE_STATUSES } from '../../src/features/billing/rules/invoices.ts'
import { Invoice, invoiceFields } from '../../src/features/billing/schemas/billing.ts'
import { RELATIONS } from '../../src/features/lists/plans/relations.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Enum, Id, SingleLine } from '../../src/schemas/fields.ts'
import { CRM } from '../paths.ts'

export const invoicesRouter = new Hono<App>()
export const invoicesApi = endpoints(invoicesRouter, { path: CRM.invoices, tag: 'Invoices' })

const body = v.strictObject(invoiceFields)

resource(invoicesApi, {
  name: 'invoice',
  plural: 'invoices',
  table: invoices,
  returns: Invoice,
  computed: { is_overdue: isOverdue },
  before: setToday,
  list: {
    relations: RELATIONS.invoices,
    filters: {
      status: v.optional(Enum(INVOICE_STATUSES)),
      customer_id: v.optional(Id),
      opportunity_id: v.optional(Id),
      invoice_number: v.optional(SingleLine(60)),
      external_id: v.optional(SingleLine()),
    },
    sorts: ['created_at', 'updated_at', 'invoice_number'],
  },
  get: {},
  create: { body },
  update: {
    description:
      'Stores a record of an invoice; the API sends and collects nothing. A draft can become sent or void. ' +
      'Once sent, the amounts decide whether it is partially_paid or paid; it can become void as long as nothing was paid. ' +
      'A void invoice cannot change its status.',
    body: v.partial(body),
    errors: ['NOT_FOUND', 'CONFLICT', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  remove: { summary: 'Delete a draft invoice', errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'] },
  history: true,
})
