import { batch } from '../../src/data/batch.ts'
import { call } from '../../src/data/call.ts'
import { type Env, jobsDatabaseOf } from '../../src/env.ts'
import { AppError } from '../../src/errors.ts'
import { newId } from '../../src/lib/ids.ts'
import { loggable } from '../../src/lib/text.ts'
import { wake, workMessage } from '../../src/wake.ts'
import { recordDeadLetter } from '../dead-letters.ts'
import type { Claimed, Failure, Kind, Outcome } from './kind.ts'
import type { WorkSet } from './set.ts'

/** What is due within so many seconds is woken by a message of its own, and not by the next tick. */
export const SOON = 60

type ClaimedItem = { id: string; turn: number; attempts: number; item: unknown }
type AnyItem = Kind<unknown>

/** Has items of a kind that are due in a workspace done, now or in some seconds. */
const wakeKind = async (env: Env, kind: AnyItem, workspaceId: string, delaySeconds = 0) =>
  env[kind.queue].send(workMessage(kind.name, workspaceId), delaySeconds > 0 ? { delaySeconds } : undefined)

/** Does what is due of a set in a workspace, or one item of it. What is left goes on with another message. */
export async function runSet(env: Env, set: WorkSet, workspaceId: string, itemId?: string): Promise<void> {
  const more = await set.run(env, workspaceId, itemId as string)
  if (more) await env[set.queue].send(workMessage(set.name, workspaceId, itemId))
}

/**
 * Does what is due of a kind in a workspace: claims items, calls for them, and ends each claim with its outcome. Repeated and
 * concurrent messages do no harm, because each item is claimed by one of them. A message has a bounded number of claims, and another
 * one goes on, so that no workspace delays the others.
 */
export async function run(env: Env, kind: AnyItem, workspaceId: string): Promise<void> {
  if (kind.isOn?.(env) === false) return
  const database = jobsDatabaseOf(env)
  for (let count = 0; count < kind.claims; count++) {
    const claimId = newId()
    const [{ items, more }] = (await batch(database, [
      call('claim_work', kind.name, workspaceId, claimId, kind.atOnce, kind.lease, kind.workers ?? 1),
    ])) as [{ items: ClaimedItem[]; more: boolean }]
    if (items.length === 0) return
    // What is claimed is done even if no message can be sent: the tick finds what else is due.
    if (more) await wakeKind(env, kind, workspaceId).catch(() => {})
    await (kind.inTurn ? doInTurn : doTogether)(items, (item) => attempt(env, kind, workspaceId, claimId, item))
    if (kind.emits) await wake(env, 'events.deliver', workspaceId)
  }
  await wakeKind(env, kind, workspaceId)
}

type Attempting = (item: ClaimedItem) => Promise<() => Promise<void>>

async function doInTurn(items: ClaimedItem[], attempting: Attempting): Promise<void> {
  for (const item of items) await (await attempting(item))()
}

/** Calls for all items at the same time, and stores one outcome after the other. One that fails stops no other; its error comes last. */
async function doTogether(items: ClaimedItem[], attempting: Attempting): Promise<void> {
  let last: Promise<unknown> = Promise.resolve()
  const attempts = items.map(async (item) => {
    const store = await attempting(item)
    const stored = last.catch(() => {}).then(store)
    last = stored
    await stored
  })
  const failed = (await Promise.allSettled(attempts)).find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}

/** Calls for an item. Returns what stores the outcome. */
async function attempt(env: Env, kind: AnyItem, workspaceId: string, claimId: string, claimed: ClaimedItem) {
  const { id, turn, attempts, item } = claimed
  const named = [kind.name, workspaceId, id, claimId] as const
  const extend = async (facts: object = {}) => {
    const [held] = await batch(jobsDatabaseOf(env), [call('extend_work', ...named, kind.lease, JSON.stringify(facts))])
    return held === true
  }
  const done = await called(kind, { env, workspaceId, id, claimId, attempts, item, extend })
  const outcome = outcomeOf(kind, attempts, done)
  return async () => {
    if (kind.isReplayed && isFailure(done) && outcome.wait === null) await recordFailure(env, kind, workspaceId, { id, attempts }, done)
    const [seconds] = await batch(jobsDatabaseOf(env), [call('end_work', ...named, turn, JSON.stringify(outcome))])
    // A lost message costs a minute: the tick finds what is due.
    if (typeof seconds === 'number' && seconds > 0 && seconds <= SOON) await wakeKind(env, kind, workspaceId, seconds).catch(() => {})
  }
}

/** Stores the dead letter of an item, before its failure: of a Worker that dies in between, the next one repeats both. */
const recordFailure = (env: Env, kind: AnyItem, workspace_id: string, of: { id: string; attempts: number }, { failure }: Failure) =>
  recordDeadLetter(env, {
    queue: kind.queue.toLowerCase(),
    body: workMessage(kind.name, workspace_id, of.id),
    type: kind.name,
    attempts: of.attempts,
    error: failure,
  })

/** The outcome of the call. The attempts of workers that have crashed count too. */
async function called(kind: AnyItem, claimed: Claimed<unknown>): Promise<Outcome | Failure> {
  if (!kind.retry) return kind.call(claimed)
  if (claimed.attempts > kind.retry.length + 1) return { failure: 'It could not be done in several tries', isFinal: true }
  try {
    return await kind.call(claimed)
  } catch (error) {
    if (error instanceof AppError && error.code === 'UNAVAILABLE') throw error
    return { failure: String(error) }
  }
}

function outcomeOf(kind: AnyItem, attempts: number, done: Outcome | Failure): Outcome {
  if (!isFailure(done)) return done
  const wait = done.isFinal ? undefined : kind.retry?.[attempts - 1]
  return { results: kind.failed?.(loggable(done.failure, 300), wait === undefined), wait: wait ?? null, failed: true }
}

const isFailure = (done: Outcome | Failure): done is Failure => typeof done.failure === 'string'
