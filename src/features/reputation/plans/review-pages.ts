import { createHash } from 'node:crypto'
import type { SQL } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { constant, mapResult, plainRows } from '../../../data/query.ts'
import { AppError } from '../../../errors.ts'
import { redirectTo, WebPage } from '../../../lib/web-page.ts'
import { addressOf, partsOf } from '../../pages/plans/visits.ts'
import type { Typed } from '../../pages/rules/form-fields.ts'
import { isOneClick } from '../../pages/rules/form-fields.ts'
import { tokenHash } from '../../webhooks/plans/incoming.ts'
import type { ReputationView } from '../rules/pages/page.ts'
import { type ReviewForm, readReview, reviewFormPage, reviewNotice, type WrittenReview } from '../rules/pages/review-form.ts'
import { MAX_WAITING_REVIEWS } from '../rules/reputation.ts'
import { formRates, movedTo, POLICY, viewFor } from './pages.ts'

type Query = Partial<Record<'lang' | 'done', string>>
const NOT_KEPT = { ...POLICY, 'Cache-Control': 'no-store' }
const TOKEN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const page = (html: string, status = 200) => new WebPage(status, html, NOT_KEPT)

/**
 * The visitor of a personal link reaches this workspace, and has no scopes. An unknown, an expired and a cancelled link are refused alike.
 */
export async function askedVisitor({ url, headers, method }: { url: string; headers: Headers; method: string }) {
  const hash = await tokenHash(partsOf(url)[2] ?? '')
  const rates = method === 'POST' ? formRates(headers, hash) : [{ rate: 'default' as const, id: `pages ${addressOf(headers)}` }]
  return { kind: 'public_token' as const, id: 'review', grant: call('review_grant', hash), rates }
}

/** Where a review is written: at a personal link, or at the page of everybody. */
type Door = { view: ReputationView; form: SQL }
const personal = async (ctx: Ctx, token: string, lang: string | undefined): Promise<Door> => ({
  view: viewFor(ctx, `/review/${encodeURIComponent(token)}`, lang),
  form: call('personal_review_form', await tokenHash(token)),
})
const open = (ctx: Ctx, slug: string, lang: string | undefined): Door => ({
  view: viewFor(ctx, `/reputation/${slug}/review`, lang),
  form: call('public_review_form', slug),
})

const formAt = ({ form }: Door) =>
  mapResult(plainRows<{ form: ReviewForm | null }>(form, ['form']), ([row]) => {
    if (!row?.form) throw new AppError('NOT_FOUND', 'No such page')
    return row.form
  })

/** The form, or a word about what was sent. It changes nothing. */
function shownAt(door: Door, done: string | undefined): Plan<WebPage> {
  const { view } = door
  const { texts } = view
  return read(
    mapResult(formAt(door), (shown) => {
      const { profile, request } = shown
      if (!request && view.path !== `/reputation/${profile.slug}/review`) return movedTo(`/reputation/${profile.slug}/review`, view.chosen)
      if (request?.status === 'reviewed' || (!request && done)) return page(reviewNotice(view, shown, texts.thanks, texts.thanks_text))
      if (done) return page(reviewNotice(view, shown, texts.refused, texts.refused_text))
      return page(reviewFormPage(view, shown, crypto.randomUUID(), {}, []))
    }),
  )
}

export const showPersonalForm = async (ctx: Ctx, token: string, { lang, done }: Query) => shownAt(await personal(ctx, token, lang), done)
export const showPublicForm = (ctx: Ctx, slug: string, { lang, done }: Query) => shownAt(open(ctx, slug, lang), done)

const thanksAt = ({ path, chosen }: ReputationView) => redirectTo(`${path}?done=yes${chosen ? `&lang=${chosen}` : ''}`)

/** The review of a form. One that is sent again, with the same words, is the same review. */
function storedOf({ rating, words, name }: WrittenReview, token: string): string {
  const form = createHash('sha256')
    .update(JSON.stringify([token, rating, words, name]))
    .digest('hex')
  return JSON.stringify({ rating, words, name, form })
}

/** Stores a review as a draft. What is wrong with the form is shown with all that was typed. */
async function submitAt(ctx: Ctx, door: Door, typed: Typed): Promise<Plan<WebPage>> {
  const { view } = door
  const { texts } = view
  const shown = await ctx.read(formAt(door))
  const { request, profile } = shown
  if (request?.status === 'reviewed') return plan([], constant(thanksAt(view)))
  const token = TOKEN.test(typed.token ?? '') ? (typed.token as string) : crypto.randomUUID()
  const written = readReview(typed, texts)
  if ('faults' in written) return plan([], constant(page(reviewFormPage(view, shown, token, typed, written.faults), 422)))
  const stored = storedOf(written.review, request?.id ?? token)
  if (request) return plan([call('submit_personal_review', request.id, stored)], constant(thanksAt(view)))
  const submitted = call('submit_public_review', profile.id, stored, MAX_WAITING_REVIEWS)
  return plan(
    [],
    mapResult(plainRows<{ is_stored: boolean }>(submitted, ['is_stored']), ([row]) =>
      row?.is_stored
        ? thanksAt({ ...view, path: `/reputation/${profile.slug}/review` })
        : page(reviewNotice(view, shown, texts.many, texts.full), 429),
    ),
  )
}

export const submitPersonal = async (ctx: Ctx, token: string, typed: Typed) => submitAt(ctx, await personal(ctx, token, typed.lang), typed)
export const submitPublic = (ctx: Ctx, slug: string, typed: Typed) => submitAt(ctx, open(ctx, slug, typed.lang), typed)

/** The contact wants no such messages. @throws VALIDATION_ERROR */
export async function refuseReview(ctx: Ctx, token: string, typed: Typed): Promise<Plan<WebPage>> {
  const door = await personal(ctx, token, typed.lang)
  const shown = await ctx.read(formAt(door))
  const { texts } = door.view
  // Mail programs follow no redirects (RFC 8058, 3.1).
  const answer = isOneClick(typed) ? page(reviewNotice(door.view, shown, texts.refused, texts.refused_text)) : thanksAt(door.view)
  return plan([call('refuse_review_request', shown.request?.id ?? null)], constant(answer))
}
