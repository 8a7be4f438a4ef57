import { Hono } from 'hono'
import * as v from 'valibot'
import { orderFailure, orderVisitor, placeOrder, showOrdered, showOrderForm } from '../../src/features/orders/plans/pages.ts'
import { readFields } from '../../src/features/pages/plans/forms.ts'
import { html, raw } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id, SingleLine } from '../../src/schemas/fields.ts'
import { visitorQuery } from '../../src/schemas/visitor-query.ts'

const router = new Hono<App>()
const pages = endpoints(router, { base: '', path: '/order', tag: 'Order Forms' })

const slug = SingleLine(120)
const query = v.strictObject({ ...visitorQuery.entries, cancelled: v.optional(v.string()) })
const access = { scopes: [], principal: orderVisitor }
const returns = html(orderFailure)

pages.get(
  '/:slug',
  { id: 'showOrderForm', summary: 'Show an order form', access, params: v.object({ slug }), query, returns },
  ({ ctx, params, query }) => showOrderForm(ctx, params.slug, query),
)
pages.post(
  '/:slug',
  {
    id: 'placeOrder',
    summary: 'Place an order',
    access,
    params: v.object({ slug }),
    query,
    returns,
    body: raw(readFields),
    limits: { body: 100_000 },
  },
  ({ ctx, params, body }) => placeOrder(ctx, params.slug, body),
)
pages.get(
  '/:slug/done/:order_id',
  { id: 'showOrdered', summary: 'Show the outcome of an order', access, params: v.object({ slug, order_id: Id }), query, returns },
  ({ ctx, params, query }) => showOrdered(ctx, params.slug, params.order_id, query),
)

/** The pages for people who order. They are not documented among the endpoints, because people reach them by links. */
export const orderPages = new Hono<App>().route('/order', router)
