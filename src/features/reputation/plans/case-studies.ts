import { sql } from 'drizzle-orm'
import { reputationCaseStudies } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import type { Statement } from '../../../data/db.ts'
import { type Keys, page } from '../../../data/page.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { nextPosition, type Ordered } from '../../../data/position.ts'
import { assertEveryId, assertField } from '../../../data/query.ts'
import { assertSent, columnsFor, insertRow, selectFrom, store } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { CASE_STUDY_TRANSITIONS, MAX_CASE_STUDIES } from '../rules/reputation.ts'
import { type NewCaseStudy, ReputationCaseStudy } from '../schemas/reputation.ts'
import { lockProfile } from './profiles.ts'
import { APPROVAL, moved } from './publication.ts'
import { OF_PROFILE } from './reviews.ts'

const WHAT = 'case study'
const TOO_MANY = `A workspace has at most ${MAX_CASE_STUDIES} case studies: delete one first`
const columns = columnsFor(reputationCaseStudies, ReputationCaseStudy)
const { record } = store(reputationCaseStudies, WHAT, selectFrom<ReputationCaseStudy>(reputationCaseStudies, columns))

/** Asserts that there are not too many, after one was added. */
export const withinBound = (): Statement =>
  assertField(sql`(select count(*) from ${reputationCaseStudies}) <= ${MAX_CASE_STUDIES}::int`, 'title', TOO_MANY)

/** A new one is shown after the others. */
export function createCaseStudy(_ctx: Ctx, input: NewCaseStudy): Plan<ReputationCaseStudy> {
  const id = newId()
  const siblings: Ordered = { table: reputationCaseStudies, parent: reputationCaseStudies.profile_id, parentId: input.profile_id }
  const row = { ...input, id, position: nextPosition(siblings, undefined) }
  return plan(
    [
      lockProfile(),
      assertSent(reputationCaseStudies, { id, profile_id: input.profile_id }, OF_PROFILE),
      insertRow(reputationCaseStudies, row),
      withinBound(),
    ],
    record(id),
  )
}

export const moveCaseStudy = (ctx: Ctx, id: string, verb: keyof typeof CASE_STUDY_TRANSITIONS): Plan<ReputationCaseStudy> =>
  plan(moved(ctx, reputationCaseStudies, id, WHAT, CASE_STUDY_TRANSITIONS[verb], verb === 'approve' ? APPROVAL : {}), record(id))

/** Replaces the whole order, and returns the case studies in it. */
export function reorderCaseStudies(ids: string[]) {
  const places = sql`unnest(${`{${ids.join(',')}}`}::uuid[]) with ordinality as requested(id, at)`
  return plan(
    [
      lockProfile(),
      assertEveryId('case_study_ids', ids, sql`(select array_agg(id) from ${reputationCaseStudies})`, 'Send every case study exactly once'),
      sql`update reputation_case_studies set position = requested.at - 1 from ${places}
        where reputation_case_studies.id = requested.id and position <> requested.at - 1`,
    ],
    page({
      select: (keys: Keys) => selectFrom<ReputationCaseStudy>(reputationCaseStudies, { ...columns, ...keys }),
      id: reputationCaseStudies.id,
      where: [],
      sorts: { position: reputationCaseStudies.position },
      name: 'case studies in order',
      query: { limit: MAX_CASE_STUDIES, sort: 'position' },
    }),
  )
}
