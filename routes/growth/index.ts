import { leadInitiativesApi } from './lead-initiatives.ts'
import { leadResultsApi } from './lead-results.ts'
import { reputationApi, reputationCaseStudiesApi, reputationReviewsApi } from './reputation.ts'
import { reviewRequestsApi } from './review-requests.ts'

/** The resources of this area, in the order in which their paths are matched and documented. */
export const apis = [reputationReviewsApi, reviewRequestsApi, reputationCaseStudiesApi, reputationApi, leadResultsApi, leadInitiativesApi]
