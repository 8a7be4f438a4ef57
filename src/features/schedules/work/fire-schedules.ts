import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { enqueueAll } from '../../../wake.ts'
import type { DueSchedule, Fires } from '../rules/due.ts'
import { SCHEDULE_RUN_DAYS } from '../rules/limits.ts'

/** The schedules that are fired in a transaction. */
export const DUE = 200

export type Due = DueSchedule & { workspace_id: string; id: string; version: number }

export const dueSchedules = (now: Date) => call('due_schedules', now.toISOString(), DUE)

/**
 * Fires the schedules that were due at the tick, of each workspace in turn. The first ones have been read already; the next tick fires the
 * rest.
 */
export async function fireSchedules(env: Env, now: Date, first: Due[], isLate: () => boolean): Promise<void> {
  const database = jobsDatabaseOf(env)
  // Zone data and the calendar are loaded only when something is due.
  const { firesOf } = await import('../rules/due.ts')
  let due = first
  while (due.length > 0) {
    const fires = due.map((schedule) => {
      const { workspace_id, id, version, next_run_at } = schedule
      return { workspace_id, id, version, next_run_at, ...decided(schedule, (one) => firesOf(one, now.getTime())) }
    })
    const [runs, next] = (await batch(database, [call('fire_due_schedules', JSON.stringify(fires)), dueSchedules(now)])) as [
      { workspace_id: string; id: string }[],
      Due[],
    ]
    await enqueueAll(
      env,
      'schedule.run',
      runs.map(({ workspace_id, id }) => ({ workspaceId: workspace_id, itemId: id })),
    )
    if (isLate()) return
    due = next
  }
}

/** A schedule for which nothing can be decided, such as one in a zone that no longer exists, is not due again, and delays no other. */
function decided(schedule: Due, decide: (schedule: Due) => Fires): Fires {
  try {
    return decide(schedule)
  } catch (error) {
    console.error(JSON.stringify({ level: 'error', message: 'schedule', schedule_id: schedule.id, error: String(error) }))
    return { due: [], next: null, missed: true }
  }
}

/** The most rows of each table that a transaction deletes, and the most transactions per night. */
const EXPIRED = 5000
const MAX_EXPIRIES = 200

/** Deletes old fires. */
export async function expireScheduleRuns(env: Env): Promise<void> {
  for (let round = 0; round < MAX_EXPIRIES; round++) {
    const [rows] = await batch(jobsDatabaseOf(env), [call('expire_schedule_runs', SCHEDULE_RUN_DAYS, EXPIRED)])
    if (rows === 0) return
  }
}
