import type { MessageOf } from '../../../../queues/messages.ts'
import { run } from '../../../../queues/work/run.ts'
import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { phoneBundles } from './sync-phone.ts'

/**
 * Looks at a bundle, because the provider has reported something about it. Reports may come in any order and repeatedly: what counts
 * is what the provider has then.
 */
export async function reviewBundle(env: Env, { workspace_id, phone_bundle_id }: MessageOf<'phone.sync'>): Promise<void> {
  if (phone_bundle_id) await batch(jobsDatabaseOf(env), [call('review_phone_bundle', workspace_id, phone_bundle_id)])
  await run(env, phoneBundles, workspace_id)
}
