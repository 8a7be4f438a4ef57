import type { Transitions } from '../../../domain/transitions.ts'

export const REVIEW_STATUSES = ['draft', 'approved', 'published', 'rejected'] as const
export type ReviewStatus = (typeof REVIEW_STATUSES)[number]

/** Who has written a review: somebody of the workspace who knows it from elsewhere, or a visitor of a page. */
export const REVIEW_SOURCES = ['workspace', 'visitor'] as const
/** What proves that the reviewer is a client: a booking that took place, or a won deal. */
export const REVIEW_PROOFS = ['booking', 'won_deal'] as const

/** The life of a review. Only published ones are shown and counted. One that was rejected can still be approved. */
export const REVIEW_TRANSITIONS = {
  approve: { draft: 'approved', rejected: 'approved' },
  reject: { draft: 'rejected', approved: 'rejected' },
  publish: { approved: 'published' },
  unpublish: { published: 'approved' },
} as const satisfies Transitions<ReviewStatus>

export const CASE_STUDY_STATUSES = ['draft', 'approved', 'published'] as const
export type CaseStudyStatus = (typeof CASE_STUDY_STATUSES)[number]

export const CASE_STUDY_TRANSITIONS = {
  approve: { draft: 'approved' },
  publish: { approved: 'published' },
  unpublish: { published: 'approved' },
} as const satisfies Transitions<CaseStudyStatus>

/** The most case studies of a workspace. */
export const MAX_CASE_STUDIES = 100
/** The most slugs that a profile has had; all of them lead to it. */
export const MAX_SLUGS = 100
/** The most reviews of visitors without a personal link that wait for a decision. */
export const MAX_WAITING_REVIEWS = 500
