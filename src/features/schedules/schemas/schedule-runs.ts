import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { describe, Id, Instant, InstantOut, Integer, pageQuery, QueryInt } from '../../../schemas/fields.ts'
import { AUDIENCE_TYPES, MAX_FIRES, MAX_SAMPLE, SCHEDULE_RUN_STATUSES } from '../rules/limits.ts'
import { CronExpression, orNull, ScheduleZone, whole } from './schedules.ts'

export const ScheduleRun = named(
  'ScheduleRun',
  v.object({
    id: Id,
    schedule_id: Id,
    status: orNull(
      v.picklist(SCHEDULE_RUN_STATUSES),
      'Null until it has ended. `partial`: some rows of the audience have no run. `failed`: none has.',
      'completed',
    ),
    audience_size: whole('The rows of the audience, so far.', 50),
    runs_triggered: whole('Those for which a run was started.', 50),
    runs_skipped: whole('Those that the enrolment of the automation left out.'),
    runs_failed: whole('Those for which no run could be started.'),
    timing: v.pipe(
      v.object({
        due_at: orNull(InstantOut, 'The minute that was due; null for a fire by hand.', '2026-03-31T09:30:00.000Z'),
        late_seconds: whole('How long after that it fired.', 2),
        ended_at: v.nullable(InstantOut),
        duration_ms: orNull(v.number(), 'How long it took to start all runs.', 800),
      }),
      v.description('When it was due, fired and ended.'),
    ),
    error: orNull(v.object({ code: v.string(), message: v.string() }), 'Why it failed.'),
    fired_at: InstantOut,
  }),
)
export type ScheduleRun = v.InferOutput<typeof ScheduleRun>

export const ScheduleRunResult = named(
  'ScheduleRunResult',
  v.object({
    id: Id,
    record_id: v.pipe(v.nullable(Id), v.description('The member, contact or deal.')),
    automation_run_id: orNull(Id, 'The run; null if none was started.', '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'),
    state: orNull(v.string(), 'The state of the run; null if none was started.', 'completed'),
    reason: orNull(v.string(), 'Why none was started: `not_published`, `record_deleted`, `enrolled_before` or `already_running`.'),
    due_at: orNull(InstantOut, 'When its next step is due.'),
    created_at: InstantOut,
  }),
)

export const CronPreview = v.strictObject({
  cron_expression: CronExpression,
  timezone: ScheduleZone,
  count: v.optional(describe(Integer(1, MAX_FIRES), `How many times are returned, 1 to ${MAX_FIRES}; 5 by default.`, 5), 5),
  after: v.optional(describe(Instant, 'The times after this one; by default from now on.', '2026-03-31T09:30:00.000Z')),
})
export type CronPreview = v.InferOutput<typeof CronPreview>
export const CronTimes = named(
  'CronTimes',
  v.object({
    cron_expression: v.string(),
    timezone: v.string(),
    fire_times: v.array(
      v.object({
        at: InstantOut,
        local: v.pipe(v.string(), v.description('The local time, YYYY-MM-DDTHH:MM.'), v.examples(['2026-03-31T09:00'])),
        dst: orNull(
          v.picklist(['dst_gap', 'dst_overlap']),
          '`dst_gap`: the clocks skip the time, so it fires at the first minute after the gap. `dst_overlap`: the clocks repeat it.',
        ),
      }),
    ),
  }),
)
export type CronTimes = v.InferOutput<typeof CronTimes>

export const previewQuery = v.strictObject({
  sample: v.optional(describe(QueryInt(0, MAX_SAMPLE), `How many rows are returned, 0 to ${MAX_SAMPLE}; 10 by default.`, 10), 10),
})
export const AudiencePreview = named(
  'AudiencePreview',
  v.object({
    audience_type: v.picklist(AUDIENCE_TYPES),
    total: whole('The rows of the audience now; the automation would run for each of them.', 50),
    total_is_exact: v.pipe(v.boolean(), v.description('False if there are more: at most 100000 are counted.'), v.examples([true])),
    sample: v.pipe(
      v.array(v.record(v.string(), v.unknown())),
      v.description('The trigger data of the first rows, as their runs would have it.'),
    ),
  }),
)
export const runsQuery = v.strictObject(pageQuery)
