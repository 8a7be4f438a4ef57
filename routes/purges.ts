import * as v from 'valibot'
import type { RecordEntity } from '../src/domain/records.ts'
import { listOf, scopes } from '../src/http/modes.ts'
import type { Api } from '../src/http/router.ts'
import { pascal, withArticle } from '../src/lib/nouns.ts'
import { Id, pageQuery } from '../src/schemas/fields.ts'
import { Purge, Purged, Tombstone } from '../src/schemas/purges.ts'
import { listPurged, removeOrPurge } from '../src/services/purges/purges.ts'

const PURGING =
  'With purge=true, which takes a client_admin and the scope `*:delete` because it erases records of many kinds, it is erased: the record, also one that was deleted before, what belongs to it, activities and tasks that are about nothing else (those that are about another record too lose what was written), and every value of it in the history, events, approvals (those that wait are rejected), stored responses and log tables. Who was merged into it goes with it. What others wrote about it elsewhere, such as in the notes of another record, stays, and so does a file that was imported until its import is deleted. Its id then answers 404 with `details.purged_at`.'

type Kind = { entity: RecordEntity; plural: string; refusal?: string }

/** Deleting a record, or erasing it, and the list of those that were erased. */
export function registerPurges(api: Api, { entity, plural, refusal }: Kind): void {
  const param = `${entity}_id`
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
  api.delete(
    `/:${param}`,
    {
      id: `delete${pascal(entity)}`,
      summary: `Delete ${withArticle(entity)}`,
      description: refusal ? `${refusal} ${PURGING}` : PURGING,
      access: scopes(`${plural}:delete`),
      params: v.object({ [param]: Id }),
      query: Purge,
      returns: Purged,
      errors: ['NOT_FOUND', ...(refusal ? (['CONFLICT'] as const) : []), 'PRECONDITION_FAILED'],
    },
    ({ ctx, params, query }) => removeOrPurge(ctx, entity, params[param] as string, query),
  )
}
