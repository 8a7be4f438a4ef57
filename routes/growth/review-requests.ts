import { Hono } from 'hono'
import * as v from 'valibot'
import { reviewRequests } from '../../schema/index.ts'
import { askForReviews, cancelReviewRequest } from '../../src/features/reputation/plans/review-requests.ts'
import { ASK_AGAIN_DAYS } from '../../src/features/reputation/rules/review-requests.ts'
import {
  AskForReviews,
  ReviewRequest,
  ReviewRequests,
  reviewRequestFilters,
} from '../../src/features/reputation/schemas/review-requests.ts'
import { one, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id } from '../../src/schemas/fields.ts'
import { GROWTH } from '../paths.ts'

export const reviewRequestsRouter = new Hono<App>()
export const reviewRequestsApi = endpoints(reviewRequestsRouter, { path: GROWTH.reviewRequests, tag: 'Reputation' })
const write = scopes('reputation:write')

resource(reviewRequestsApi, {
  name: 'review_request',
  plural: 'review_requests',
  param: 'review_request_id',
  scope: 'reputation',
  table: reviewRequests,
  returns: ReviewRequest,
  list: { filters: reviewRequestFilters },
  get: {},
  history: true,
})
reviewRequestsApi.post(
  '',
  {
    id: 'askForReviews',
    summary: 'Ask contacts for reviews by email or SMS',
    description:
      'Each contact gets a message with a personal link, and one reminder unless there is a review by then. ' +
      `Messages wait for the end of quiet hours. A contact gets one request in ${ASK_AGAIN_DAYS} days: \`skipped\` says when. ` +
      'One who cannot be reached is an error. The profile must be published.',
    access: write,
    body: AskForReviews,
    returns: ReviewRequests,
    errors: ['INVALID_STATE', 'CHANNEL_NOT_CONFIGURED'],
    limits: { rate: 'sends' },
  },
  ({ ctx, body }) => askForReviews(ctx, body),
)
reviewRequestsApi.post(
  '/:review_request_id/cancel',
  {
    id: 'cancelReviewRequest',
    summary: 'Cancel a review request',
    description: 'Neither the message nor the reminder is sent any more, and the link does not work.',
    access: write,
    params: v.object({ review_request_id: Id }),
    returns: one(ReviewRequest),
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => cancelReviewRequest(ctx, params.review_request_id),
)
