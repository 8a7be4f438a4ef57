import { eq, sql } from 'drizzle-orm'
import { autoSchedules, scheduleRuns } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { constant, mapResult, oneOrThrow, plainRows, rows } from '../../../data/query.ts'
import { assertExists, columnsFor, lockForUpdate } from '../../../data/store.ts'
import { AppError } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { idKey, keyOf, merged, type Source } from '../../lists/plans/merged-lists.ts'
import { firesAfter } from '../rules/cron/fires.ts'
import { type Cron, parseCron } from '../rules/cron/parse.ts'
import { MAX_COUNTED } from '../rules/limits.ts'
import { type CronPreview, type CronTimes, ScheduleRun } from '../schemas/schedule-runs.ts'
import type { AudienceOf } from './audience.ts'
import { assertMayRead, readAudience } from './schedules.ts'

const seconds = sql`extract(epoch from ${scheduleRuns.fired_at} - ${scheduleRuns.due_at})`
const timing = sql`jsonb_build_object('due_at', iso(${scheduleRuns.due_at}),
  'late_seconds', greatest(0, coalesce(floor(${seconds}), 0))::int,
  'ended_at', iso(${scheduleRuns.ended_at}),
    'duration_ms', round(extract(epoch from ${scheduleRuns.ended_at} - ${scheduleRuns.created_at}) * 1000))`
const columns = columnsFor(scheduleRuns, ScheduleRun, { timing: timing.as('timing') })
const runsWith = (keys: Keys) => db.select({ ...columns, ...keys }).from(scheduleRuns)
const what = 'auto schedule'

/** Fires a schedule now, in any state and without changing it. A message starts the runs after the commit. */
export function fireNow(ctx: Ctx, id: string) {
  const run = newId()
  const result = oneOrThrow(db.select(columns).from(scheduleRuns).where(eq(scheduleRuns.id, run)), 'fire', run)
  return plan([lockForUpdate(ctx, autoSchedules, id, what), call('fire_schedule_now', id, run)], result)
}

/** Lists the fires of a schedule, newest first. */
export function listRuns(id: string, query: PageQuery) {
  const result = page({
    select: runsWith,
    id: scheduleRuns.id,
    where: [eq(scheduleRuns.schedule_id, id)],
    sorts: { fired_at: scheduleRuns.fired_at },
    name: `fires of ${id}`,
    query: { ...query, sort: '-fired_at' },
  })
  return plan([assertExists(autoSchedules, id, what)], result)
}

type Result = {
  id: string
  record_id: string | null
  automation_run_id: string | null
  state: string | null
  reason: string | null
  due_at: string | null
  created_at: string
}
const plain = { mapFromDriverValue: (value: unknown) => value }
const at = scheduleRuns.fired_at
const fields = { id: plain, record_id: plain, automation_run_id: plain, state: plain, reason: plain, due_at: at, created_at: at }

/** Lists the outcome of each row of the audience of a fire, in the order in which their runs were started. */
export function listResults(id: string, run: string, query: PageQuery) {
  const started: Source = (slice) =>
    slice(sql`select r.id, r.record_id, r.id as automation_run_id, r.state, null::text as reason, r.due_at, r.created_at
      from automation_runs r where r.source_id = ${run} and r.source = 'schedule'`)
  const skipped: Source = (slice) =>
    slice(sql`select s.id, s.record_id, null::uuid as automation_run_id, null::text as state, s.reason,
      null::timestamptz as due_at, s.created_at
      from schedule_skips s where s.schedule_run_id = ${run}`)
  const result = page<Result>({
    select: merged(fields, [started, skipped]),
    id: idKey,
    where: [],
    sorts: { created_at: keyOf('created_at') },
    name: `results of ${run}`,
    query: { ...query, sort: 'created_at' },
  })
  const exists = sql`exists (select from ${scheduleRuns} where ${scheduleRuns.id} = ${run} and ${scheduleRuns.schedule_id} = ${id})`
  return plan([assertExists(autoSchedules, id, what), call('assert_exists', exists, 'fire', run)], result)
}

/** Previews the audience of a schedule: the rows that it would fire for now. */
export async function previewAudience(ctx: Ctx, id: string, sample: number): Promise<Plan<Preview>> {
  const { audience_type, audience_filter, timezone } = autoSchedules
  const found = db.select({ audience_type, audience_filter, timezone }).from(autoSchedules).where(eq(autoSchedules.id, id))
  const schedule = await ctx.read(mapResult(rows(found), ([row]) => row as AudienceOf | undefined))
  if (!schedule) throw new AppError('NOT_FOUND', `No such ${what} in this workspace`)
  const audience = await readAudience(ctx, schedule)
  const most = Math.min(audience.limit, MAX_COUNTED + 1)
  const among = sql`array(select id from found order by id limit ${sample}::int)`
  const query = sql`with found as materialized (${audience.ids(most)}),
    shown as (${audience.rows((id) => sql`${id} = any(${among})`, sql`limit ${sample}::int`)})
    select (select count(*) from found), (select coalesce(json_agg(data order by id), '[]') from shown)`
  const result = mapResult(plainRows<{ total: number; sample: Record<string, unknown>[] }>(query, ['total', 'sample']), ([row]) => {
    const total = row?.total ?? 0
    return {
      audience_type: schedule.audience_type,
      total: Math.min(total, MAX_COUNTED),
      total_is_exact: total <= MAX_COUNTED,
      sample: row?.sample ?? [],
    }
  })
  return plan([assertMayRead(schedule.audience_type, audience.reads), ...audience.guards], result)
}

type Preview = { audience_type: AudienceOf['audience_type']; total: number; total_is_exact: boolean; sample: Record<string, unknown>[] }

/** Previews the next times at which an expression fires. */
export async function previewCron(ctx: Ctx, { cron_expression, timezone: sent, after, count }: CronPreview): Promise<Plan<CronTimes>> {
  const timezone = sent ?? (await ctx.zone())
  const { cron } = parseCron(cron_expression)
  const from = after === undefined ? ctx.now.getTime() : Date.parse(after)
  const fire_times: CronTimes['fire_times'] = []
  for (const { at, local, dst } of firesAfter(cron as Cron, timezone, from)) {
    fire_times.push({ at: new Date(at).toISOString(), local, dst })
    if (fire_times.length === count) break
  }
  return plan([], constant({ cron_expression, timezone, fire_times }))
}
