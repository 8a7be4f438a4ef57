import * as v from 'valibot'
import { listsOf } from '../src/features/lists/plans/lists-of.ts'
import { MAX_EVALUATED } from '../src/features/lists/rules/lists.ts'
import { List } from '../src/features/lists/schemas/lists.ts'
import { listBelow, type ParentRecord } from '../src/http/children.ts'
import { scopes } from '../src/http/modes.ts'
import type { Api } from '../src/http/router.ts'
import { pascal, withArticle } from '../src/lib/nouns.ts'
import { pageQuery } from '../src/schemas/fields.ts'
import type { Searched } from '../src/schemas/search.ts'

/** Registers the lists of lists that a contact, a company or an opportunity is in. */
export function registerListsOf(api: Api, plural: Searched, entity: string): void {
  const parent: ParentRecord = { name: entity, param: `${entity}_id`, scope: plural }
  listBelow(api, {
    parent,
    path: '/lists',
    name: 'list',
    id: `list${pascal(entity)}Lists`,
    summary: `List the lists that ${withArticle(entity)} is in`,
    description:
      `Archived lists are left out. Of the live lists of ${plural}, the ${MAX_EVALUATED} oldest are evaluated for the record; ` +
      'one whose filter needs a scope that the key lacks, or is no longer valid, is left out.',
    access: scopes(`${plural}:read`, 'lists:read'),
    query: v.strictObject(pageQuery),
    returns: List,
    list: (id, query, ctx) => listsOf(ctx, plural, id, query),
  })
}
