import { type SQL, sql } from 'drizzle-orm'
import { deliverEvents } from '../queues/deliver-events.ts'
import type { Message } from '../queues/messages.ts'
import { type DuePages, dueWork, enqueueDue } from '../queues/work/tick.ts'
import { batch } from '../src/data/batch.ts'
import type { Statement } from '../src/data/db.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'
import { AppError } from '../src/errors.ts'
import type { ClaimedWorkspace } from '../src/features/birthdays/plans/due.ts'
import { claimBirthdays, sendBirthdays } from '../src/features/birthdays/work/send-birthdays.ts'
import { fetchEmailEvents } from '../src/features/email/work/fetch-email-events.ts'
import { sweepFiles } from '../src/features/files/work/sweep-files.ts'
import { sweepPublicImages } from '../src/features/files/work/sweep-public-images.ts'
import { UNDO_DAYS } from '../src/features/merges/rules/merges.ts'
import { compareSuppressions, dueLifts, type Lift, liftSuppressions } from '../src/features/messages/work/compare-suppressions.ts'
import { type Due, dueSchedules, expireScheduleRuns, fireSchedules } from '../src/features/schedules/work/fire-schedules.ts'
import { type ClaimedNotices, claimNotices, sendNotices } from '../src/features/scheduling/plans/send-notices.ts'
import { type ClaimedEntry, claimWaiting, sendWaiting } from '../src/features/scheduling/plans/send-waiting-list.ts'
import { rotatePartitions } from './rotate-partitions.ts'

/**
 * The nightly cron expression of wrangler.toml. Every other expression runs the sweeps, so their interval is set in wrangler.toml alone.
 */
const NIGHTLY = '17 3 * * *'

/** Each job catches up with what is due, so a tick that is repeated, late or missed does no harm. */
const nightly = [expire, expireMergeUndo, expireScheduleRuns, sweepFiles, sweepPublicImages, compareSuppressions, fetchEmailEvents]
const sweeps = [sweepEvents, sweepWork, foldCounts]

export async function runCron(cron: string, env: Env, now: Date): Promise<void> {
  const jobs: ((env: Env, now: Date) => Promise<unknown>)[] = cron === NIGHTLY ? nightly : sweeps
  const results = await Promise.allSettled(jobs.map((job) => job(env, now)))
  for (const result of results) if (result.status === 'rejected') logFailure(cron, result.reason)
}

const logFailure = (cron: string, error: unknown) => console.error(JSON.stringify({ level: 'error', cron, error: String(error) }))

/** Delivers the events of every workspace whose wake-up message was lost. */
function sweepEvents(env: Env) {
  return deliverEvents(env, null)
}

/** The pending approvals that a tick compares with their records, in turn. */
const STALE_PER_TICK = 10

/** The holds of times that a tick ends at most. One that has expired counts for nothing before that. */
const HOLDS = 1_000

/** The times of records that a tick checks again at most. */
const TIMES = 1_000

/** The members of whom a tick announces at most that their calendars are not read. */
const STALE_CALENDARS = 100

/** The conversations that a tick opens at most because their snooze has ended. */
const SNOOZES = 200

/** The unpaid orders that a tick deletes at most. */
const UNPAID = 100

/** The runs of skills that a tick ends at most because their Worker has died. */
const LOST_RUNS = 100

/** The reminders in a transaction, and the most transactions per tick. The next tick sends the rest. */
const REMINDERS = 200
const MAX_REMINDER_ROUNDS = 50

type Waiting = { queue: 'APPROVALS' | 'IMPORTS' | 'EVENTS' | 'MESSAGES' | 'WEBHOOKS' | 'CAMPAIGNS'; messages: SQL }

/** The messages of work whose time has come, or whose own message was lost: a statement for each type. */
const waiting = (): Waiting[] => [
  { queue: 'APPROVALS', messages: lostMessages('approval.run', 'approval_id', sql`waiting_approvals(100)`) },
  { queue: 'IMPORTS', messages: lostMessages('import.run', 'import_id', sql`waiting_imports(100)`) },
  { queue: 'IMPORTS', messages: lostMessages('custom-index.build', 'field_id', sql`waiting_custom_indexes(100)`) },
  { queue: 'IMPORTS', messages: wakeUps('zones.resolve', sql`claim_zone_work(100)`) },
  { queue: 'EVENTS', messages: wakeUps('lists.track', sql`waiting_list_tracking(100)`) },
  { queue: 'EVENTS', messages: wakeUps('events.deliver', sql`waiting_followers(100)`) },
  { queue: 'EVENTS', messages: wakeUps('automations.run', sql`waiting_runs(100)`) },
  { queue: 'MESSAGES', messages: wakeUps('messages.send', sql`waiting_messages(100)`) },
  { queue: 'EVENTS', messages: wakeUps('events.deliver', sql`waiting_webhook_replays(100)`) },
]

/** What a tick ends or marks in the database alone. */
const settling = (): SQL[] => [
  sql`select expire_approvals()`,
  sql`select mark_stale_approvals(${STALE_PER_TICK}::int)`,
  sql`select expire_holds(${HOLDS}::int)`,
  sql`select expire_confirmations(${HOLDS}::int)`,
  sql`select expire_portal_attempts(${HOLDS}::int)`,
  sql`select check_record_times(${TIMES}::int)`,
  sql`select mark_stale_calendars(${STALE_CALENDARS}::int)`,
  sql`select end_snoozes(${SNOOZES}::int)`,
  sql`select forget_unpaid_orders(${UNPAID}::int)`,
  sql`select end_lost_runs(${LOST_RUNS}::int)`,
]

type Found = [
  number?,
  ClaimedWorkspace[]?,
  Due[]?,
  ClaimedNotices?,
  ClaimedEntry[]?,
  DuePages?,
  Lift[]?,
  ...(MessageSendRequest[] | undefined)[],
]

/**
 * Ends or marks what has expired, writes the events of reminders that are due, reserves birthday messages, notices of bookings and emails of waiting lists,
 * fires schedules, lifts suppressions at the mail provider, and enqueues all work that waits. One round trip when nothing is due.
 */
async function sweepWork(env: Env, now: Date): Promise<void> {
  const [first, work] = [settling(), waiting()]
  const claims = [
    sql`select send_reminders(${REMINDERS}::int)`,
    claimBirthdays(now),
    dueSchedules(now),
    claimNotices(now),
    claimWaiting(now),
    dueWork(env),
    dueLifts(),
  ]
  const results = await each(env, [...first, ...claims, ...work.map(({ messages }) => messages)])
  const [reminders, birthdays = [], due = [], notices, entries = [], pages = {}, lifts = [], ...messages] = results.slice(
    first.length,
  ) as Found
  await Promise.all([
    ...work.map(({ queue }, index) => logged(messages[index]?.length ? env[queue].sendBatch(messages[index]) : undefined)),
    logged(due.length > 0 ? fireSchedules(env, now, due) : undefined),
    logged(reminders === REMINDERS ? sendReminders(env) : undefined),
    logged(sendBirthdays(env, now, birthdays)),
    logged(notices && sendNotices(env, now, notices)),
    logged(sendWaiting(env, now, entries)),
    logged(enqueueDue(env, pages)),
    logged(liftSuppressions(env, lifts)),
  ])
}

/** The results of statements in one round trip. If that fails, each runs by itself, so that one that fails, whose result is undefined, stops no other. */
async function each(env: Env, statements: Statement[]): Promise<unknown[]> {
  try {
    return await batch(jobsDatabaseOf(env), statements)
  } catch (error) {
    if (error instanceof AppError && error.code === 'UNAVAILABLE') throw error
    const results: unknown[] = []
    for (const statement of statements) results.push(await logged(batch(jobsDatabaseOf(env), [statement]).then(([result]) => result)))
    return results
  }
}

/** Logs a failure of one part of a tick, which the next tick makes up for. */
async function logged<Result>(part: Promise<Result> | undefined): Promise<Result | undefined> {
  try {
    return await part
  } catch (error) {
    logFailure('sweep', error)
  }
}

/** Writes the events of further reminders that are due. */
async function sendReminders(env: Env) {
  for (let round = 0; round < MAX_REMINDER_ROUNDS; round++) {
    const [sent] = await batch(jobsDatabaseOf(env), [sql`select send_reminders(${REMINDERS}::int)`])
    if (sent !== REMINDERS) return
  }
}

/** A message for each workspace that has work of this type. */
const wakeUps = (type: Message['type'], workspaces: SQL) =>
  sql`select coalesce(json_agg(json_build_object('body', json_build_object('type', ${type}::text, 'workspace_id', w))), '[]') from ${workspaces} w`
const lostMessages = (type: Message['type'], idName: string, waiting: SQL) =>
  sql`select coalesce(json_agg(json_build_object('body', json_build_object('type', ${type}::text, 'workspace_id', workspace_id, ${idName}::text, id))), '[]') from ${waiting}`

/** The most batches per tick, of a hundred workspaces each and in their own transactions. The next tick, or a reader, folds the rest. */
const MAX_FOLDS = 50

const FOLDS = [
  (last: unknown) => sql`select fold_workspaces(${last}::uuid)`,
  (last: unknown) => sql`select fold_record_counts_after(${last}::uuid)`,
]

/** Folds the deltas of boards and summaries, and those of the counts of records, into their totals. */
async function foldCounts(env: Env) {
  let open = FOLDS.map((fold) => ({ fold, last: null as unknown }))
  for (let round = 0; round < MAX_FOLDS && open.length > 0; round++) {
    const reached = await batch(
      jobsDatabaseOf(env),
      open.map(({ fold, last }) => fold(last)),
    )
    open = open.map(({ fold }, at) => ({ fold, last: reached[at] })).filter(({ last }) => last !== null)
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
    const [expired] = await batch(jobsDatabaseOf(env), [sql`select expire_rows() + expire_skill_runs() + expire_auto_replies()`])
    if (expired === 0) return
  }
}
