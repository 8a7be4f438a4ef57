import type { MessageOf } from '../../../../queues/messages.ts'
import { batch } from '../../../data/batch.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { AppError } from '../../../errors.ts'
import { type Batch, type Evaluation, endBatch, evaluate, hasMore, nextBatch, reasonOf, stopTracking } from '../plans/tracking.ts'

/** Batches per message, after which another message continues. */
const MAX_BATCHES = 40

/** Writes the events of records that entered or left the live lists of a workspace. Repeated and concurrent messages do no harm. */
export async function trackLists(env: Env, message: MessageOf<'lists.track'>): Promise<void> {
  const { workspace_id } = message
  const database = jobsDatabaseOf(env)
  for (let done = 0; done < MAX_BATCHES; done++) {
    const [next] = (await batch(database, [nextBatch(workspace_id)])) as [Batch | null]
    if (!next) return
    for (const evaluation of evaluate(workspace_id, next, new Date())) await run(env, workspace_id, evaluation)
    await batch(database, [endBatch(workspace_id, next)])
    if (!hasMore(next)) return
  }
  await env.EVENTS.send(message)
}

/** A list whose filter the database refuses is no longer tracked; any other failure is one of the message. */
async function run(env: Env, workspaceId: string, evaluation: Evaluation): Promise<void> {
  const stop = (error: string) => batch(jobsDatabaseOf(env), [stopTracking(workspaceId, evaluation.list, error)])
  if ('error' in evaluation) {
    await stop(evaluation.error)
    return
  }
  try {
    await batch(jobsDatabaseOf(env), evaluation.statements)
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'VALIDATION_ERROR')) throw error
    await stop(reasonOf(error))
  }
}
