import { Hono } from 'hono'
import * as v from 'valibot'
import { readAnyForm, readFields } from '../../src/features/pages/plans/forms.ts'
import { reputationFailure } from '../../src/features/reputation/plans/pages.ts'
import { askedVisitor, refuseReview, showPersonalForm, submitPersonal } from '../../src/features/reputation/plans/review-pages.ts'
import { html, raw } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { SingleLine } from '../../src/schemas/fields.ts'
import { visitorQuery } from '../../src/schemas/visitor-query.ts'

const router = new Hono<App>()
const pages = endpoints(router, { base: '', path: '/review', tag: 'Reputation' })

const params = v.object({ token: SingleLine(120) })
const query = v.strictObject({ ...visitorQuery.entries, cancelled: v.optional(v.string()) })
const access = { scopes: [], principal: askedVisitor }
const returns = html(reputationFailure)
const body = raw(readFields)
const limits = { body: 60_000 }

pages.get(
  '/:token',
  { id: 'showPersonalReview', summary: 'Show the form of a personal link', access, params, query, returns },
  ({ ctx, params, query }) => showPersonalForm(ctx, params.token, query),
)
pages.post(
  '/:token',
  { id: 'submitPersonalReview', summary: 'Send the review of a personal link', access, params, query, body, returns, limits },
  ({ ctx, params, body }) => submitPersonal(ctx, params.token, body),
)
pages.post(
  '/:token/refuse',
  { id: 'refuseReviewRequest', summary: 'Get no more requests', access, params, query, body: raw(readAnyForm), returns, limits },
  ({ ctx, params, body }) => refuseReview(ctx, params.token, body ?? {}),
)

/**
 * The pages of personal links, on which contacts write reviews. They are not documented among the endpoints, because people reach them by
 * links.
 */
export const reviewPages = new Hono<App>().route('/review', router)
