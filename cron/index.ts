import { type SQL, sql } from 'drizzle-orm'
import { deliverEvents } from '../queues/deliver-events.ts'
import type { Message } from '../queues/messages.ts'
import { batch } from '../src/data/batch.ts'
import { UNDO_DAYS } from '../src/domain/merges.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'
import { rotatePartitions } from './rotate-partitions.ts'
import { sweepFiles } from './sweep-files.ts'

/**
 * The nightly cron expression of wrangler.toml. Every other expression runs the sweeps, so their interval is set in wrangler.toml alone.
 */
const NIGHTLY = '17 3 * * *'

/** Each job catches up with what is due, so a tick that is repeated, late or missed does no harm. */
const nightly = [expire, expireMergeUndo, sweepFiles]
const sweeps = [sweepEvents, sweepWork, foldOpportunities]

export async function runCron(cron: string, env: Env, now: Date): Promise<void> {
  const jobs: ((env: Env, now: Date) => Promise<unknown>)[] = cron === NIGHTLY ? nightly : sweeps
  const results = await Promise.allSettled(jobs.map((job) => job(env, now)))
  for (const result of results)
    if (result.status === 'rejected') console.error(JSON.stringify({ level: 'error', cron, error: String(result.reason) }))
}

/** Delivers the events of every workspace whose wake-up message was lost. */
function sweepEvents(env: Env) {
  return deliverEvents(env, null)
}

/** The pending approvals that a tick compares with their records, in turn. */
const STALE_PER_TICK = 10

/** The holds of times that a tick ends at most. One that has expired counts for nothing before that. */
const HOLDS = 1_000

/** The reminders in a transaction, and the most transactions per tick. The next tick sends the rest. */
const REMINDERS = 200
const MAX_REMINDER_ROUNDS = 50

/**
 * Expires approvals, marks stale ones, writes the events of reminders that are due, enqueues approved requests, imports and custom field indexes whose message was lost, and enqueues what must decide the zones
 * of contacts, and what tracked lists depend on. One round trip when nothing is due.
 */
async function sweepWork(env: Env): Promise<void> {
  const [, , reminders, , approvals, imports, indexes, zones, tracking] = (await batch(jobsDatabaseOf(env), [
    sql`select expire_approvals()`,
    sql`select mark_stale_approvals(${STALE_PER_TICK}::int)`,
    sql`select send_reminders(${REMINDERS}::int)`,
    sql`select expire_holds(${HOLDS}::int)`,
    lostMessages('approval.run', 'approval_id', sql`waiting_approvals(100)`),
    lostMessages('import.run', 'import_id', sql`waiting_imports(100)`),
    lostMessages('custom-index.build', 'field_id', sql`waiting_custom_indexes(100)`),
    sql`select coalesce(json_agg(json_build_object('body', json_build_object('type', 'zones.resolve', 'workspace_id', w))), '[]') from claim_zone_work(100) w`,
    sql`select coalesce(json_agg(json_build_object('body', json_build_object('type', 'lists.track', 'workspace_id', w))), '[]') from waiting_list_tracking(100) w`,
  ])) as [number, number, number, number, ...Five<MessageSendRequest[]>]
  if (approvals.length > 0) await env.APPROVALS.sendBatch(approvals)
  if (imports.length > 0) await env.IMPORTS.sendBatch(imports)
  if (indexes.length > 0) await env.IMPORTS.sendBatch(indexes)
  if (zones.length > 0) await env.IMPORTS.sendBatch(zones)
  if (tracking.length > 0) await env.EVENTS.sendBatch(tracking)
  if (reminders === REMINDERS) await sendReminders(env)
}

/** Writes the events of further reminders that are due. */
async function sendReminders(env: Env) {
  for (let round = 0; round < MAX_REMINDER_ROUNDS; round++) {
    const [sent] = await batch(jobsDatabaseOf(env), [sql`select send_reminders(${REMINDERS}::int)`])
    if (sent !== REMINDERS) return
  }
}

type Five<T> = [T, T, T, T, T]

const lostMessages = (type: Message['type'], idName: string, waiting: SQL) =>
  sql`select coalesce(json_agg(json_build_object('body', json_build_object('type', ${type}::text, 'workspace_id', workspace_id, ${idName}::text, id))), '[]') from ${waiting}`

/** The most batches per tick, of a hundred workspaces each and in their own transactions. The next tick, or a reader, folds the rest. */
const MAX_FOLDS = 50

/** Folds the deltas of boards and summaries into their totals. */
async function foldOpportunities(env: Env) {
  let last: unknown = null
  for (let round = 0; round < MAX_FOLDS; round++) {
    const [workspace] = await batch(jobsDatabaseOf(env), [sql`select fold_workspaces(${last}::uuid)`])
    if (workspace === null) return
    last = workspace
  }
}

/** Deletes the undo data of merges that can no longer be undone. */
function expireMergeUndo(env: Env) {
  return batch(jobsDatabaseOf(env), [sql`select expire_merge_undo(${UNDO_DAYS}::int)`])
}

/** Rotates the partitions first, because expire_rows deletes what references their rows. */
function expire(env: Env, now: Date) {
  return rotatePartitions(env, now).finally(() => expireRows(env))
}

/** The most statements per run; each deletes one batch. The next run continues. */
const MAX_ROUNDS = 200

async function expireRows(env: Env) {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const [expired] = await batch(jobsDatabaseOf(env), [sql`select expire_rows()`])
    if (expired === 0) return
  }
}
