import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { type Decision, type DueInitiative, decide } from '../rules/decide.ts'
import { MAX_TASKS } from '../rules/initiatives.ts'
import { nextOpening, openDay } from '../rules/windows.ts'
import type { Dispatched } from '../schemas/initiatives.ts'

const factsAt = (now: Date, initiative: string | null) => call('lead_dispatch_facts', now.toISOString(), initiative, MAX_TASKS)
const dispatchAt = (now: Date, decisions: Decision[]) => call('dispatch_leads', now.toISOString(), JSON.stringify(decisions))

/** Fires what is due in the workspace. */
export async function runDispatcher(ctx: Ctx): Promise<Plan<Dispatched>> {
  const found = mapResult(plainRows<{ due: DueInitiative[] }>(factsAt(ctx.now, null), ['due']), ([row]) => row?.due ?? [])
  const due = await ctx.read(found)
  const decisions = due.flatMap((initiative) => decide(initiative, ctx.now))
  const moves = decisions.some(({ action }) => action !== 'wait')
  const outcomes = plainRows<{ tasks: Dispatched['tasks'] }>(dispatchAt(ctx.now, decisions), ['tasks'])
  return plan(
    [],
    mapResult(outcomes, ([row]) => {
      const tasks = row?.tasks ?? []
      return { tasks, fired: tasks.filter(({ outcome }) => outcome === 'fired').length, more: moves && due.some(({ is_full }) => is_full) }
    }),
  )
}

/**
 * Fires what is due of one initiative, for the background. Returns the seconds until it is to be looked at again; null: nothing is left.
 */
export async function dispatchInitiative(env: Env, workspaceId: string, initiativeId: string, now: Date): Promise<number | null> {
  const database = jobsDatabaseOf(env)
  const within = sql`select set_config('app.workspace_id', ${workspaceId}, true)`
  const [, due] = (await batch(database, [within, factsAt(now, initiativeId)])) as [string, DueInitiative[]]
  const [initiative] = due
  if (!initiative) return null
  const decisions = decide(initiative, now)
  if (decisions.length > 0) await batch(database, [within, dispatchAt(now, decisions)])
  if (initiative.is_full && decisions.some(({ action }) => action !== 'wait')) return 0
  const [, after] = (await batch(database, [within, factsAt(now, initiativeId)])) as [string, DueInitiative[]]
  return after[0] ? secondsUntilNext(after[0], now) : null
}

/** When something of an initiative can happen next: a task is due, its window opens, or its gap has passed. */
export function secondsUntilNext(initiative: DueInitiative, now: Date): number | null {
  const times = decide(initiative, now).map(({ until }) => (until === null ? now.getTime() : Date.parse(until)))
  if (initiative.next_due !== null) {
    const due = new Date(initiative.next_due)
    times.push(openDay(initiative, due) === undefined ? nextOpening(initiative, due).getTime() : due.getTime())
  }
  return times.length === 0 ? null : Math.max(0, Math.ceil((Math.min(...times) - now.getTime()) / 1000))
}
