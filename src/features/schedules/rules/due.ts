import { firesAfter } from './cron/fires.ts'
import { parseCron } from './cron/parse.ts'
import { MAX_FIRES, type MisfirePolicy, ON_TIME_MINUTES } from './limits.ts'

export type Timing = { cron_expression: string; timezone: string; end_at: string | null }
export type DueSchedule = Timing & {
  next_run_at: string
  max_runs: number | null
  run_count: number
  misfire_policy: MisfirePolicy
  grace_minutes: number
}
/** The minutes for which a schedule fires now, when it is due next (null: never), and whether it passes over times that are due. */
export type Fires = { due: string[]; next: string | null; missed: boolean }

const MINUTE = 60_000
const iso = (at: number) => new Date(at).toISOString()

const timesAfter = ({ cron_expression, timezone }: Timing, after: number) => {
  const { cron } = parseCron(cron_expression)
  if (!cron) throw new Error(`The stored expression ${cron_expression} is not valid`)
  return firesAfter(cron, timezone, after)
}

/** The first time after an instant at which a schedule is due; null if there is none, or none until its end. */
export function nextDue(timing: Timing, after: number): string | null {
  const { value } = timesAfter(timing, after).next()
  return value && !hasEnded(timing, value.at) ? iso(value.at) : null
}

const hasEnded = ({ end_at }: Timing, at: number) => end_at !== null && at > Date.parse(end_at)

/**
 * Decides what a schedule that is due does. Times that are at most five minutes ago are on time, and each of them fires. Earlier ones were
 * missed: with `skip` none of them fires, with `run_all` each does, and with `run_latest` the last one does unless another time is on time;
 * but none that is longer ago than the grace period. No time after `end_at` fires, and no more than `max_runs` allows.
 */
export function firesOf(schedule: DueSchedule, now: number): Fires {
  const { misfire_policy: policy, next_run_at } = schedule
  const onTime = now - ON_TIME_MINUTES * MINUTE
  const earliest = policy === 'skip' ? onTime : Math.min(onTime, now - schedule.grace_minutes * MINUTE)
  const left = (schedule.max_runs ?? Number.POSITIVE_INFINITY) - schedule.run_count
  const most = Math.min(left, MAX_FIRES)
  const first = Date.parse(next_run_at)
  const due: number[] = []
  let next: number | null = null
  for (const { at } of timesAfter(schedule, Math.max(first, earliest) - 1)) {
    if (hasEnded(schedule, at)) break
    if (at > now || (due.length === most && policy === 'run_all')) {
      next = at
      break
    }
    due.push(at)
  }
  const recent = due.filter((at) => at >= onTime)
  const chosen = policy === 'run_all' ? due : (recent.length > 0 ? recent : due.slice(-1)).slice(0, most)
  return {
    due: chosen.map(iso),
    next: next === null || chosen.length >= left ? null : iso(next),
    missed: first < earliest || chosen.length < due.length,
  }
}
