import { type SQL, sql } from 'drizzle-orm'
import { deliverEvents } from '../queues/deliver-events.ts'
import type { Message } from '../queues/messages.ts'
import { batch } from '../src/data/batch.ts'
import { UNDO_DAYS } from '../src/domain/merges.ts'
import { databaseOf, type Env } from '../src/env.ts'
import { sweepFiles } from './sweep-files.ts'

/** Each job catches up with what is due, so a tick that comes twice, late or never does no harm. */
const jobs: Record<string, ((env: Env) => Promise<unknown>)[]> = {
  '* * * * *': [sweepEvents, expireApprovals, wakeApprovals, wakeImports, wakeCustomIndexes, foldOpportunities],
  '17 3 * * *': [forgetOld, forgetMerges, sweepFiles],
}

export async function runCron(cron: string, env: Env): Promise<void> {
  const results = await Promise.allSettled((jobs[cron] ?? []).map((job) => job(env)))
  for (const result of results)
    if (result.status === 'rejected') console.error(JSON.stringify({ level: 'error', cron, error: String(result.reason) }))
}

/** Events whose wake-up message was lost, in every workspace. */
function sweepEvents(env: Env) {
  return deliverEvents(env, null)
}

function expireApprovals(env: Env) {
  return batch(databaseOf(env), [sql`select expire_approvals()`])
}

/** Approved requests whose message was lost. */
function wakeApprovals(env: Env) {
  return wake(env, env.APPROVALS, 'approval.run', 'approval_id', sql`waiting_approvals(100)`)
}

/** Imports whose message was lost. */
function wakeImports(env: Env) {
  return wake(env, env.IMPORTS, 'import.run', 'import_id', sql`waiting_imports(100)`)
}

/** Indexes of custom fields whose message was lost. */
function wakeCustomIndexes(env: Env) {
  return wake(env, env.IMPORTS, 'custom-index.build', 'field_id', sql`waiting_custom_indexes(100)`)
}

async function wake(env: Env, queue: Queue<unknown>, type: Message['type'], idName: string, waiting: SQL): Promise<void> {
  const [messages] = (await batch(databaseOf(env), [
    sql`select coalesce(json_agg(json_build_object('body', json_build_object('type', ${type}::text, 'workspace_id', workspace_id, ${idName}::text, id))), '[]') from ${waiting}`,
  ])) as [{ body: unknown }[]]
  if (messages.length > 0) await queue.sendBatch(messages)
}

/** A tick folds at most so many times a hundred workspaces, each batch a transaction of its own; what is left is folded by the next one, or by who reads it. */
const FOLDS = 50

/** Adds what changed in the counts of boards and summaries to their totals. */
async function foldOpportunities(env: Env) {
  let last: unknown = null
  for (let round = 0; round < FOLDS; round++) {
    const [workspace] = await batch(databaseOf(env), [sql`select fold_workspaces(${last}::uuid)`])
    if (workspace === null) return
    last = workspace
  }
}

/** What a merge did to each row is kept as long as it can be undone. */
function forgetMerges(env: Env) {
  return batch(databaseOf(env), [sql`select forget_merges(${UNDO_DAYS}::int)`])
}

/** A run forgets so many times as much as one statement does; the next one goes on from there. */
const ROUNDS = 200

async function forgetOld(env: Env) {
  for (let round = 0; round < ROUNDS; round++) {
    const [forgotten] = await batch(databaseOf(env), [sql`select forget_old()`])
    if (forgotten === 0) return
  }
}
