import type { MessageOf } from '../../../../queues/messages.ts'
import { run } from '../../../../queues/work/run.ts'
import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { notetakersRun } from './run-notetakers.ts'

/**
 * Lets a notetaker look at its bot, because the provider has reported something about it. Reports may come in any order and repeatedly:
 * what counts is the provider's own account of the bot. A report that came before has no effect.
 */
export async function recordNotetakerEvent(
  env: Env,
  { workspace_id, notetaker_id, webhook_id }: MessageOf<'notetaker.event'>,
): Promise<void> {
  const [isNew] = await batch(jobsDatabaseOf(env), [call('wake_notetaker', workspace_id, notetaker_id, webhook_id)])
  if (isNew) await run(env, notetakersRun, workspace_id)
}
