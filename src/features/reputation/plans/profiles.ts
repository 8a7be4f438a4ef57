import { sql } from 'drizzle-orm'
import { reputationProfiles } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { type Added, addedIf, assertField, mapResult, oneOrThrow, plainRows } from '../../../data/query.ts'
import { columnsFor, noteAdded, rowExists, updateRows } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { type ProfileUpsert, ReputationProfile, type ReputationStats } from '../schemas/reputation.ts'

const WHAT = 'reputation profile'
const counts = sql.raw('rating_counts')
const total = sql<number>`(select sum(c)::int from unnest(${counts}) c)`
const overall = sql<number | null>`(select round(sum(c * i) / nullif(sum(c), 0), 1)::float8 from unnest(${counts}) with ordinality u(c, i))`
export const profileColumns = columnsFor(reputationProfiles, ReputationProfile, {
  overall_rating: overall.as('overall_rating'),
  total_reviews: total.as('total_reviews'),
  case_study_counts: sql<ReputationProfile['case_study_counts']>`case_study_counts()`.as('case_study_counts'),
})
const record = oneOrThrow<ReputationProfile>(db.select(profileColumns).from(reputationProfiles), WHAT)

export const getProfile = (): Plan<ReputationProfile> => read(record)

/** Locks the profile: before a review or a case study, always. */
export const lockProfile = (): Statement => sql`select from ${reputationProfiles} for no key update`

const required = (field: string): Statement =>
  assertField(sql`exists (select from ${reputationProfiles})`, field, 'Required, because there is no profile yet')

/** Creates the profile, or updates what is sent of it. */
export function upsertProfile({ ifMatch }: Ctx, input: ProfileUpsert): Plan<Added<ReputationProfile>> {
  const { slug, display_name, ...rest } = input
  const id = newId()
  const match =
    ifMatch === undefined
      ? undefined
      : sql`select assert_version((select version from ${reputationProfiles} for update), ${ifMatch}::int, ${WHAT})`
  const first =
    slug !== undefined && display_name !== undefined
      ? [
          db
            .insert(reputationProfiles)
            .values({ id, slug, display_name, ...rest })
            .onConflictDoNothing(),
        ]
      : [slug === undefined && required('slug'), display_name === undefined && required('display_name')]
  const isNew = rowExists(reputationProfiles, id)
  return plan([match, ...first, updateRows(reputationProfiles, input, sql`true`), noteAdded(isNew)], addedIf(record, isNew))
}

const NAMES = ['profile', 'reviews', 'rating_distribution', 'case_studies']

/** The figures of the profile; without one, zeros. */
export function getStats(): Plan<ReputationStats> {
  const profile = sql`case when id is not null then
    jsonb_build_object('id', id, 'slug', slug, 'is_published', is_published, 'overall_rating', ${overall}) end`
  const stars = sql`(select jsonb_object_agg(s, coalesce(${counts}[s], 0)) from generate_series(1, 5) s)`
  const reviews = sql`jsonb_build_object('total', coalesce(review_count, 0), 'published', coalesce(${total}, 0))`
  const select = sql`select ${profile}, ${reviews}, ${stars}, case_study_counts()
    from (values (true)) one left join ${reputationProfiles} on true`
  return read(mapResult(plainRows<ReputationStats>(select, NAMES), ([row]) => row as ReputationStats))
}
