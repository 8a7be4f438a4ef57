import type { WorkSet } from '../../../../queues/work/set.ts'
import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'

/**
 * Records per transaction, during which other writes of the workspace wait, and transactions per message, after which another message
 * continues.
 */
const RECORDS = 500
const MAX_BATCHES = 40

/** The indexes of custom fields that are built or removed. */
export const customIndexes: WorkSet = {
  name: 'custom-index.build',
  queue: 'IMPORTS',
  hasItems: true,
  due: [
    {
      table: 'custom_indexes',
      due: 'updated_at',
      where: "t.status in ('building', 'clearing') and t.updated_at < now() - interval '20 seconds'",
      item: 'field_id',
    },
  ],
  run: buildCustomIndex,
}

/** Continues to build the index of a custom field. */
async function buildCustomIndex(env: Env, workspaceId: string, fieldId: string): Promise<boolean> {
  for (let done = 0; done < MAX_BATCHES; done++) {
    const [more] = await batch(jobsDatabaseOf(env), [call('build_custom_index', workspaceId, fieldId, RECORDS)])
    if (!more) return false
  }
  return true
}
