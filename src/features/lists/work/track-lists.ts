import type { WorkSet } from '../../../../queues/work/set.ts'
import { batch } from '../../../data/batch.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { AppError } from '../../../errors.ts'
import { type Batch, type Evaluation, endBatch, evaluate, hasMore, nextBatch, reasonOf, stopTracking } from '../plans/tracking.ts'

/** Batches per message, after which another message continues. */
const MAX_BATCHES = 40

/** Lists whose members are tracked. */
export const trackedLists: WorkSet = {
  name: 'lists.track',
  queue: 'EVENTS',
  due: [{ table: 'tracked_lists', due: 'walk_at', where: 't.walk_at <= now()' }],
  run: trackLists,
}

/** Writes the events of records that entered or left the live lists of a workspace. */
async function trackLists(env: Env, workspaceId: string): Promise<boolean> {
  const database = jobsDatabaseOf(env)
  for (let done = 0; done < MAX_BATCHES; done++) {
    const [next] = (await batch(database, [nextBatch(workspaceId)])) as [Batch | null]
    if (!next) return false
    for (const evaluation of evaluate(workspaceId, next, new Date())) await run(env, workspaceId, evaluation)
    await batch(database, [endBatch(workspaceId, next)])
    if (!hasMore(next)) return false
  }
  return true
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
