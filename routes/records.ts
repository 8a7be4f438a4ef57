import type * as v from 'valibot'
import type { RecordEntity } from '../src/domain/records.ts'
import { RELATIONS } from '../src/features/lists/plans/relations.ts'
import type { Mergeable } from '../src/features/merges/plans/merges.ts'
import { searchRecords } from '../src/features/search/plans/record-search.ts'
import type { Tagged } from '../src/features/tags/plans/tags.ts'
import type { Schema } from '../src/http/endpoint.ts'
import { listOf, scopes } from '../src/http/modes.ts'
import type { Api } from '../src/http/router.ts'
import { pascal } from '../src/lib/nouns.ts'
import { type Searched, searchBody } from '../src/schemas/search.ts'
import { registerExports } from './exports.ts'
import { registerListsOf } from './lists-of.ts'
import { registerDuplicates } from './merges/duplicates.ts'
import { registerMerges } from './merges/merges.ts'
import { registerPurges } from './purges/purges.ts'
import { registerTags } from './tags.ts'

type Records = {
  entity: RecordEntity
  plural: Searched
  table: Tagged['table']
  /** The filters of the list. */
  filters: v.ObjectEntries
  /** Describes which values are compared to find duplicates. */
  looks: string
  mergeable: Mergeable
  /** The schema of a record in a list. */
  item: Schema
  /** The schema of a single record. */
  record: Schema
  /** Describes when a deletion is refused. */
  refusal?: string
}

const SEARCHING =
  'Returns the same as the list. The call only reads, so read_only keys can use it and it never waits for approval. ' +
  'Conditions on related records also need their scope, such as `opportunities:read`.'

/**
 * Registers what contacts, companies and opportunities share besides their plain endpoints. Call it before the paths with an id are
 * registered.
 */
export function registerRecords(api: Api, of: Records): void {
  const { plural, table, filters, item } = of
  registerPurges(api, of)
  registerDuplicates(api, of)
  registerExports(api, plural, table, filters)
  registerTags(api, plural, of)
  registerListsOf(api, plural, of.entity)
  registerMerges(api, of.mergeable, { plural, winner: of.record })
  api.post(
    '/search',
    {
      id: `search${pascal(plural)}`,
      summary: `Search ${plural} by a filter`,
      description: SEARCHING,
      access: scopes(`${plural}:read`),
      effect: 'read',
      body: searchBody(plural),
      returns: listOf(item, undefined, RELATIONS[plural]),
    },
    ({ ctx, body }) => searchRecords(ctx, plural, body),
  )
}
