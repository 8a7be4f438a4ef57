import { eq, sql } from 'drizzle-orm'
import { autoSchedules } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { plan } from '../../../data/plan.ts'
import { mapResult, rows } from '../../../data/query.ts'
import { columnsFor, insertRow, store, updateRows } from '../../../data/store.ts'
import { listsIn } from '../../../domain/filters/lists.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { readLists } from '../../lists/plans/list-filters.ts'
import { AUDIENCE_SCOPES, conditionsOf, objectOf } from '../rules/audience.ts'
import { fromCron, toCron } from '../rules/cron/parse.ts'
import { nextDue } from '../rules/due.ts'
import { AutoSchedule, type AutoSchedulePatch, type NewAutoSchedule } from '../schemas/schedules.ts'
import { type AudienceOf, assertNamed, audienceOf } from './audience.ts'

const select = db.select(columnsFor(autoSchedules, AutoSchedule)).from(autoSchedules)
const { record } = store(autoSchedules, 'auto schedule', select)

/** Creates a schedule. The lists that its filter names are read in a round trip of their own. */
export async function createSchedule(ctx: Ctx, input: NewAutoSchedule) {
  const id = newId()
  const cron_expression = input.cron_expression ?? toCron(input.time_of_day as string, input.days_of_week ?? null)
  const timezone = input.timezone ?? (await ctx.zone())
  const timing = { cron_expression, timezone, end_at: input.end_at ?? null }
  const { is_active = true, audience_filter = {} } = input
  const row = {
    ...input,
    id,
    cron_expression,
    timezone,
    is_active,
    audience_filter,
    ...fromCron(cron_expression),
    next_run_at: is_active ? nextDue(timing, ctx.now.getTime()) : null,
  }
  return plan([...(await audienceGuards(ctx, row)), mayStart(row.automation_id), insertRow(autoSchedules, row)], record(id))
}

type Stored = Pick<AutoSchedule, 'cron_expression' | 'timezone' | 'end_at' | 'next_run_at' | 'is_active' | 'run_count' | 'max_runs'> &
  Pick<AutoSchedule, 'audience_type' | 'deliver_at_local' | 'version'> &
  AudienceOf

/** Whoever chooses the records and the data of runs must be allowed to start them. */
const mayStart = (automation: string): Statement => call('assert_may_start', automation)

/**
 * Reads the schedule that a change is decided from. The first round trip finds it; the second runs only if its version is still the same.
 */
function storedSchedule(ctx: Ctx, id: string): Promise<Stored | undefined> {
  const locked = sql`(select version from ${autoSchedules} where ${autoSchedules.id} = ${id} for update)`
  return ctx.assume<Stored | undefined>(
    mapResult(rows(select.where(eq(autoSchedules.id, id))), ([stored]) => stored as Stored | undefined),
    undefined,
    (known) => sql`(select case when assert_record(s.version, ${ctx.ifMatch ?? null}::int, 'auto schedule', ${id}::uuid)
      then s.version is not distinct from ${known?.version ?? null}::int end from (select ${locked} as version) s)`,
  )
}

/** Updates a schedule. It is due anew from now on if its times, its zone or `is_active` change. */
export async function updateSchedule(ctx: Ctx, id: string, patch: AutoSchedulePatch) {
  const stored = await storedSchedule(ctx, id)
  // The plan of the first round trip never runs.
  if (!stored) return plan([], record(id))
  const { time_of_day: _, days_of_week: __, ...others } = patch
  const cron_expression = expressionOf(patch, stored)
  const changed = { ...stored, ...others, cron_expression } as Stored
  assertRunsLeft(patch, changed)
  const next_run_at = dueAgain(stored, changed, ctx.now)
  const sets = {
    ...others,
    ...(cron_expression !== stored.cron_expression && { cron_expression, ...fromCron(cron_expression) }),
    ...(next_run_at !== stored.next_run_at && { next_run_at }),
  }
  const guards = [
    ...(await audienceGuards(ctx, changed)),
    sql`select assert_may_start(automation_id) from ${autoSchedules} where ${autoSchedules.id} = ${id}`,
  ]
  return plan([...guards, updateRows(autoSchedules, sets, eq(autoSchedules.id, id), { id })], record(id))
}

/** The expression after a change. A cron expression takes precedence over the time of day. */
function expressionOf({ cron_expression, time_of_day, days_of_week }: AutoSchedulePatch, stored: Stored): string {
  if (cron_expression !== undefined) return cron_expression
  const known = fromCron(stored.cron_expression)
  if (typeof time_of_day !== 'string' && days_of_week === undefined) return stored.cron_expression
  const time = time_of_day ?? known.time_of_day
  const days = days_of_week === undefined ? known.days_of_week : days_of_week
  if (time !== null) return toCron(time, days)
  if (days === null) return stored.cron_expression
  throw invalid([{ path: 'time_of_day', message: 'Required with days_of_week: the cron expression of the schedule has no time of day' }])
}

function dueAgain(stored: Stored, changed: Stored, now: Date): string | null {
  if (!changed.is_active) return null
  const isNew = (['cron_expression', 'timezone', 'is_active'] as const).some((name) => changed[name] !== stored[name])
  const next = isNew ? null : stored.next_run_at
  if (next !== null && (changed.end_at === null || next <= changed.end_at)) return next
  return nextDue(changed, now.getTime())
}

function assertRunsLeft(patch: AutoSchedulePatch, { max_runs, run_count }: Stored): void {
  if (patch.is_active !== true || max_runs === null || run_count < max_runs) return
  throw invalid([
    {
      path: typeof patch.max_runs === 'number' ? 'max_runs' : 'is_active',
      message: `The schedule has fired ${run_count} times: send a higher max_runs, or null, to let it fire again`,
    },
  ])
}

/** The guards for a schedule that is written: its filter can be used, what it names exists, and the caller may read its audience. */
async function audienceGuards(ctx: Ctx, schedule: AudienceOf & { deliver_at_local?: string | null | undefined }): Promise<Statement[]> {
  const { audience_type: type, audience_filter: filter, deliver_at_local } = schedule
  if (deliver_at_local && type !== 'contacts' && type !== 'deals')
    throw invalid([{ path: 'deliver_at_local', message: `is for the audiences contacts and deals, and not for ${type}` }])
  const { guards, reads } = await readAudience(ctx, schedule)
  return [assertMayRead(type, reads), ...guards, ...assertNamed(filter)]
}

/** The audience of a stored schedule, or of one that is written, with the lists that the caller may see. */
export async function readAudience(ctx: Ctx, schedule: AudienceOf) {
  const { audience_type: type, audience_filter } = schedule
  const object = objectOf(type)
  const filter = conditionsOf(type, audience_filter, ctx.now.getTime())
  const ids = object && filter ? listsIn(object, filter) : []
  return audienceOf(schedule, ctx.now, ids.length > 0 ? await readLists(ctx, ids) : [])
}

/** Requires the scopes to read an audience. */
export const assertMayRead = (type: AudienceOf['audience_type'], reads: string[]): Statement =>
  call('assert_scopes', `{${[...AUDIENCE_SCOPES[type], ...reads.map((object) => `${object}:read`)].join(',')}}`)

/** The same for a schedule that is restored. */
export const assertRestorable = (id: string): Statement =>
  sql`select assert_scopes(array(select jsonb_array_elements_text(${JSON.stringify(AUDIENCE_SCOPES)}::jsonb -> s.audience_type)))
    from ${autoSchedules} s where s.id = ${id}`
