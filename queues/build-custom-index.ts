import { sql } from 'drizzle-orm'
import { batch } from '../src/data/batch.ts'
import { databaseOf, type Env } from '../src/env.ts'
import type { MessageOf } from './messages.ts'

/** Records in a transaction, which writes of the workspace wait for; transactions in one delivery of the message: then the next message goes on. */
const RECORDS = 500
const BATCHES = 40

/** Goes on with the index of a custom field from where it stands. A message that comes twice does no harm, and one that is lost is sent again by cron. */
export async function buildCustomIndex(env: Env, message: MessageOf<'custom-index.build'>): Promise<void> {
  const { workspace_id, field_id } = message
  for (let done = 0; done < BATCHES; done++) {
    const [more] = await batch(databaseOf(env), [sql`select build_custom_index(${workspace_id}::uuid, ${field_id}::uuid, ${RECORDS}::int)`])
    if (!more) return
  }
  await env.IMPORTS.send(message)
}
