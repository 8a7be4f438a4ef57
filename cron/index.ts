import { type SQL, sql } from 'drizzle-orm'
import { deliverEvents } from '../queues/deliver-events.ts'
import { type DuePages, dueWork, enqueueDue } from '../queues/work/tick.ts'
import { batch } from '../src/data/batch.ts'
import { call } from '../src/data/call.ts'
import { isOutage } from '../src/data/database-errors.ts'
import type { Statement } from '../src/data/db.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'
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
import { budgetOf } from '../src/lib/budget.ts'
import { enqueueAll } from '../src/wake.ts'
import { rotatePartitions } from './rotate-partitions.ts'

/**
 * The nightly cron expression of wrangler.toml. Every other expression runs the sweeps, so their interval is set in wrangler.toml alone.
 */
const NIGHTLY = '17 3 * * *'

/** Each job catches up with what is due, so a tick that is repeated, late or missed does no harm. */
const nightly = [expire, expireMergeUndo, expireScheduleRuns, sweepFiles, sweepPublicImages, compareSuppressions, fetchEmailEvents]
const sweeps = [deliverEvents, sweepWork, foldCounts]

export async function runCron(cron: string, env: Env, now: Date): Promise<void> {
  const jobs: ((env: Env, now: Date) => Promise<unknown>)[] = cron === NIGHTLY ? nightly : sweeps
  const results = await Promise.allSettled(jobs.map((job) => job(env, now)))
  for (const result of results) if (result.status === 'rejected') logFailure(cron, result.reason)
}

const logFailure = (cron: string, error: unknown) => console.error(JSON.stringify({ level: 'error', cron, error: String(error) }))

/** The pending approvals that a tick compares with their records, in turn. */
const STALE_PER_TICK = 10

/**
 * The holds of times, confirmations and failed attempts that a transaction ends at most. One that has expired counts for nothing before
 * that.
 */
const HOLDS = 1_000

/** The times of records that a transaction checks again at most. */
const TIMES = 1_000

/** The members of whom a transaction announces at most that their calendars are not read. */
const STALE_CALENDARS = 100

/** The conversations that a transaction opens at most because their snooze has ended. */
const SNOOZES = 200

/** The unpaid orders that a transaction deletes at most. */
const UNPAID = 100

/** The runs of skills that a transaction ends at most because their Worker has died. */
const LOST_RUNS = 100

/** The reminders in a transaction. */
const REMINDERS = 200

/** How long a tick goes on while there is more to do; the next one begins a minute later. */
const MOST_MS = 40_000

/** The workspaces whose zones of contacts are enqueued together. */
const ZONES = 100

/** `most`: what a statement returns when there may be more to do. */
type Settling = { statement: SQL; most?: number }

/** What a tick ends or marks in the database alone. */
const settling = (): Settling[] => [
  { statement: call('expire_approvals') },
  { statement: call('mark_stale_approvals', STALE_PER_TICK) },
  { statement: call('expire_holds', HOLDS), most: HOLDS },
  { statement: call('expire_confirmations', HOLDS), most: HOLDS },
  { statement: call('expire_portal_attempts', HOLDS), most: HOLDS },
  { statement: call('check_record_times', TIMES), most: TIMES },
  { statement: call('mark_stale_calendars', STALE_CALENDARS), most: STALE_CALENDARS },
  { statement: call('end_snoozes', SNOOZES), most: SNOOZES },
  { statement: call('forget_unpaid_orders', UNPAID), most: UNPAID },
  { statement: call('end_lost_runs', LOST_RUNS), most: LOST_RUNS },
  { statement: call('send_reminders', REMINDERS), most: REMINDERS },
]

type Found = [ClaimedWorkspace[]?, Due[]?, ClaimedNotices?, ClaimedEntry[]?, DuePages?, Lift[]?, string[]?]

/**
 * Ends or marks what has expired, writes the events of reminders that are due, reserves birthday messages, notices of bookings and emails
 * of waiting lists, fires schedules, lifts suppressions at the mail provider, and enqueues all work that waits. One round trip when nothing
 * is due; each part goes on until nothing is left or the time of the tick is spent.
 */
async function sweepWork(env: Env, now: Date): Promise<void> {
  const isLate = budgetOf(MOST_MS)
  const first = settling()
  const claims = [claimBirthdays(now), dueSchedules(now), claimNotices(now), claimWaiting(now), dueWork(env), dueLifts(), claimZones()]
  const results = await each(env, [...first.map(({ statement }) => statement), ...claims])
  const [birthdays = [], due = [], notices, entries = [], pages = {}, lifts = [], zones = []] = results.slice(first.length) as Found
  await Promise.all([
    ...first.map((one, index) => logged(settleMore(env, isLate, one, results[index]))),
    logged(due.length > 0 ? fireSchedules(env, now, due, isLate) : undefined),
    logged(sendBirthdays(env, now, birthdays, isLate)),
    logged(notices && sendNotices(env, now, notices, isLate)),
    logged(sendWaiting(env, now, entries, isLate)),
    logged(enqueueDue(env, isLate, pages)),
    logged(liftSuppressions(env, lifts)),
    logged(enqueueZones(env, isLate, zones)),
  ])
}

/** Repeats a statement that has done as much as it may, until it does less. */
async function settleMore(env: Env, isLate: () => boolean, { statement, most }: Settling, first: unknown): Promise<void> {
  let done = first
  while (most !== undefined && done === most && !isLate()) [done] = await batch(jobsDatabaseOf(env), [statement])
}

const claimZones = () => sql`select coalesce(json_agg(w), '[]') from claim_zone_work(${ZONES}::int) w`

/** A message for each workspace whose contacts have zones to be decided. A claim makes it due again a minute later. */
async function enqueueZones(env: Env, isLate: () => boolean, first: string[]): Promise<void> {
  let workspaces = first
  while (workspaces.length > 0) {
    await enqueueAll(
      env,
      'zones.resolve',
      workspaces.map((workspaceId) => ({ workspaceId })),
    )
    if (workspaces.length < ZONES || isLate()) return
    ;[workspaces] = (await batch(jobsDatabaseOf(env), [claimZones()])) as [string[]]
  }
}

/**
 * The results of statements in one round trip. If that fails, each runs by itself, so that one that fails, whose result is undefined, stops
 * no other.
 */
async function each(env: Env, statements: Statement[]): Promise<unknown[]> {
  try {
    return await batch(jobsDatabaseOf(env), statements)
  } catch (error) {
    if (isOutage(error)) throw error
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

const FOLDS = [(last: string | null) => call('fold_workspaces', last), (last: string | null) => call('fold_record_counts_after', last)]

/**
 * Folds the deltas of boards and summaries, and those of the counts of records, into their totals: of a hundred workspaces in a
 * transaction.
 */
async function foldCounts(env: Env) {
  const isLate = budgetOf(MOST_MS)
  let open = FOLDS.map((fold) => ({ fold, last: null as string | null }))
  while (open.length > 0 && !isLate()) {
    const reached = await batch(
      jobsDatabaseOf(env),
      open.map(({ fold, last }) => fold(last)),
    )
    open = open.map(({ fold }, at) => ({ fold, last: reached[at] as string | null })).filter(({ last }) => last !== null)
  }
}

/** Deletes the undo data of merges that can no longer be undone. */
function expireMergeUndo(env: Env) {
  return batch(jobsDatabaseOf(env), [call('expire_merge_undo', UNDO_DAYS)])
}

/** Rotates the partitions first, because expire_rows deletes what references their rows. */
function expire(env: Env, now: Date) {
  return rotatePartitions(env, now).finally(() => expireRows(env))
}

/** How long a night deletes what has expired, a batch in a statement. The next one continues. */
const MOST_EXPIRING_MS = 300_000

async function expireRows(env: Env) {
  const isLate = budgetOf(MOST_EXPIRING_MS)
  for (;;) {
    const [expired] = await batch(jobsDatabaseOf(env), [sql`select expire_rows() + expire_skill_runs() + expire_auto_replies()`])
    if (expired === 0 || isLate()) return
  }
}
