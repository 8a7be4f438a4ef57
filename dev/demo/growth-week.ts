import { secondsUntilNext } from '../../src/features/lead-gen/plans/dispatch.ts'
import { type DueInitiative, decide } from '../../src/features/lead-gen/rules/decide.ts'
import { MAX_TASKS } from '../../src/features/lead-gen/rules/initiatives.ts'
import { Complaint } from '../settings.ts'
import type { Body } from './api.ts'

/** Reads a row of the database as its owner, in a transaction of the workspace. */
export type Ask = (text: string, values: unknown[]) => Promise<Body>

const DAY = 86_400_000

/** Lets the background look at an initiative whenever it would, from one instant to another of a clock that is ahead of ours. */
export async function letTimePass(ask: Ask, initiative: string, from: number, to: number): Promise<void> {
  const factsAt = async (now: Date): Promise<DueInitiative | undefined> =>
    (await ask('select lead_dispatch_facts($1, $2, $3) as result', [now.toISOString(), initiative, MAX_TASKS])).result[0]
  for (let at = from; at < to; ) {
    const now = new Date(at)
    const due = await factsAt(now)
    if (!due) return
    await ask('select dispatch_leads($1, $2::jsonb) as result', [now.toISOString(), JSON.stringify(decide(due, now))])
    const after = await factsAt(now)
    const wait = after && secondsUntilNext(after, now)
    if (wait === null || wait === undefined) return
    at += Math.max(1, wait) * 1000
  }
}

export type Send = { at: number; day: string; enrolment: string; step: string }

export const sendsOf = async (ask: Ask, initiative: string): Promise<Send[]> =>
  (
    await ask(
      `select coalesce(json_agg(json_build_object('at', round(extract(epoch from fired_at) * 1000), 'day', day,
        'enrolment', enrolment_id, 'step', step_id)
        order by fired_at), '[]') as result from lead_tasks where initiative_id = $1 and status = 'fired'`,
      [initiative],
    )
  ).result

/** What a clock on the wall shows. It knows nothing of the code that decides. */
export function wall(timezone: string, at: number): { date: string; time: string } {
  const format = { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium', hourCycle: 'h23' } as const
  const [date = '', time = ''] = new Intl.DateTimeFormat('en-CA', format).format(at).split(', ')
  return { date, time }
}

/**
 * Compares what was sent with the limits of the initiative, and its counters with a recount. @throws Complaint for the first that is
 * broken.
 */
export async function auditWeek(ask: Ask, initiative: Body, print: (text: string) => void): Promise<void> {
  const sends = await sendsOf(ask, initiative.id)
  const assert = (holds: boolean, what: string) => {
    if (!holds) throw new Complaint(`The audit fails: ${what}`)
  }
  for (const { at, day } of sends) {
    const { date, time } = wall(initiative.timezone, at)
    assert(date === day && time >= initiative.send_window_start && time < initiative.send_window_end, `sent at ${date} ${time}`)
    assert(initiative.send_days.includes(new Date(`${day}T00:00:00Z`).getUTCDay()), `sent on ${day}`)
  }
  print(`${sends.length} emails, none outside ${initiative.send_window_start} to ${initiative.send_window_end} or on another day`)
  const byDay = [...Map.groupBy(sends, ({ day }) => day).values()].map((those) => those.length)
  assert(Math.max(...byDay) <= initiative.daily_send_cap, `${Math.max(...byDay)} on a day`)
  print(`at most ${Math.max(...byDay)} a day, and ${initiative.daily_send_cap} are allowed`)
  const gaps = sends.slice(1).map(({ at }, n) => (at - (sends[n] as Send).at) / 1000)
  assert(Math.min(...gaps) >= initiative.min_gap_seconds, `a gap of ${Math.min(...gaps)} s`)
  print(`no gap below ${initiative.min_gap_seconds} s: the shortest has ${Math.min(...gaps)} s`)
  const counted = await ask(
    `select json_build_object('sent', d.sent, 'day', d.local_date,
      'steps', (select json_object_agg(s.id, s.fired_count) from lead_initiative_steps s
      where s.initiative_id = $1)) as result from lead_dispatches d where d.initiative_id = $1`,
    [initiative.id],
  )
  const { sent, day, steps } = counted.result
  assert(sent === sends.filter((one) => one.day === day).length, `the counter of ${day} is ${sent}`)
  for (const [id, count] of Object.entries(steps))
    assert(count === sends.filter(({ step }) => step === id).length, `a step counts ${count}`)
  print('the counters equal a recount')
}

/** The evening in Sydney before the first Monday that is at least a week ahead. */
export function sundayAhead(now: number): number {
  const midnight = Math.ceil((now + 7 * DAY) / DAY) * DAY
  return midnight + ((8 - new Date(midnight).getUTCDay()) % 7) * DAY - DAY / 2
}
