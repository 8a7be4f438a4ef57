import { Hono } from 'hono'
import * as v from 'valibot'
import { autoSchedules } from '../schema/index.ts'
import { fireNow, listResults, listRuns, previewAudience, previewCron } from '../src/features/schedules/plans/runs.ts'
import { assertRestorable, createSchedule, updateSchedule } from '../src/features/schedules/plans/schedules.ts'
import { MAX_COUNTED, SCHEDULE_RUN_DAYS } from '../src/features/schedules/rules/limits.ts'
import {
  AudiencePreview,
  CronPreview,
  CronTimes,
  previewQuery,
  runsQuery,
  ScheduleRun,
  ScheduleRunResult,
} from '../src/features/schedules/schemas/schedule-runs.ts'
import {
  AutoSchedule,
  AutoSchedulePatch,
  NewAutoSchedule,
  NewEventSchedule,
  scheduleFilters,
} from '../src/features/schedules/schemas/schedules.ts'
import { listOf, scopes } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Id } from '../src/schemas/fields.ts'
import { AUTOMATION } from './paths.ts'

export const autoSchedulesRouter = new Hono<App>()
export const eventSchedulesRouter = new Hono<App>()
export const autoSchedulesApi = endpoints(autoSchedulesRouter, {
  path: AUTOMATION.autoSchedules,
  tag: 'Auto Schedules',
  legacy: {
    router: eventSchedulesRouter,
    path: AUTOMATION.eventSchedules,
    tag: 'Event Schedules (legacy)',
    bodies: { createAutoSchedule: NewEventSchedule },
  },
})

const params = v.object({ auto_schedule_id: Id })
const AUDIENCE = 'It also needs the scopes to read the audience, such as `contacts:read`.'

autoSchedulesApi.post(
  '/preview-cron',
  {
    id: 'previewCron',
    summary: 'Preview the times of a cron expression',
    description:
      'Checks an expression and returns the next times at which it fires, with those at which the clocks change. It creates nothing.',
    access: scopes('schedules:read'),
    effect: 'read',
    body: CronPreview,
    returns: CronTimes,
  },
  ({ ctx, body }) => previewCron(ctx, body),
)

resource(autoSchedulesApi, {
  name: 'auto_schedule',
  plural: 'auto-schedules',
  scope: 'schedules',
  table: autoSchedules,
  returns: AutoSchedule,
  list: { filters: scheduleFilters },
  get: {},
  create: {
    description:
      'Each time that it is due, it starts one run of the automation for each row of its audience. ' +
      `Send \`cron_expression\`, or \`time_of_day\` with \`days_of_week\`; the cron expression takes precedence. ${AUDIENCE}`,
    body: NewAutoSchedule,
    plan: createSchedule,
  },
  update: {
    description: `A change of the times or of the zone recomputes \`next_run_at\`. A fire that is under way ends as it began. ${AUDIENCE}`,
    body: AutoSchedulePatch,
    plan: updateSchedule,
  },
  remove: { description: 'The automation stays.' },
  restore: { guards: (id) => [assertRestorable(id)] },
  history: true,
})

autoSchedulesApi.post(
  '/:auto_schedule_id/fire-now',
  {
    id: 'fireAutoSchedule',
    summary: 'Fire an auto schedule now',
    description:
      'Starts one run of the automation for each row of the audience as it is now, whatever the state of the schedule, which does not ' +
      'change. The fire is among its runs, and its status is null until it has ended.',
    access: scopes('schedules:write'),
    params,
    returns: ScheduleRun,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => fireNow(ctx, params.auto_schedule_id),
)
autoSchedulesApi.get(
  '/:auto_schedule_id/audience-preview',
  {
    id: 'previewAutoScheduleAudience',
    summary: "Preview an auto schedule's audience",
    description: `Returns the number of rows (up to ${MAX_COUNTED}) and the trigger data of the first ones. It fires nothing. ${AUDIENCE}`,
    access: scopes('schedules:read'),
    params,
    query: previewQuery,
    returns: AudiencePreview,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, query }) => previewAudience(ctx, params.auto_schedule_id, query.sample),
)
autoSchedulesApi.get(
  '/:auto_schedule_id/runs',
  {
    id: 'listAutoScheduleRuns',
    summary: "List an auto schedule's fires",
    description: `Lists the times at which it has fired, newest first. They are kept for ${SCHEDULE_RUN_DAYS} days.`,
    access: scopes('schedules:read'),
    params,
    query: runsQuery,
    returns: listOf(ScheduleRun),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listRuns(params.auto_schedule_id, query),
)
autoSchedulesApi.get(
  '/:auto_schedule_id/runs/:schedule_run_id/results',
  {
    id: 'listAutoScheduleRunResults',
    summary: "List the results of an auto schedule's fire",
    description: 'Lists each row of the audience with its run, or why none was started, in the order in which they were started.',
    access: scopes('schedules:read'),
    params: v.object({ auto_schedule_id: Id, schedule_run_id: Id }),
    query: runsQuery,
    returns: listOf(ScheduleRunResult),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listResults(params.auto_schedule_id, params.schedule_run_id, query),
)
