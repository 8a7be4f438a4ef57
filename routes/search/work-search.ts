import type * as v from 'valibot'
import { RELATIONS } from '../../src/features/lists/plans/relations.ts'
import { searchWork } from '../../src/features/search/plans/work-search.ts'
import type { Schema } from '../../src/http/endpoint.ts'
import { listOf, scopes } from '../../src/http/modes.ts'
import type { Api } from '../../src/http/router.ts'
import { pascal } from '../../src/lib/nouns.ts'
import { type SearchedWork, type WorkSearchBody, workSearchBody } from '../../src/schemas/search.ts'

/** Registers the search over activities or tasks. Call it before the paths with an id are registered. */
export function registerWorkSearch(api: Api, object: SearchedWork, record: Schema & { entries: v.ObjectEntries }): void {
  api.post(
    '/search',
    {
      id: `search${pascal(object)}`,
      summary: `Search ${object} by a filter`,
      description:
        'The call only reads, so read_only keys can use it and it never waits for approval. ' +
        'Conditions on related records also need their scope, such as `contacts:read`.',
      access: scopes(`${object}:read`),
      effect: 'read',
      body: workSearchBody(object),
      returns: listOf(record, undefined, RELATIONS[object]),
    },
    ({ ctx, body }) => searchWork(ctx, object, body as WorkSearchBody),
  )
}
