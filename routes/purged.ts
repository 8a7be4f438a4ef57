import * as v from 'valibot'
import type { RecordEntity } from '../src/domain/records.ts'
import { listOf, scopes } from '../src/http/modes.ts'
import type { Api } from '../src/http/router.ts'
import { pascal } from '../src/lib/nouns.ts'
import { pageQuery } from '../src/schemas/fields.ts'
import { Tombstone } from '../src/schemas/purges.ts'
import { listPurged } from '../src/services/purges/purges.ts'

export const PURGING =
  'With purge=true, which takes a client_admin and the scope `*:delete` because it erases records of many kinds, it is erased: the record, also one that was deleted before, what belongs to it, activities and tasks that are about nothing else (those that are about another record too lose what was written), and every value of it in the history, events, approvals (those that wait are rejected), answers kept for repetition and journals. Who was merged into it goes with it. What others wrote about it elsewhere, such as in the notes of another record, stays, and so does a file that was imported until its import is deleted. Its id then answers 404 with `details.purged_at`.'

/** The list of what was purged. It stands before the paths with an id. */
export function registerPurged(api: Api, entity: RecordEntity, plural: string): void {
  api.get(
    '/purged',
    {
      id: `listPurged${pascal(plural)}`,
      summary: `List purged ${plural}`,
      description: 'That they were there, who purged them and when: nothing else is known any more.',
      access: scopes(`${plural}:read`),
      query: v.strictObject(pageQuery),
      returns: listOf(Tombstone),
    },
    ({ query }) => listPurged(entity, query),
  )
}
