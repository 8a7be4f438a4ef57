import { createHash } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import { formOrders, orderFormLogs } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Called, type Plan, plan, read, withOutside } from '../../../data/plan.ts'
import { constant, mapResult, plainRows, rows } from '../../../data/query.ts'
import { AppError, STATUS_OF } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { loggable } from '../../../lib/text.ts'
import { redirectTo, WebPage } from '../../../lib/web-page.ts'
import { addressOf, partsOf } from '../../pages/plans/visits.ts'
import type { Typed } from '../../pages/rules/form-fields.ts'
import { languageOf } from '../../pages/rules/languages.ts'
import { pagePolicy } from '../../pages/rules/policy.ts'
import type { Checkout } from '../provider/port.ts'
import {
  messagePage,
  type OrderView,
  orderPage,
  orderView,
  priceText,
  type ShownForm,
  thanksPage,
  type Workspace,
} from '../rules/pages/page.ts'
import { type Placed, readOrder } from './page-forms.ts'
import { sealedPlace } from './settings.ts'

type Page = WebPage
type Query = Partial<Record<'lang' | 'cancelled' | 'day' | 'done', string>>
type Facts = { form: ShownForm; workspace: Workspace; workspace_id: string; can_pay: boolean }

const NO_PAGE = () => new AppError('NOT_FOUND', 'No such page')
const TOKEN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whoever opens the page of a form: reaches the workspace of the form, and has no scopes. */
export function orderVisitor({ url, headers, method }: { url: string; headers: Headers; method: string }) {
  const slug = partsOf(url)[2] ?? ''
  const address = addressOf(headers)
  const rates =
    method === 'POST'
      ? [
          { rate: 'sends' as const, id: `order ${address}` },
          { rate: 'default' as const, id: `order ${slug}` },
        ]
      : [{ rate: 'default' as const, id: `pages ${address}` }]
  return { kind: 'public_token' as const, id: `order ${slug}`, grant: call('order_form_grant', slug), rates }
}

/** The page for an error. An unknown form and one that is not active look the same. */
export function orderFailure(error: AppError, { url, headers }: Pick<Request, 'url' | 'headers'>): WebPage {
  const { pathname, searchParams } = new URL(url)
  const view = orderView(pathname, languageOf(searchParams.get('lang') ?? undefined, headers.get('accept-language')))
  const { texts } = view
  const page = (status: number, title: string, text: string) => new WebPage(status, messagePage(view, title, text), pagePolicy("'none'"))
  if (['UNAUTHENTICATED', 'NOT_FOUND', 'VALIDATION_ERROR'].includes(error.code)) return page(404, texts.not_found, texts.not_found_text)
  if (error.code === 'RATE_LIMITED') return page(429, texts.many, texts.many_text)
  return page(STATUS_OF[error.code], texts.failed, texts.failed_text)
}

const viewFor = (ctx: Ctx, path: string, lang: string | undefined): OrderView =>
  orderView(path, languageOf(lang, ctx.received?.headers.get('accept-language') ?? null), lang)

/** The form leads to the provider's page, whose origin may be the workspace's own. */
const shown = (ctx: Ctx, html: string, status = 200) =>
  new WebPage(status, html, pagePolicy("'none'", `'self' https: ${ctx.deployment.checkoutOrigin ?? ''}`.trim()))

const factsOf = (slug: string) =>
  mapResult(plainRows<{ facts: Facts | null }>(call('order_page', slug), ['facts']), ([row]): Facts => {
    if (!row?.facts) throw NO_PAGE()
    return row.facts
  })

/** The same with the sealed key to charge with; null without an account that can be charged to. */
const payable = (slug: string) => {
  const key = sql`(select s.secret_key from payment_settings s where s.webhook_secret is not null)`
  const found = plainRows<{ facts: Facts | null; sealed: string | null }>(sql`select order_page(${slug}::text), ${key}`, [
    'facts',
    'sealed',
  ])
  return mapResult(found, ([row]) => {
    if (!row?.facts) throw NO_PAGE()
    return { ...row.facts, sealed: row.sealed }
  })
}

/** The page of a form. It changes nothing. */
export function showOrderForm(ctx: Ctx, slug: string, query: Query): Plan<Page> {
  const view = viewFor(ctx, `/order/${slug}`, query.lang)
  const { texts } = view
  return read(
    mapResult(factsOf(slug), ({ form, workspace, can_pay }) => {
      if (!can_pay) return shown(ctx, messagePage(view, form.name, texts.cannot_pay, workspace), 503)
      const state = { token: crypto.randomUUID(), typed: {}, faults: [], ...(query.cancelled && { note: texts.cancelled }) }
      return shown(ctx, orderPage(view, workspace, form, state))
    }),
  )
}

/**
 * Places an order, and leads to the provider's page on which it is paid. A form that is sent again leads to the same page. What is wrong
 * with it is shown with the form and all that was typed.
 */
export async function placeOrder(ctx: Ctx, slug: string, typed: Typed): Promise<Plan<Page>> {
  const view = viewFor(ctx, `/order/${slug}`, typed.lang)
  const { form, workspace, workspace_id, sealed } = await ctx.read(payable(slug))
  if (sealed === null) return answer(shown(ctx, messagePage(view, form.name, view.texts.cannot_pay, workspace), 503))
  const token = TOKEN.test(typed.token ?? '') ? (typed.token as string) : crypto.randomUUID()
  const order = readOrder(form, typed, view.texts)
  if ('faults' in order) return answer(shown(ctx, orderPage(view, workspace, form, { token, typed, faults: order.faults }), 422))
  const key = await ctx.deployment.secrets.unseal(sealedPlace(workspace_id, 'secret_key'), sealed)
  return checkOut(ctx, { view, workspace, form, typed, token, key, placed: order.placed })
}

const answer = (page: WebPage): Plan<Page> => plan([], constant(page))

type Checking = { view: OrderView; workspace: Workspace; form: ShownForm; typed: Typed; token: string; key: string; placed: Placed }
/** The order of a form that was sent. `failures`: how many requests for a page of the provider have failed. */
type Reserved = { id: string; url: string | null; total: number; failures: number }
const failures = sql<number>`(select count(*)::int from order_form_logs l
  where l.workspace_id = form_orders.workspace_id and l.order_id = form_orders.id
  and l.event = 'checkout_failed')`

function checkOut(ctx: Ctx, { view, workspace, form, typed, token, key, placed }: Checking): Plan<Page> {
  const { totals, buyer } = placed
  // A form that is sent again with other quantities, or after its currency or its taxes were changed, is another order.
  const form_token = createHash('sha256')
    .update(JSON.stringify([token, form.currency, totals.total, totals.lines, buyer]))
    .digest('hex')
  const ofForm = and(eq(formOrders.form_id, form.id), eq(formOrders.form_token, form_token))
  const row = { form_id: form.id, form_token, currency: form.currency, tax: totals.tax, total: totals.total, lines: totals.lines, buyer }
  const insert = db
    .insert(formOrders)
    .values({ id: newId(), ...row })
    .onConflictDoNothing()
  const select = db
    .select({ id: formOrders.id, url: formOrders.checkout_url, total: formOrders.total, failures: failures.as('failures') })
    .from(formOrders)
    .where(ofForm)
  const again = { token: crypto.randomUUID(), typed, faults: [] }
  const failed = (note: string, status: number) => shown(ctx, orderPage(view, workspace, form, { ...again, note }), status)
  return withOutside<Reserved, Checkout | undefined, Page>(
    plan(
      [insert],
      mapResult(rows(select), ([order]) => order as Reserved),
    ),
    {
      call: async (order) =>
        order.url === null ? ctx.deployment.payments.createCheckout(key, checkoutOf(ctx, view, form, order, placed)) : undefined,
      settle: (order, called) => settleCheckout(form, order, called),
      result: (order) =>
        mapResult(
          rows(
            db
              .select({ url: formOrders.checkout_url, failed_at: formOrders.failed_at })
              .from(formOrders)
              .where(eq(formOrders.id, order.id)),
          ),
          ([row]) => {
            if (row?.url) return redirectTo(row.url)
            return row?.failed_at ? failed(view.texts.refused, 502) : failed(view.texts.not_started, 503)
          },
        ),
    },
  )
}

function checkoutOf(ctx: Ctx, view: OrderView, form: ShownForm, order: Reserved, { totals, buyer }: Placed) {
  const origin = ctx.deployment.apiUrl
  const language = view.chosen ? `lang=${view.chosen}` : ''
  return {
    order_id: order.id,
    attempt: String(order.failures),
    currency: form.currency,
    email: buyer.email,
    lines: totals.checkout,
    success_url: form.redirect_url ?? `${origin}${view.path}/done/${order.id}${language && `?${language}`}`,
    cancel_url: `${origin}${view.path}?cancelled=yes${language && `&${language}`}`,
  }
}

/** Stores the page of the provider, or why there is none. */
function settleCheckout(form: ShownForm, { id, total }: Reserved, called: Called<Checkout | undefined>) {
  const checkout = called.ok ? called.value : { outcome: 'unavailable' as const, reason: String(called.error).slice(0, 300) }
  if (!checkout) return []
  const log = { form_id: form.id, order_id: id, amount: total, currency: form.currency }
  if (checkout.outcome === 'created')
    return [
      db
        .update(formOrders)
        .set({ checkout_session_id: checkout.id, checkout_url: checkout.url, failed_at: null })
        .where(eq(formOrders.id, id)),
      db.insert(orderFormLogs).values({ ...log, event: 'checkout_started', provider_id: checkout.id }),
    ]
  const isRefused = checkout.outcome === 'refused'
  return [
    db.insert(orderFormLogs).values({ ...log, event: 'checkout_failed', message: loggable(checkout.reason, 300) }),
    ...(isRefused ? [sql`update form_orders set failed_at = now() where id = ${id}::uuid`] : []),
  ]
}

type Ordered = { form: ShownForm; workspace: Workspace; status: string; total: number; currency: string }

/** The page after a payment. The report of the provider may still be on its way. */
export function showOrdered(ctx: Ctx, slug: string, orderId: string, query: Query): Plan<Page> {
  const view = viewFor(ctx, `/order/${slug}/done/${orderId}`, query.lang)
  const { texts } = view
  const found = plainRows<{ page: Ordered | null }>(call('ordered_page', slug, orderId), ['page'])
  return read(
    mapResult(found, ([row]) => {
      if (!row?.page) throw NO_PAGE()
      const { form, workspace, status, total, currency } = row.page
      if (status === 'failed' || status === 'expired')
        return shown(ctx, thanksPage(view, workspace, { text: texts.unpaid, again: `/order/${slug}` }))
      const price = priceText(texts, total, currency)
      const text = status === 'open' ? texts.waiting(price) : (form.success_message ?? texts.paid(price))
      return shown(ctx, thanksPage(view, workspace, { text }))
    }),
  )
}
