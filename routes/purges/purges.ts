import * as v from 'valibot'
import { MOST_DEPENDANTS } from '../../src/domain/deletions.ts'
import type { RecordEntity } from '../../src/domain/records.ts'
import { listPurged, removeOrPurge } from '../../src/features/purges/plans/purges.ts'
import { Purge, Purged, Tombstone } from '../../src/features/purges/schemas/purges.ts'
import { accepted, listOf, scopes } from '../../src/http/modes.ts'
import type { Api } from '../../src/http/router.ts'
import { pascal, withArticle } from '../../src/lib/nouns.ts'
import { Id, pageQuery } from '../../src/schemas/fields.ts'

const PURGING = [
  'With `purge=true` the record is erased, even if it was deleted before. This requires the scope `*:delete` and a client_admin, ' +
    'because a purge erases records of many kinds. It erases:',
  '',
  '- the record, the rows that belong to it, and the records that were merged into it;',
  '- activities and tasks that are about nothing else. Those that are also about another record are kept without their text;',
  '- every value of the record in the history, events, approvals, stored responses and log tables. ' +
    'Approvals that are still pending are rejected.',
  '',
  'Text about it in other records, such as their notes, is kept, and so is an imported file until its import is deleted. ' +
    'Afterwards the id returns 404 with `details.purged_at`.',
  '',
  'If the record has many rows, the response to a purge is 202 with a `job_id`, too: ' +
    `more than ${MOST_DEPENDANTS.toLocaleString('en')} rows that belong or refer to it, or that did before. ` +
    'Nothing of it can be restored from that moment, and the job erases all of this. One that has failed goes on when the record is ' +
    'purged again, or when its dead letter is replayed. A purge of a record that a job is deleting is done by that job. ' +
    'Until it has ended, another purge returns the same `job_id`.',
].join('\n')

const BATCHES =
  `If more than ${MOST_DEPENDANTS.toLocaleString('en')} rows belong or refer to the record, the response is 202 with a \`job_id\`. ` +
  'The record is gone at once, and so is what goes with it. A job deletes these rows, and `GET /jobs/{job_id}` shows how far it is. ' +
  'The record can be restored when the job has ended. While a job restores the record, it cannot be deleted (CONFLICT with ' +
  '`job_id`). A dry run names the deletion of the record only.'

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
      description: [refusal, BATCHES, PURGING].filter(Boolean).join('\n\n'),
      access: scopes(`${plural}:delete`),
      params: v.object({ [param]: Id }),
      query: Purge,
      returns: accepted(Purged),
      errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
    },
    ({ ctx, params, query }) => removeOrPurge(ctx, entity, params[param] as string, query),
  )
}
