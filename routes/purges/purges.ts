import * as v from 'valibot'
import type { RecordEntity } from '../../src/domain/records.ts'
import { listPurged, removeOrPurge } from '../../src/features/purges/plans/purges.ts'
import { Purge, Purged, Tombstone } from '../../src/features/purges/schemas/purges.ts'
import { listOf, scopes } from '../../src/http/modes.ts'
import type { Api } from '../../src/http/router.ts'
import { pascal, withArticle } from '../../src/lib/nouns.ts'
import { Id, pageQuery } from '../../src/schemas/fields.ts'

const PURGING = [
  'With `purge=true` the record is erased, even if it was deleted before. This requires the scope `*:delete` and a client_admin, because a purge erases records of many kinds. It erases:',
  '',
  '- the record, the rows that belong to it, and the records that were merged into it;',
  '- activities and tasks that are about nothing else. Those that are also about another record are kept without their text;',
  '- every value of the record in the history, events, approvals, stored responses and log tables. Approvals that are still pending are rejected.',
  '',
  'Text about it in other records, such as their notes, is kept, and so is an imported file until its import is deleted. Afterwards the id returns 404 with `details.purged_at`.',
].join('\n')

type Kind = { entity: RecordEntity; plural: string; refusal?: string }

/** Registers the deletion of a record, which can also purge it, and the list of purged records. */
export function registerPurges(api: Api, { entity, plural, refusal }: Kind): void {
  const param = `${entity}_id`
  api.get(
    '/purged',
    {
      id: `listPurged${pascal(plural)}`,
      summary: `List purged ${plural}`,
      description: 'Returns the id of each purged record, who purged it and when. No other data about it remains.',
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
      description: refusal ? `${refusal}\n\n${PURGING}` : PURGING,
      access: scopes(`${plural}:delete`),
      params: v.object({ [param]: Id }),
      query: Purge,
      returns: Purged,
      errors: ['NOT_FOUND', ...(refusal ? (['CONFLICT'] as const) : []), 'PRECONDITION_FAILED'],
    },
    ({ ctx, params, query }) => removeOrPurge(ctx, entity, params[param] as string, query),
  )
}
