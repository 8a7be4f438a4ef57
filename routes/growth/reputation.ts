import { Hono } from 'hono'
import * as v from 'valibot'
import { reputationCaseStudies, reputationReviews } from '../../schema/index.ts'
import { createCaseStudy, moveCaseStudy, reorderCaseStudies, withinBound } from '../../src/features/reputation/plans/case-studies.ts'
import { getProfile, getStats, upsertProfile } from '../../src/features/reputation/plans/profiles.ts'
import { createReview, deleteReview, moveReview, reviewComputed, updateReview } from '../../src/features/reputation/plans/reviews.ts'
import { CASE_STUDY_TRANSITIONS, REVIEW_TRANSITIONS } from '../../src/features/reputation/rules/reputation.ts'
import {
  CaseStudyOrder,
  CaseStudyPatch,
  caseStudyFilters,
  NewCaseStudy,
  NewReview,
  ProfileUpsert,
  ReputationCaseStudy,
  ReputationProfile,
  ReputationReview,
  ReputationStats,
  ReviewPatch,
  reviewFilters,
} from '../../src/features/reputation/schemas/reputation.ts'
import { added, listOf, one, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Deleted } from '../../src/schemas/common.ts'
import { Id } from '../../src/schemas/fields.ts'
import { GROWTH } from '../paths.ts'

const TAG = 'Reputation'
export const reputationRouter = new Hono<App>()
export const reputationApi = endpoints(reputationRouter, { path: GROWTH.reputation, tag: TAG })
export const reputationReviewsRouter = new Hono<App>()
export const reputationReviewsApi = endpoints(reputationReviewsRouter, { path: GROWTH.reviews, tag: TAG })
export const reputationCaseStudiesRouter = new Hono<App>()
export const reputationCaseStudiesApi = endpoints(reputationCaseStudiesRouter, { path: GROWTH.caseStudies, tag: TAG })

const read = scopes('reputation:read')
const write = scopes('reputation:write')
const MOVE_ERRORS = ['NOT_FOUND' as const, 'INVALID_STATE' as const, 'PRECONDITION_FAILED' as const]
const FIGURES = 'The rating and the totals of the profile follow at once.'

reputationApi.get(
  '/profile',
  {
    id: 'getReputationProfile',
    summary: 'Get the reputation profile',
    access: read,
    returns: one(ReputationProfile),
    errors: ['NOT_FOUND'],
  },
  () => getProfile(),
)
reputationApi.post(
  '/profile',
  {
    id: 'setReputationProfile',
    summary: 'Create or update the reputation profile',
    description:
      'A workspace has one profile. The first call creates it, and needs `slug` and `display_name`; further calls ' +
      'change only what they send.',
    access: write,
    body: ProfileUpsert,
    returns: added(ReputationProfile),
    errors: ['CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, body }) => upsertProfile(ctx, body),
)
reputationApi.get(
  '/stats',
  { id: 'getReputationStats', summary: 'Get the figures of the reputation profile', access: read, returns: one(ReputationStats) },
  () => getStats(),
)

const reviewParams = v.object({ review_id: Id })
resource(reputationReviewsApi, {
  name: 'reputation_review',
  plural: 'reputation_reviews',
  param: 'review_id',
  scope: 'reputation',
  table: reputationReviews,
  returns: ReputationReview,
  computed: reviewComputed,
  list: { filters: reviewFilters, description: '`search` looks into the name of the reviewer and the text.' },
  get: {},
  create: { description: 'A new review is a draft.', body: NewReview, plan: createReview, errors: [] },
  update: {
    description:
      'An answer in `vendor_response` notes who gave it, and when. What a visitor has written (`source`) can be ' +
      `answered, not changed. ${FIGURES}`,
    body: ReviewPatch,
    plan: updateReview,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  history: true,
})
reputationReviewsApi.delete(
  '/:review_id',
  {
    id: 'deleteReputationReview',
    summary: 'Delete a reputation review for good',
    description: `It cannot be restored. ${FIGURES}`,
    access: scopes('reputation:delete'),
    params: reviewParams,
    returns: Deleted,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => deleteReview(ctx, params.review_id),
)

const REVIEW_VERBS: Record<keyof typeof REVIEW_TRANSITIONS, string> = {
  approve: 'Notes who approved it, and when. The page does not show it yet.',
  reject: 'A rejected review is not shown; it can still be approved.',
  publish: `The page shows it. ${FIGURES}`,
  unpublish: `The page no longer shows it. ${FIGURES}`,
}
for (const verb of Object.keys(REVIEW_TRANSITIONS) as (keyof typeof REVIEW_TRANSITIONS)[])
  reputationReviewsApi.post(
    `/:review_id/${verb}`,
    {
      id: `${verb}ReputationReview`,
      summary: `${verb[0]?.toUpperCase()}${verb.slice(1)} a reputation review`,
      description: REVIEW_VERBS[verb],
      access: write,
      params: reviewParams,
      returns: one(ReputationReview),
      errors: MOVE_ERRORS,
    },
    ({ ctx, params }) => moveReview(ctx, params.review_id, verb),
  )

reputationCaseStudiesApi.post(
  '/reorder',
  {
    id: 'reorderReputationCaseStudies',
    summary: 'Reorder reputation case studies',
    access: write,
    body: CaseStudyOrder,
    returns: listOf(ReputationCaseStudy),
  },
  ({ body }) => reorderCaseStudies(body.case_study_ids),
)
resource(reputationCaseStudiesApi, {
  name: 'reputation_case_study',
  plural: 'reputation_case_studies',
  param: 'case_study_id',
  scope: 'reputation',
  table: reputationCaseStudies,
  returns: ReputationCaseStudy,
  list: { filters: caseStudyFilters },
  get: {},
  create: { description: 'A new case study is a draft, and the last in order.', body: NewCaseStudy, plan: createCaseStudy, errors: [] },
  update: { body: CaseStudyPatch, errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
  remove: { errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
  restore: { guards: () => [withinBound()] },
  history: true,
})

const CASE_STUDY_VERBS: Record<keyof typeof CASE_STUDY_TRANSITIONS, string> = {
  approve: 'Notes who approved it, and when.',
  publish: 'The page shows it.',
  unpublish: 'The page no longer shows it.',
}
for (const verb of Object.keys(CASE_STUDY_TRANSITIONS) as (keyof typeof CASE_STUDY_TRANSITIONS)[])
  reputationCaseStudiesApi.post(
    `/:case_study_id/${verb}`,
    {
      id: `${verb}ReputationCaseStudy`,
      summary: `${verb[0]?.toUpperCase()}${verb.slice(1)} a reputation case study`,
      description: CASE_STUDY_VERBS[verb],
      access: write,
      params: v.object({ case_study_id: Id }),
      returns: one(ReputationCaseStudy),
      errors: MOVE_ERRORS,
    },
    ({ ctx, params }) => moveCaseStudy(ctx, params.case_study_id, verb),
  )
