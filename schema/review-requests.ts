import { sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { REVIEW_CHANNELS, REVIEW_REQUEST_STATUSES } from '../src/features/reputation/rules/review-requests.ts'
import { bytes, dueIndexes, identity, instant, reference, timestamps, work } from './columns.ts'
import { contacts } from './contacts.ts'
import { reputationProfiles, reputationReviews } from './reputation.ts'

/** Requests to contacts for a review, by a message with a personal link and one reminder (review-requests.sql). */
export const reviewRequests = pgTable(
  'review_requests',
  {
    ...identity,
    profile_id: uuid().notNull(),
    contact_id: uuid().notNull(),
    channel: text({ enum: REVIEW_CHANNELS }).notNull(),
    /** What the message says before the link; null for the usual words. */
    message: text(),
    /** Null: there is no reminder. */
    remind_after_days: integer(),
    status: text({ enum: REVIEW_REQUEST_STATUSES }).notNull().default('queued'),
    /** Why it waits, or why it was stopped. */
    reason: text(),
    sent_at: instant(),
    reminded_at: instant(),
    reviewed_at: instant(),
    review_id: uuid(),
    expires_at: instant().notNull(),
    token_hash: bytes().notNull(),
    /** What the token of the link follows from, with the secret of the deployment. */
    token_seed: uuid().notNull(),
    ...work,
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('review_requests_by_created').on(t.workspace_id, t.created_at, t.id),
    index('review_requests_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('review_requests_by_contact').on(t.workspace_id, t.contact_id, t.created_at, t.id),
    index('review_requests_by_status').on(t.workspace_id, t.status, t.created_at, t.id),
    index('review_requests_by_channel').on(t.workspace_id, t.channel, t.created_at, t.id),
    index('review_requests_by_profile').on(t.workspace_id, t.profile_id),
    index('review_requests_by_review').on(t.workspace_id, t.review_id).where(sql`review_id is not null`),
    uniqueIndex('review_requests_token').on(t.token_hash),
    ...dueIndexes('review_requests', t, t.id),
    reference(t.profile_id, reputationProfiles, 'cascade'),
    reference(t.contact_id, contacts, 'cascade'),
    reference(t.review_id, reputationReviews, 'set null'),
  ],
)
