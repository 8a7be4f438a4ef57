import { batch } from '../../../data/batch.ts'
import type { Statement } from '../../../data/db.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { AppError } from '../../../errors.ts'
import { enqueue, enqueueAll } from '../../../wake.ts'
import {
  disableForKey,
  dueWebhooks,
  enabledWebhooks,
  type Fed,
  fanOut,
  fanOutReplay,
  MAX_FED,
  nextEvents,
  nextReplayed,
  type Replay,
} from '../plans/follow.ts'
import type { Subscription } from '../rules/matching.ts'

/** Rounds per message, after which another message continues. */
const MAX_ROUNDS = 20

/**
 * Adds the deliveries of a workspace's new events, and enqueues the webhooks that have any. A follower moves on in the transaction of the
 * deliveries, so repeated and concurrent messages add each delivery once.
 */
export async function followWebhooks(env: Env, workspaceId: string): Promise<void> {
  let hasMore = true
  for (let round = 0; hasMore && round < MAX_ROUNDS; round++) hasMore = await followOnce(env, workspaceId)
  if (hasMore) await enqueue(env, 'events.deliver', workspaceId)
  const [due] = (await batch(jobsDatabaseOf(env), [dueWebhooks(workspaceId)])) as [string[]]
  await wakeWebhooks(env, workspaceId, due)
}

/** Enqueues webhooks with deliveries that are due. */
export const wakeWebhooks = (env: Env, workspaceId: string, webhooks: string[]): Promise<void> =>
  enqueueAll(
    env,
    'webhook.deliver',
    webhooks.map((itemId) => ({ workspaceId, itemId })),
  )

/** Returns whether there is more to read. */
async function followOnce(env: Env, workspaceId: string): Promise<boolean> {
  const database = jobsDatabaseOf(env)
  const [found] = (await batch(database, [enabledWebhooks(workspaceId)])) as [Subscription[] | null]
  if (!found) return false
  const webhooks = found.filter(({ readable }) => readable !== null)
  for (const { id, readable } of found) if (readable === null) await batch(database, [disableForKey(workspaceId, id)])
  const replaying = webhooks.filter(({ replay_id }) => replay_id !== null)
  const [fed, ...replays] = (await batch(database, [
    nextEvents(workspaceId, webhooks),
    ...replaying.map((webhook) => nextReplayed(workspaceId, webhook)),
  ])) as [Fed | null, ...(Replay | null)[]]
  if (fed && fed.count > 0) await unlessMoved(env, fanOut(workspaceId, webhooks, fed))
  for (const [index, replay] of replays.entries())
    if (replay) await unlessMoved(env, fanOutReplay(workspaceId, replaying[index] as Subscription, replay))
  return fed?.count === MAX_FED || replays.some((replay) => replay?.count === MAX_FED)
}

/** Runs the transaction, unless another message has processed the same events. */
async function unlessMoved(env: Env, statements: Statement[]): Promise<void> {
  try {
    await batch(jobsDatabaseOf(env), statements)
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'CONFLICT')) throw error
  }
}
