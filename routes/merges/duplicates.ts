import * as v from 'valibot'
import type { RecordEntity } from '../../src/domain/records.ts'
import { dismissDuplicate, duplicatesOf, listDismissed, listDuplicates, undismiss } from '../../src/features/merges/plans/duplicates.ts'
import { Candidate, CandidatesQuery, Dismiss, Dismissed, Duplicates, minScore } from '../../src/features/merges/schemas/duplicates.ts'
import { added, listOf, scopes } from '../../src/http/modes.ts'
import type { Api } from '../../src/http/router.ts'
import { pascal, withArticle } from '../../src/lib/nouns.ts'
import { Deleted } from '../../src/schemas/common.ts'
import { Id, pageQuery } from '../../src/schemas/fields.ts'

type Kind = { entity: RecordEntity; plural: string; looks: string }

/** Registers the endpoints for possible duplicates. Call it before the paths with an id are registered. */
export function registerDuplicates(api: Api, { entity, plural, looks }: Kind): void {
  const param = `${entity}_id`
  const ofRecord = v.object({ [param]: Id })

  api.get(
    '/duplicates',
    {
      id: `listDuplicate${pascal(plural)}`,
      summary: `List possible duplicate ${plural}`,
      description:
        `${looks} Each item is a record with up to three earlier records that have the same address, number or name. ` +
        'A pair is listed once, under its strongest reason, if its score is at least `min_score`. ' +
        'A common name alone, with different addresses or numbers, is no proposal. Names are compared only with names that are close ' +
        'to them in the alphabet; the duplicates of a single record are compared with all names. ' +
        'Archived records and dismissed pairs are left out. A page can have fewer than `limit` items, or none, although more follow: ' +
        'continue until `page.next` is null.',
      access: scopes(`${plural}:read`),
      query: v.strictObject({ ...pageQuery, min_score: minScore }),
      returns: listOf(Duplicates),
    },
    ({ query }) => listDuplicates(entity, query),
  )
  api.post(
    '/duplicates/dismiss',
    {
      id: `dismissDuplicate${pascal(plural)}`,
      summary: `Dismiss a pair of possible duplicate ${plural}`,
      description: 'The two records are no longer reported as duplicates of each other. Dismissing the pair again changes nothing.',
      access: scopes(`${plural}:write`),
      body: Dismiss,
      returns: added(Dismissed),
    },
    ({ body }) => dismissDuplicate(entity, body.ids),
  )
  api.get(
    '/duplicates/dismissed',
    {
      id: `listDismissedDuplicate${pascal(plural)}`,
      summary: `List dismissed pairs of ${plural}`,
      access: scopes(`${plural}:read`),
      query: v.strictObject(pageQuery),
      returns: listOf(Dismissed),
    },
    ({ query }) => listDismissed(entity, query),
  )
  api.delete(
    '/duplicates/dismissed/:dismissal_id',
    {
      id: `restoreDuplicate${pascal(plural)}`,
      summary: `Restore a dismissed pair of ${plural}`,
      access: scopes(`${plural}:write`),
      params: v.object({ dismissal_id: Id }),
      returns: Deleted,
      errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    },
    ({ ctx, params }) => undismiss(ctx, entity, params.dismissal_id),
  )
  api.get(
    `/:${param}/duplicates`,
    {
      id: `get${pascal(entity)}Duplicates`,
      summary: `Get ${withArticle(entity)}'s possible duplicates, most similar first`,
      description: looks,
      access: scopes(`${plural}:read`),
      params: ofRecord,
      query: CandidatesQuery,
      returns: v.array(Candidate),
      errors: ['NOT_FOUND'],
    },
    ({ params, query }) => duplicatesOf(entity, (params as Record<string, string>)[param] as string, query),
  )
}
