import { sql } from 'drizzle-orm'
import type { MessageOf } from '../../../../queues/messages.ts'
import { batch } from '../../../data/batch.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'

/**
 * Records per transaction, during which other writes of the workspace wait, and transactions per message, after which another message
 * continues.
 */
const RECORDS = 500
const MAX_BATCHES = 40

/** Continues to build the index of a custom field. Duplicate messages do no harm, and cron sends a lost one again. */
export async function buildCustomIndex(env: Env, message: MessageOf<'custom-index.build'>): Promise<void> {
  const { workspace_id, field_id } = message
  for (let done = 0; done < MAX_BATCHES; done++) {
    const [more] = await batch(jobsDatabaseOf(env), [
      sql`select build_custom_index(${workspace_id}::uuid, ${field_id}::uuid, ${RECORDS}::int)`,
    ])
    if (!more) return
  }
  await env.IMPORTS.send(message)
}
