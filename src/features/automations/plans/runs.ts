import { eq, sql } from 'drizzle-orm'
import {
  automationCounts,
  automationRuns,
  automationSteps,
  automations,
  companies,
  contacts,
  opportunities,
} from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Keys, page } from '../../../data/page.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { assertField, mapResult, oneOrThrow, plainRows, rows } from '../../../data/query.ts'
import { assertExists, assertStays, columnsFor } from '../../../data/store.ts'
import { mainSubject, type Subjects } from '../rules/about.ts'
import { allSteps } from '../rules/program.ts'
import { STEP_STATES } from '../rules/states.ts'
import type { Step } from '../rules/types.ts'
import { AutomationRun, AutomationStep, type PreviewStep, type StartBody } from '../schemas/automation-runs.ts'

/** What an event says of its record is left out for callers who may not read that. */
const triggerData = sql`case when ${automationRuns.trigger_data} ->> 'entity' = any(unreadable_entities(
    (select a from current_authority() a), array[${automationRuns.trigger_data} ->> 'entity']))
  then ${automationRuns.trigger_data} || '{"payload": {}, "changes": null}' else ${automationRuns.trigger_data} end`
export const runFields = columnsFor(automationRuns, AutomationRun, {
  trigger_data: triggerData.mapWith(automationRuns.trigger_data).as('trigger_data'),
})
const runOf = (id: string) => oneOrThrow(db.select(runFields).from(automationRuns).where(eq(automationRuns.id, id)), 'run')
export const getRun = (id: string) => plan([], runOf(id))

const runsWith = (keys: Keys) => db.select({ ...runFields, ...keys }).from(automationRuns)
const FILTERED = ['automation_id', 'state', 'source_id', 'contact_id', 'customer_id', 'opportunity_id'] as const
type RunQuery = { limit: number; after?: string | undefined } & { [filter in (typeof FILTERED)[number]]?: string | undefined }

/** The runs that meet the filters, newest first. */
export function listRuns(query: RunQuery) {
  const where = FILTERED.map((name) => (query[name] === undefined ? undefined : sql`${automationRuns[name]} = ${query[name]}`))
  return plan(
    [],
    page({ select: runsWith, id: automationRuns.id, where, sorts: { created_at: automationRuns.created_at }, name: 'runs', query }),
  )
}

const stepFields = columnsFor(automationSteps, AutomationStep)
const stepsWith = (keys: Keys) => db.select({ ...stepFields, ...keys }).from(automationSteps)

/** The steps that a run has taken, in order. */
export function listSteps(run: string, query: { limit: number; after?: string | undefined }) {
  const steps = page({
    select: stepsWith,
    id: automationSteps.id,
    where: [eq(automationSteps.run_id, run)],
    sorts: { sequence: automationSteps.sequence },
    name: `steps ${run}`,
    query: { ...query, sort: 'sequence' },
  })
  return plan(
    [sql`select assert_exists(exists (select from ${automationRuns} where ${automationRuns.id} = ${run}), 'run', ${run}::uuid)`],
    steps,
  )
}

/**
 * Starts a run by request. It is about the records that are named, and a repeated request (Idempotency-Key) starts it once. `path` is what
 * a dry run shows.
 */
export function startRun(ctx: Ctx, automation: string, { data, ...records }: StartBody, path?: PreviewStep[]) {
  const row = {
    ...records,
    record_id: mainSubject(records),
    dedupe_key: ctx.requestId,
    trigger_data: { type: 'manual', at: ctx.now.toISOString(), data: data ?? {} },
  }
  const rows = sql`jsonb_build_array(${JSON.stringify(row)}::jsonb || current_run_depth())`
  const started = sql`select start_runs(${automation}::uuid, case when enrolment_cause() is null then 'manual' else 'queue' end,
    coalesce(enrolment_cause(), ${ctx.requestId}::uuid),
    ${rows}) #> '{runs,0}' as run`
  return plan(
    [assertStays(automations, automation, 'automation'), call('assert_may_start', automation), ...assertRecords(records)],
    mapResult(plainRows<{ run: { id: string | null; reason: string | null } }>(started, ['run']), ([found]) => ({
      run_id: found?.run.id ?? null,
      reason: found?.run.reason ?? null,
      ...(path && { path }),
    })),
  )
}

const RECORDS = { contact_id: contacts, customer_id: companies, opportunity_id: opportunities } as const

/** Asserts that the records of a run are in the workspace. */
const assertRecords = (records: Subjects): Statement[] =>
  Object.entries(RECORDS).flatMap(([name, table]) => {
    const id = records[name as keyof typeof RECORDS]
    return id === undefined
      ? []
      : [assertField(sql`exists (select from ${table} where ${table.id} = ${id})`, name, 'does not exist in this workspace')]
  })

/** Locks a run and asserts that it has not ended, or that it has. */
const lockRun = (id: string, has: 'ended' | 'not ended'): Statement => call('assert_run', id, has === 'ended')

export const cancelRun = (id: string) =>
  plan(
    [lockRun(id, 'not ended'), sql`select cancel_runs((select automation_id from ${automationRuns} where id = ${id}), ${id}::uuid, 1)`],
    runOf(id),
  )

/** Continues a run that failed, from the step that failed. */
export const retryRun = (id: string) => plan([lockRun(id, 'ended'), call('retry_runs', null, id, 1)], runOf(id))

/** Takes the steps of a run again from one of them on, without repeating effects that have been committed: a new run. */
export const replayRun = (ctx: Ctx, id: string, step: string) => {
  const replay = call('replay_run', id, step, ctx.requestId)
  return plan(
    [lockRun(id, 'ended'), replay],
    oneOrThrow(
      db
        .select(runFields)
        .from(automationRuns)
        .where(
          sql`${automationRuns.dedupe_key} = ${ctx.requestId}
            and ${automationRuns.automation_id} = (select automation_id from automation_runs where id = ${id})`,
        ),
      'run',
    ),
  )
}

const MOST_AT_ONCE = 1000
/** Cancels runs of an automation, or continues those that failed: 1,000 at most in a call. */
export function forRuns(automation: string, verb: 'cancel_runs' | 'retry_runs'): Plan<{ count: number; more: boolean }> {
  const call = sql`select ${sql.raw(verb)}(${automation}::uuid, null, ${MOST_AT_ONCE}::int) as count`
  return plan(
    [assertStays(automations, automation, 'automation')],
    mapResult(plainRows<{ count: number }>(call, ['count']), ([found]) => {
      const count = found?.count ?? 0
      return { count, more: count === MOST_AT_ONCE }
    }),
  )
}

/** How many runs each step of the automation has taken, and how they ended: the steps as they are now, in their order. */
export function countSteps(automation: string) {
  const { steps } = automations
  const counts = db
    .select({ step_id: automationCounts.step_id, state: automationCounts.state, total: automationCounts.total })
    .from(automationCounts)
    .where(eq(automationCounts.automation_id, automation))
  const both = db
    .select({
      steps,
      counts: sql<{ step_id: string; state: string; total: number }[]>`(select coalesce(json_agg(c), '[]') from (${counts}) c)`,
    })
    .from(automations)
    .where(eq(automations.id, automation))
  return plan(
    [assertExists(automations, automation, 'automation')],
    mapResult(rows(both), ([found]) => ({
      steps: allSteps(found?.steps ?? []).map((step) => ({ ...named(step), ...totals(step, found?.counts ?? []) })),
    })),
  )
}

const named = ({ id, type, key }: Step) => ({ step_id: id, type, key: key ?? null })
const totals = ({ id }: Step, counts: { step_id: string; state: string; total: number }[]) =>
  Object.fromEntries(STEP_STATES.map((state) => [state, counts.find((one) => one.step_id === id && one.state === state)?.total ?? 0]))
