import * as v from 'valibot'
import { MOST_ROWS, UNDO_DAYS } from '../src/domain/merges.ts'
import type { Scope } from '../src/http/modes.ts'
import { listOf } from '../src/http/modes.ts'
import type { Api } from '../src/http/router.ts'
import { pascal } from '../src/lib/nouns.ts'
import { describe, Id, pageQuery, QueryBool } from '../src/schemas/fields.ts'
import { Merge, type MergeBody, merged, mergeOf } from '../src/schemas/merges.ts'
import { getMerge, listMerges, type Mergeable, mergeRecords, undoMerge } from '../src/services/merges/merges.ts'

const params = v.object({ merge_id: Id })
const query = v.strictObject({
  ...pageQuery,
  winner_id: v.optional(describe(Id, 'Into this record.')),
  loser_id: v.optional(describe(Id, 'Of this record, which is gone.')),
  undone: v.optional(describe(QueryBool, 'true those that were undone, false those in force.', false)),
})

/** Merging records of one kind. To be called before a group's own `/:id`. */
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
      description: `What belongs to the losers comes to the winner; then they are deleted, and their ids answer 404 with details.merged_into. One unknown id, or more than ${MOST_ROWS} records that belong to them, and nothing happens. The history of a loser stays under its own id. It can be undone for ${UNDO_DAYS} days.`,
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
        'The losers return under their old ids, together with their related records. Values that changed since the merge stay as they are, and `changed_since` reports them.',
      access: { scopes: deletes },
      params,
      returns: Merge,
      errors: ['NOT_FOUND', 'INVALID_STATE', 'CONFLICT'],
    },
    ({ params }) => undoMerge(of, params.merge_id),
  )
}
