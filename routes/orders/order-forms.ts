import { Hono } from 'hono'
import * as v from 'valibot'
import { orderForms } from '../../schema/index.ts'
import { createForm, listLogs, updateForm } from '../../src/features/orders/plans/forms.ts'
import {
  logsQuery,
  NewOrderForm,
  OrderForm,
  OrderFormLog,
  OrderFormPatch,
  orderFormFilters,
} from '../../src/features/orders/schemas/order-forms.ts'
import { listOf, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id } from '../../src/schemas/fields.ts'
import { CRM } from '../paths.ts'

export const orderFormsRouter = new Hono<App>()
export const orderFormsApi = endpoints(orderFormsRouter, { path: CRM.orderForms, tag: 'Order Forms' })

resource(orderFormsApi, {
  name: 'order_form',
  plural: 'order_forms',
  scope: 'websites',
  table: orderForms,
  returns: OrderForm,
  list: { filters: orderFormFilters },
  get: {},
  create: {
    description:
      'Visitors order and pay at `/order/<slug>`, by Stripe Checkout, to the account of `/company/payment-settings`. ' +
      'A paid order makes or finds the contact, by the email address or an alternate one, and makes an opportunity ' +
      'with the ordered products.',
    body: NewOrderForm,
    plan: createForm,
  },
  update: {
    description: 'A list that is sent replaces the stored one. Orders that were placed before keep their prices.',
    body: OrderFormPatch,
    plan: updateForm,
  },
  remove: { action: 'write', description: 'A form with orders cannot be deleted: set is_active to false to close its page.' },
  history: true,
})
orderFormsApi.get(
  '/:order_form_id/logs',
  {
    id: 'listOrderFormLogs',
    summary: 'List the payment logs of an order form',
    description:
      'What happened to the orders of the form, newest first: checkouts, payments, refunds and disputes. ' +
      'Each report of the payment provider is logged once.',
    access: scopes('websites:read'),
    params: v.object({ order_form_id: Id }),
    query: logsQuery,
    returns: listOf(OrderFormLog),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listLogs(params.order_form_id, query),
)
