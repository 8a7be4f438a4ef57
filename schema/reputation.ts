import { sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { CASE_STUDY_STATUSES, REVIEW_PROOFS, REVIEW_SOURCES, REVIEW_STATUSES } from '../src/features/reputation/rules/reputation.ts'
import { bytes, byWords, identity, instant, normalised, reference, timestamps } from './columns.ts'
import { memberships } from './workspaces.ts'

/** How a workspace shows itself to the public. Triggers count its reviews. */
export const reputationProfiles = pgTable(
  'reputation_profiles',
  {
    ...identity,
    slug: text().notNull(),
    display_name: text().notNull(),
    description: text(),
    category: text(),
    logo_url: text(),
    website: text(),
    primary_color: text(),
    is_published: boolean().notNull().default(false),
    /** Whether anybody may write a review at the page, without a personal link. */
    accepts_reviews: boolean().notNull().default(false),
    /** All reviews, in whatever state. */
    review_count: integer().notNull().default(0),
    /** The published reviews with 1, 2, 3, 4 and 5 stars. */
    rating_counts: integer().array().notNull().default(sql`'{0,0,0,0,0}'`),
    ...timestamps,
  },
  (t) => [primaryKey({ columns: [t.workspace_id, t.id] }), uniqueIndex('reputation_profiles_key').on(t.workspace_id)],
)

/** The slug of each profile and those that it had before, which lead to it. No other workspace can have one of them. */
export const reputationSlugs = pgTable('reputation_slugs', { ...identity, slug: text().notNull(), profile_id: uuid().notNull() }, (t) => [
  primaryKey({ columns: [t.workspace_id, t.id] }),
  uniqueIndex('reputation_slugs_slug_key').on(t.slug),
  index('reputation_slugs_by_profile').on(t.workspace_id, t.profile_id, t.id),
  reference(t.profile_id, reputationProfiles, 'cascade'),
])

const publication = { approved_by: uuid(), approved_at: instant(), published_at: instant() }

export const reputationReviews = pgTable(
  'reputation_reviews',
  {
    ...identity,
    profile_id: uuid().notNull(),
    status: text({ enum: REVIEW_STATUSES }).notNull().default('draft'),
    reviewer_name: text().notNull(),
    reviewer_title: text(),
    reviewer_company: text(),
    reviewer_company_logo: text(),
    reviewer_avatar: text(),
    rating: integer().notNull(),
    testimonial_text: text().notNull(),
    /** A visitor's own words are not changed. */
    source: text({ enum: REVIEW_SOURCES }).notNull().default('workspace'),
    verified_by: text({ enum: REVIEW_PROOFS }),
    /** The hash of the form that a visitor has sent, so that it makes one review however often it is sent. */
    form_hash: bytes(),
    search_text: normalised().notNull().generatedAlwaysAs(sql`search_form(reviewer_name || ' ' || testimonial_text)`),
    service_category: text(),
    featured: boolean().notNull().default(false),
    vendor_response: text(),
    vendor_response_by: uuid(),
    vendor_response_at: instant(),
    ...publication,
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('reputation_reviews_by_created').on(t.workspace_id, t.created_at, t.id),
    index('reputation_reviews_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('reputation_reviews_by_status').on(t.workspace_id, t.status, t.created_at, t.id),
    index('reputation_reviews_by_featured').on(t.workspace_id, t.featured, t.created_at, t.id),
    index('reputation_reviews_by_category').on(t.workspace_id, t.service_category, t.created_at, t.id),
    index('reputation_reviews_by_rating').on(t.workspace_id, t.rating, t.created_at, t.id),
    index('reputation_reviews_by_profile').on(t.workspace_id, t.profile_id, t.id),
    index('reputation_reviews_shown').on(t.workspace_id, t.profile_id, t.featured, t.published_at, t.id).where(sql`status = 'published'`),
    index('reputation_reviews_by_approver').on(t.workspace_id, t.approved_by).where(sql`approved_by is not null`),
    index('reputation_reviews_by_responder').on(t.workspace_id, t.vendor_response_by).where(sql`vendor_response_by is not null`),
    byWords('reputation_reviews'),
    index('reputation_reviews_by_source').on(t.workspace_id, t.source, t.created_at, t.id),
    uniqueIndex('reputation_reviews_form_key').on(t.workspace_id, t.form_hash).where(sql`form_hash is not null`),
    index('reputation_reviews_waiting').on(t.workspace_id, t.id).where(sql`status = 'draft' and source = 'visitor'`),
    reference(t.profile_id, reputationProfiles, 'cascade'),
    reference(t.approved_by, memberships),
    reference(t.vendor_response_by, memberships),
  ],
)

/** What the workspace has done for a client, in its own words. */
export const reputationCaseStudies = pgTable(
  'reputation_case_studies',
  {
    ...identity,
    profile_id: uuid().notNull(),
    status: text({ enum: CASE_STUDY_STATUSES }).notNull().default('draft'),
    title: text().notNull(),
    client_name: text(),
    client_logo: text(),
    image_url: text(),
    summary: text(),
    content: text(),
    service_category: text(),
    position: integer().notNull(),
    ...publication,
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('reputation_case_studies_by_created').on(t.workspace_id, t.created_at, t.id),
    index('reputation_case_studies_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('reputation_case_studies_by_status').on(t.workspace_id, t.status, t.created_at, t.id),
    index('reputation_case_studies_by_profile').on(t.workspace_id, t.profile_id, t.position, t.id),
    index('reputation_case_studies_by_position').on(t.workspace_id, t.position, t.id),
    index('reputation_case_studies_by_approver').on(t.workspace_id, t.approved_by).where(sql`approved_by is not null`),
    reference(t.profile_id, reputationProfiles, 'cascade'),
    reference(t.approved_by, memberships),
  ],
)
