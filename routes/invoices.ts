import { Hono } from 'hono'
import * as v from 'valibot'
import { invoices } from '../schema/index.ts'
import { INVOICE_STATUSES } from '../src/domain/invoices.ts'
import { scopes } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Invoice, invoiceFields } from '../src/schemas/billing.ts'
import { Deleted } from '../src/schemas/common.ts'
import { Enum, Id, SingleLine } from '../src/schemas/fields.ts'
import { isOverdue } from '../src/services/billing/invoices.ts'
import { CRM } from './paths.ts'

export const invoicesRouter = new Hono<App>()
export const invoicesApi = endpoints(invoicesRouter, { path: CRM.invoices, tag: 'Invoices' })

const params = v.object({ invoice_id: Id })

const { update, remove } = resource(invoicesApi, {
  name: 'invoice',
  plural: 'invoices',
  table: invoices,
  returns: Invoice,
  computed: { is_overdue: isOverdue },
  body: invoiceFields,
  filters: {
    status: v.optional(Enum(INVOICE_STATUSES)),
    customer_id: v.optional(Id),
    opportunity_id: v.optional(Id),
    invoice_number: v.optional(SingleLine(60)),
    external_id: v.optional(SingleLine()),
  },
  sorts: ['created_at', 'updated_at', 'invoice_number'],
  only: ['list', 'get', 'create', 'history'],
})
invoicesApi.patch(
  '/:invoice_id',
  {
    id: 'updateInvoice',
    summary: 'Update an invoice',
    description:
      'Keeps a record: nothing is sent and nothing is collected. A draft becomes sent or void; one that was sent is partially_paid or paid by its amounts, and can be made void while nothing was paid. A void one stays so.',
    access: scopes('invoices:write'),
    params,
    body: v.partial(v.strictObject(invoiceFields)),
    returns: Invoice,
    errors: ['NOT_FOUND', 'CONFLICT', 'INVALID_STATE'],
  },
  ({ ctx, params, body }) => update(ctx, params.invoice_id, body),
)
invoicesApi.delete(
  '/:invoice_id',
  {
    id: 'deleteInvoice',
    summary: 'Delete a draft invoice',
    access: scopes('invoices:delete'),
    params,
    returns: Deleted,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
  },
  ({ ctx, params }) => remove(ctx, params.invoice_id),
)
