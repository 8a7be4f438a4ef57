import { eq, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { reputationProfiles, reputationReviews } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { refersTo } from '../../../data/bulk.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { assertField, constant } from '../../../data/query.ts'
import {
  assertSent,
  columnsFor,
  insertRow,
  isChangedBy,
  lockForDelete,
  lockForUpdate,
  selectFrom,
  store,
  updateRows,
} from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { REVIEW_TRANSITIONS } from '../rules/reputation.ts'
import { type NewReview, ReputationReview, type ReviewPatch } from '../schemas/reputation.ts'
import { lockProfile } from './profiles.ts'
import { APPROVAL, moved } from './publication.ts'

const WHAT = 'review'
export const OF_PROFILE = [refersTo('profile_id', reputationProfiles)]
/** What responses compute of a review. */
export const reviewComputed = { verified: sql<boolean>`(${reputationReviews.verified_by} is not null)`.as('verified') }
const { record } = store(
  reputationReviews,
  WHAT,
  selectFrom<ReputationReview>(reputationReviews, columnsFor(reputationReviews, ReputationReview, reviewComputed)),
)

export function createReview(_ctx: Ctx, input: NewReview): Plan<ReputationReview> {
  const row = { ...input, id: newId() }
  return plan([lockProfile(), assertSent(reputationReviews, row, OF_PROFILE), insertRow(reputationReviews, row)], record(row.id))
}

/** What a visitor has written, which nobody else changes. */
const REVIEWERS_OWN = ['reviewer_name', 'rating', 'testimonial_text'] as const

const keepsWords = (id: string, field: (typeof REVIEWERS_OWN)[number], value: string | number): Statement =>
  assertField(
    sql`(select source <> 'visitor' or ${reputationReviews[field]}::text = ${String(value)} from ${reputationReviews} where id = ${id})`,
    field,
    'The reviewer has written this, and nobody else changes it: answer with vendor_response, or reject the review',
  )

/** An answer notes who gave it, and when; the same again does not. */
export function updateReview(ctx: Ctx, id: string, patch: ReviewPatch): Plan<ReputationReview> {
  const { vendor_response: answer } = patch
  const { vendor_response_by: by, vendor_response_at: at } = reputationReviews
  const ifOther = (value: SQL, current: PgColumn) =>
    sql`case when ${isChangedBy(reputationReviews, { vendor_response: answer })} then ${value} else ${current} end`
  const answered =
    answer === undefined
      ? {}
      : answer === null
        ? { vendor_response_by: null, vendor_response_at: null }
        : { vendor_response_by: ifOther(sql`current_user_id()`, by), vendor_response_at: ifOther(sql`now()`, at) }
  return plan(
    [
      lockProfile(),
      lockForUpdate(ctx, reputationReviews, id, WHAT),
      ...REVIEWERS_OWN.flatMap((field) => (patch[field] === undefined ? [] : [keepsWords(id, field, patch[field])])),
      updateRows(reputationReviews, { ...patch, ...answered }, eq(reputationReviews.id, id), { id }),
    ],
    record(id),
  )
}

export const deleteReview = (ctx: Ctx, id: string) =>
  plan(
    [lockProfile(), ...lockForDelete(ctx, reputationReviews, id, WHAT), db.delete(reputationReviews).where(eq(reputationReviews.id, id))],
    constant({ id, deleted: true as const }),
  )

export const moveReview = (ctx: Ctx, id: string, verb: keyof typeof REVIEW_TRANSITIONS): Plan<ReputationReview> =>
  plan(moved(ctx, reputationReviews, id, WHAT, REVIEW_TRANSITIONS[verb], verb === 'approve' ? APPROVAL : {}), record(id))
