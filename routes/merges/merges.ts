import * as v from 'valibot'
import { getMerge, listMerges, type Mergeable, mergeRecords, undoMerge } from '../../src/features/merges/plans/merges.ts'
import { MOST_ROWS, UNDO_DAYS } from '../../src/features/merges/rules/merges.ts'
import { Merge, type MergeBody, merged, mergeOf } from '../../src/features/merges/schemas/merges.ts'
import type { Scope } from '../../src/http/modes.ts'
import { listOf } from '../../src/http/modes.ts'
import type { Api } from '../../src/http/router.ts'
import { pascal } from '../../src/lib/nouns.ts'
import { describe, Id, pageQuery, QueryBool } from '../../src/schemas/fields.ts'

const params = v.object({ merge_id: Id })
const query = v.strictObject({
  ...pageQuery,
  winner_id: v.optional(describe(Id, 'Only merges into this record.')),
  loser_id: v.optional(describe(Id, 'Only the merge in which this record was merged into another.')),
  undone: v.optional(describe(QueryBool, '`true` returns merges that were undone, `false` merges that were not.', false)),
})

/** Registers the merge endpoints of an entity. Call it before the paths with an id are registered. */
export function registerMerges(api: Api, of: Mergeable, { plural, winner }: { plural: string; winner: v.GenericSchema }) {
  const reads: Scope[] = [`${plural}:read`]
  const deletes: Scope[] = [`${plural}:delete`]

  api.get(
    '/merges',
    {
      id: `list${pascal(of.entity)}Merges`,
      summary: `List merges of ${plural}, newest first`,
      access: { scopes: reads },
      query,
      returns: listOf(Merge),
    },
    ({ query }) => listMerges(of.entity, query),
  )
  api.get(
    '/merges/:merge_id',
    {
      id: `get${pascal(of.entity)}Merge`,
      summary: `Get a merge of ${plural}`,
      access: { scopes: reads },
      params,
      returns: Merge,
      errors: ['NOT_FOUND'],
    },
    ({ params }) => getMerge(of.entity, params.merge_id),
  )
  api.post(
    '/merge',
    {
      id: `merge${pascal(plural)}`,
      summary: `Merge up to 100 ${plural} into one`,
      description:
        'Related records of the losers move to the winner. The losers are then deleted, and their ids return 404 with ' +
        `\`details.merged_into\`. The merge is refused if an id is unknown, or if the losers have more than ${MOST_ROWS} related ` +
        `records. The history of a loser stays available under its own id. A merge can be undone for ${UNDO_DAYS} days.`,
      access: { scopes: deletes },
      effect: 'preview',
      body: mergeOf(of.entity),
      returns: merged(winner),
      errors: ['CONFLICT'],
    },
    ({ ctx, body }) => mergeRecords(of, ctx, body as MergeBody),
  )
  api.post(
    '/merges/:merge_id/undo',
    {
      id: `undo${pascal(of.entity)}Merge`,
      summary: `Undo a merge of ${plural}`,
      description:
        'The losers are restored with their ids and related records. Values that changed after the merge are kept, ' +
        'and listed in `changed_since`.',
      access: { scopes: deletes },
      params,
      returns: Merge,
      errors: ['NOT_FOUND', 'INVALID_STATE', 'CONFLICT'],
    },
    ({ params }) => undoMerge(of, params.merge_id),
  )
}
