import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { AudienceFilter } from '../src/features/schedules/rules/audience.ts'
import { AUDIENCE_TYPES, MISFIRE_POLICIES, SCHEDULE_RUN_STATUSES } from '../src/features/schedules/rules/limits.ts'
import { automations } from './automations.ts'
import { identity, instant, reference, timestamps } from './columns.ts'

/** Schedules that start runs of an automation for an audience. */
export const autoSchedules = pgTable(
  'auto_schedules',
  {
    ...identity,
    name: text().notNull(),
    description: text(),
    is_active: boolean().notNull().default(true),
    cron_expression: text().notNull(),
    timezone: text().notNull(),
    /** The same as the expression, for one of this form. */
    time_of_day: text(),
    days_of_week: integer().array(),
    audience_type: text({ enum: AUDIENCE_TYPES }).notNull(),
    audience_filter: jsonb().$type<AudienceFilter>().notNull().default({}),
    automation_id: uuid().notNull(),
    end_at: instant(),
    max_runs: integer(),
    misfire_policy: text({ enum: MISFIRE_POLICIES }).notNull().default('run_latest'),
    grace_minutes: integer().notNull().default(60),
    spread_minutes: integer().notNull().default(0),
    deliver_at_local: text(),
    /** The number of times that were due and fired. */
    run_count: integer().notNull().default(0),
    /** The next minute that is due; null if there is none. The Worker computes it. */
    next_run_at: instant(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('auto_schedules_by_created').on(t.workspace_id, t.created_at, t.id),
    index('auto_schedules_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('auto_schedules_by_automation').on(t.workspace_id, t.automation_id, t.created_at, t.id),
    index('auto_schedules_due').on(t.next_run_at, t.workspace_id, t.id).where(sql`next_run_at is not null`),
    reference(t.automation_id, automations),
  ],
)

/** What a fire of a schedule was started with. It does not change when the schedule does. */
export type FireSettings = {
  audience_type: (typeof AUDIENCE_TYPES)[number]
  audience_filter: AudienceFilter
  automation_id: string
  timezone: string
  spread_minutes: number
  deliver_at_local: string | null
}

/** The fires of schedules. They stay for their time when the schedule is deleted. */
export const scheduleRuns = pgTable(
  'schedule_runs',
  {
    ...identity,
    schedule_id: uuid().notNull(),
    /** The minute that was due; null for a fire by hand. */
    due_at: instant(),
    fired_at: instant().notNull().default(sql`now()`),
    settings: jsonb().$type<FireSettings>().notNull(),
    /** The last record for which runs were started. */
    last_id: uuid(),
    audience_size: integer().notNull().default(0),
    runs_triggered: integer().notNull().default(0),
    runs_skipped: integer().notNull().default(0),
    runs_failed: integer().notNull().default(0),
    status: text({ enum: SCHEDULE_RUN_STATUSES }),
    error: jsonb().$type<{ code: string; message: string }>(),
    /** When a worker last moved on with it. */
    touched_at: instant().notNull().default(sql`now()`),
    ended_at: instant(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('schedule_runs_due_key').on(t.workspace_id, t.schedule_id, t.due_at),
    index('schedule_runs_by_fired').on(t.workspace_id, t.schedule_id, t.fired_at, t.id),
    index('schedule_runs_open').on(t.touched_at, t.workspace_id, t.id).where(sql`ended_at is null`),
    index('schedule_runs_by_age').on(t.fired_at),
    check('ended', sql`(status is null) = (ended_at is null)`),
  ],
)

/** The rows of an audience for which no run was started, and why. */
export const scheduleSkips = pgTable(
  'schedule_skips',
  {
    ...identity,
    schedule_run_id: uuid().notNull(),
    record_id: uuid().notNull(),
    reason: text().notNull(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('schedule_skips_by_run').on(t.workspace_id, t.schedule_run_id, t.created_at, t.id),
    reference(t.schedule_run_id, scheduleRuns, 'cascade'),
  ],
)
