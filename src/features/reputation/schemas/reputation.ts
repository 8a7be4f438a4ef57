import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import {
  Bool,
  describe,
  Enum,
  HexColor,
  Id,
  Ids,
  InstantOut,
  Integer,
  Multiline,
  Name,
  optional,
  QueryBool,
  QueryInt,
  SingleLine,
  Url,
} from '../../../schemas/fields.ts'
import { FormSlug } from '../../orders/schemas/order-forms.ts'
import { CASE_STUDY_STATUSES, REVIEW_PROOFS, REVIEW_SOURCES, REVIEW_STATUSES } from '../rules/reputation.ts'

const image = (what: string) => v.optional(v.nullable(describe(Url, what, 'https://example.com/picture.png')))
const text = v.nullable(v.string())
const count = (what: string, example = 2) => v.pipe(v.number(), v.integer(), v.description(what), v.examples([example]))

const profileFields = {
  slug: v.optional(
    describe(
      FormSlug,
      'The last part of the page’s address, `/reputation/<slug>`; unique among all workspaces. Required for a new profile. ' +
        'Former slugs lead to the page.',
      'bright-roofs',
    ),
  ),
  display_name: v.optional(describe(Name(120), 'The name that the page shows. Required for a new profile.', 'Bright Roofs')),
  description: optional(describe(Multiline(5_000), 'What the page says about the workspace.', 'Solar roofs since 2009.')),
  category: optional(describe(SingleLine(120), 'The line of business, as free text.', 'Solar installation')),
  logo_url: image('The address of the logo.'),
  website: v.optional(v.nullable(describe(Url, 'The website of the workspace.'))),
  primary_color: v.optional(v.nullable(describe(HexColor, 'The colour of the page; null for that of the workspace.', '#ffd200'))),
  is_published: v.optional(describe(Bool, 'Whether the page can be opened. False by default.', true)),
  accepts_reviews: v.optional(
    describe(Bool, 'Whether everybody can write a review at `/reputation/<slug>/review`, as a draft. False by default.', true),
  ),
}
export const ProfileUpsert = v.strictObject(profileFields)
export type ProfileUpsert = v.InferOutput<typeof ProfileUpsert>

const rating = v.pipe(
  v.nullable(v.number()),
  v.description('The average of the published reviews, with one decimal; null without any.'),
  v.examples([4.8]),
)
const caseStudyCounts = v.pipe(
  v.object({ draft: count('Drafts.'), approved: count('Approved ones.'), published: count('Published ones.') }),
  v.description('How many case studies are in each state.'),
)
export const ReputationProfile = named(
  'ReputationProfile',
  v.object({
    id: Id,
    slug: v.pipe(v.string(), v.description('The page is at `/reputation/<slug>`.'), v.examples(['bright-roofs'])),
    display_name: v.pipe(v.string(), v.description('The name that the page shows.')),
    description: text,
    category: text,
    logo_url: text,
    website: v.pipe(text, v.description('The website of the workspace.')),
    primary_color: v.pipe(text, v.description('The colour of the page; null for that of the workspace.')),
    is_published: v.pipe(v.boolean(), v.description('Whether the page can be opened.')),
    accepts_reviews: v.pipe(v.boolean(), v.description('Whether everybody can write a review at the page, as a draft.')),
    overall_rating: rating,
    total_reviews: count('The number of published reviews.', 12),
    case_study_counts: caseStudyCounts,
    ...timestamps,
  }),
)
export type ReputationProfile = v.InferOutput<typeof ReputationProfile>

const stars = Object.fromEntries(['1', '2', '3', '4', '5'].map((star) => [star, count(`The published reviews with a rating of ${star}.`)]))
export const ReputationStats = named(
  'ReputationStats',
  v.object({
    profile: v.pipe(
      v.nullable(v.object({ id: Id, slug: v.string(), is_published: v.boolean(), overall_rating: rating })),
      v.description('The state of the profile; null without one.'),
    ),
    reviews: v.object({ total: count('All reviews.', 15), published: count('The published reviews.', 12) }),
    rating_distribution: v.pipe(v.object(stars), v.description('How many published reviews have each rating.')),
    case_studies: caseStudyCounts,
  }),
)
export type ReputationStats = v.InferOutput<typeof ReputationStats>

const reviewFields = {
  reviewer_name: describe(Name(200), 'Who wrote the review.', 'Ana Silva'),
  reviewer_title: optional(describe(SingleLine(200), 'The position of the reviewer.', 'Facility manager')),
  reviewer_company: optional(describe(SingleLine(200), 'The company of the reviewer.', 'Harbour Hotels')),
  reviewer_company_logo: image('The address of the logo of that company.'),
  reviewer_avatar: image('The address of a picture of the reviewer.'),
  rating: describe(Integer(1, 5), 'The rating: a whole number from 1 to 5.', 5),
  testimonial_text: describe(
    v.pipe(
      Multiline(5_000),
      v.check((value) => value.trim() !== '', 'must not be empty'),
    ),
    'What the reviewer says.',
    'On time and tidy.',
  ),
  service_category: optional(describe(SingleLine(120), 'The service that the review is about, as free text.', 'Installation')),
  featured: v.optional(describe(Bool, 'Whether the page shows it first. False by default.', true)),
}
export const NewReview = v.strictObject({
  profile_id: describe(Id, 'The profile that is reviewed: the id of GET /reputation/profile.'),
  ...reviewFields,
})
export type NewReview = v.InferOutput<typeof NewReview>
export const ReviewPatch = v.strictObject({
  ...v.partial(v.strictObject(reviewFields)).entries,
  vendor_response: optional(describe(Multiline(5_000), 'What the workspace answers; null removes the answer.', 'Thank you, Ana!')),
})
export type ReviewPatch = v.InferOutput<typeof ReviewPatch>

export const reviewFilters = {
  status: v.optional(Enum(REVIEW_STATUSES)),
  featured: v.optional(QueryBool),
  service_category: v.optional(SingleLine(120)),
  rating: v.optional(QueryInt(1, 5)),
  source: v.optional(Enum(REVIEW_SOURCES)),
}

const instantOrNull = (what: string) => v.pipe(v.nullable(InstantOut), v.description(what))
const publication = {
  approved_by: v.pipe(v.nullable(Id), v.description('The member who approved it.')),
  approved_at: instantOrNull('When it was approved.'),
  published_at: instantOrNull('When it was published; null while it is not.'),
}
export const ReputationReview = named(
  'ReputationReview',
  v.object({
    id: Id,
    profile_id: Id,
    status: Enum(REVIEW_STATUSES, 'The state of the review. Only published ones are shown and counted.'),
    reviewer_name: v.string(),
    reviewer_title: text,
    reviewer_company: text,
    reviewer_company_logo: text,
    reviewer_avatar: text,
    rating: count('1 to 5.', 5),
    testimonial_text: v.string(),
    source: Enum(REVIEW_SOURCES, '`visitor`: written at a page by the reviewer, whose name, rating and words are not changed.'),
    verified: v.pipe(v.boolean(), v.description('Whether the personal link of a client has proven that the reviewer is one.')),
    verified_by: v.pipe(v.nullable(Enum(REVIEW_PROOFS)), v.description('The proof: a booking that took place, or a won deal.')),
    service_category: text,
    featured: v.boolean(),
    vendor_response: text,
    vendor_response_by: v.pipe(v.nullable(Id), v.description('The member who answered.')),
    vendor_response_at: instantOrNull('When the answer was given.'),
    ...publication,
    ...timestamps,
  }),
)
export type ReputationReview = v.InferOutput<typeof ReputationReview>

const caseStudyFields = {
  title: describe(Name(200), 'The title of the case study.', 'A roof that pays for itself'),
  client_name: optional(describe(SingleLine(200), 'The client.', 'Harbour Hotels')),
  client_logo: image('The address of the client’s logo.'),
  image_url: image('The address of a picture.'),
  summary: optional(describe(Multiline(1_000), 'What was achieved, in a few words.', 'A third less energy in a year.')),
  content: optional(describe(Multiline(10_000), 'The whole story, as plain text.', 'The hotel needed a new roof.')),
  service_category: optional(describe(SingleLine(120), 'The service that it is about, as free text.', 'Installation')),
}
export const NewCaseStudy = v.strictObject({
  profile_id: describe(Id, 'The profile that shows it: the id of GET /reputation/profile.'),
  ...caseStudyFields,
})
export type NewCaseStudy = v.InferOutput<typeof NewCaseStudy>
export const CaseStudyPatch = v.partial(v.strictObject(caseStudyFields))
export type CaseStudyPatch = v.InferOutput<typeof CaseStudyPatch>
export const caseStudyFilters = { status: v.optional(Enum(CASE_STUDY_STATUSES)) }
export const CaseStudyOrder = v.strictObject({
  case_study_ids: describe(Ids(100), 'All case studies of the workspace, in the order in which the page shows them.'),
})

export const ReputationCaseStudy = named(
  'ReputationCaseStudy',
  v.object({
    id: Id,
    profile_id: Id,
    status: Enum(CASE_STUDY_STATUSES, 'The state of the case study. Only published ones are shown.'),
    title: v.string(),
    client_name: text,
    client_logo: text,
    image_url: text,
    summary: text,
    content: v.pipe(text, v.description('The whole story, as plain text.')),
    service_category: text,
    position: count('The place among the case studies, counted from 0.', 0),
    ...publication,
    ...timestamps,
  }),
)
export type ReputationCaseStudy = v.InferOutput<typeof ReputationCaseStudy>
