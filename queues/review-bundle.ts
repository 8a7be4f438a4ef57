import { sql } from 'drizzle-orm'
import { batch } from '../src/data/batch.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'
import { phoneBundles } from './kinds/sync-phone.ts'
import type { MessageOf } from './messages.ts'
import { run } from './work/run.ts'

/**
 * Looks at a bundle, because the provider has reported something about it. Reports may come in any order and repeatedly: what counts
 * is what the provider has then.
 */
export async function reviewBundle(env: Env, { workspace_id, phone_bundle_id }: MessageOf<'phone.sync'>): Promise<void> {
  if (phone_bundle_id) await batch(jobsDatabaseOf(env), [sql`select review_phone_bundle(${workspace_id}::uuid, ${phone_bundle_id}::uuid)`])
  await run(env, phoneBundles, workspace_id)
}
