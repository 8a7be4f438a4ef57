import { Hono } from 'hono'
import * as v from 'valibot'
import { readFields } from '../../src/features/pages/plans/forms.ts'
import { reputationFailure, reputationVisitor, showCaseStudy, showReputation } from '../../src/features/reputation/plans/pages.ts'
import { showPublicForm, submitPublic } from '../../src/features/reputation/plans/review-pages.ts'
import { html, raw } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id, SingleLine } from '../../src/schemas/fields.ts'
import { visitorQuery } from '../../src/schemas/visitor-query.ts'

const router = new Hono<App>()
const pages = endpoints(router, { base: '', path: '/reputation', tag: 'Reputation' })

const slug = SingleLine(120)
const query = v.strictObject({ ...visitorQuery.entries, cancelled: v.optional(v.string()) })
const body = raw(readFields)
const limits = { body: 60_000 }
const access = { scopes: [], principal: reputationVisitor }
const returns = html(reputationFailure)

pages.get(
  '/:slug',
  { id: 'showReputation', summary: 'Show the page of a workspace', access, params: v.object({ slug }), query, returns },
  ({ ctx, params, query }) => showReputation(ctx, params.slug, query),
)
pages.get(
  '/:slug/case-studies/:case_study_id',
  { id: 'showCaseStudy', summary: 'Show a case study', access, params: v.object({ slug, case_study_id: Id }), query, returns },
  ({ ctx, params, query }) => showCaseStudy(ctx, params.slug, params.case_study_id, query),
)

pages.get(
  '/:slug/review',
  { id: 'showPublicReview', summary: 'Show the form for a review', access, params: v.object({ slug }), query, returns },
  ({ ctx, params, query }) => showPublicForm(ctx, params.slug, query),
)
pages.post(
  '/:slug/review',
  { id: 'submitPublicReview', summary: 'Send a review', access, params: v.object({ slug }), query, body, returns, limits },
  ({ ctx, params, body }) => submitPublic(ctx, params.slug, body),
)

/** The pages on which workspaces show themselves. They are not documented among the endpoints, because people reach them by links. */
export const reputationPages = new Hono<App>().route('/reputation', router)
