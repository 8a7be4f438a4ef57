import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import {
  Bool,
  describe,
  Enum,
  Id,
  Ids,
  Instant,
  InstantOut,
  Integer,
  Multiline,
  Name,
  optional,
  SingleLine,
} from '../../../schemas/fields.ts'
import { pathOf, StoredFilter } from '../../../schemas/filters.ts'
import { Zone } from '../../../schemas/parsers.ts'
import { text } from '../../../schemas/pipes.ts'
import { RoleKey } from '../../access/schemas/roles.ts'
import { TASK_STATUSES } from '../../tasks/rules/tasks.ts'
import { parseCron } from '../rules/cron/parse.ts'
import { AUDIENCE_TYPES, DEFAULT_GRACE_MINUTES, MAX_MINUTES, MAX_TASKS, MISFIRE_POLICIES, ON_TIME_MINUTES } from '../rules/limits.ts'

export const CRON =
  'Five fields: minute, hour, day of month, month, day of week (0 to 7; 0 and 7 are Sunday). A field is `*`, a value, a range, ' +
  'either of these with a step, or several with commas; months and days of the week also have their English names of three letters. ' +
  'If neither field of days contains `*`, a day that meets one of them is enough. With fixed hours, a time that the clocks skip fires ' +
  'at the first minute after the gap, and one that they repeat fires once; if the hour contains `*`, every matching minute ' +
  'that the clocks show fires.'

export const CronExpression = v.pipe(
  text('a cron expression'),
  v.trim(),
  v.maxLength(200, 'must be at most 200 characters long'),
  v.rawCheck(({ dataset, addIssue }) => {
    const { fault } = dataset.typed ? parseCron(dataset.value) : {}
    if (fault !== undefined) addIssue({ message: fault })
  }),
  v.description(CRON),
  v.examples(['0 9 * * 1-5']),
  v.transform((expression) => expression.replace(/\s+/g, ' ')),
)

export const ScheduleZone = v.optional(
  describe(Zone, 'The IANA time zone of the times, or an Australian state. Defaults to the workspace’s zone.', 'Australia/Sydney'),
)

const TimeOfDay = v.pipe(
  text('a time of day in the form HH:MM'),
  v.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day in the form HH:MM, such as 09:00'),
  v.description('A time of day, HH:MM.'),
  v.examples(['09:00']),
)
const DaysOfWeek = v.pipe(
  v.array(Integer(0, 6), 'must be a list of days: 0 (Sunday) to 6'),
  v.minLength(1, 'must have at least one day, or be null for every day'),
  v.maxLength(7, 'must have at most seven days'),
  v.description('The days of the week with `time_of_day`: 0 is Sunday. Null for every day.'),
  v.examples([[1, 3, 5]]),
  v.transform((days) => [...new Set(days)].toSorted()),
)

const key = <S extends v.GenericSchema>(schema: S, description: string, example: v.InferOutput<S>) =>
  v.optional(describe(schema, description, example))

const Audience = v.pipe(
  v.strictObject({
    roles: key(v.pipe(v.array(RoleKey, 'must be a list of roles'), v.maxLength(100)), 'users: only members with these roles.', [
      'client_admin',
    ]),
    user_ids: key(Ids(1000), 'users: only these members.', ['01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d']),
    statuses: key(
      v.pipe(
        v.array(v.picklist(TASK_STATUSES, `must be one of: ${TASK_STATUSES.join(', ')}`), 'must be a list of statuses'),
        v.minLength(1),
      ),
      'tasks_by_assignee: only tasks with these statuses. By default those that are not completed.',
      ['open'],
    ),
    include_overdue_only: key(Bool, 'tasks_by_assignee: only tasks that are overdue.', true),
    max_tasks_per_user: key(
      Integer(1, MAX_TASKS),
      `tasks_by_assignee: the most tasks of each row, those due first; ${MAX_TASKS} by default.`,
      20,
    ),
    contact_type: key(SingleLine(80), 'contacts: only those of this type.', 'Customer'),
    has_email: key(Bool, 'contacts: only those with an email address, or only those without.', true),
    status: key(Enum(['open', 'won', 'lost']), 'deals: only those with this status.', 'open'),
    stale_days: key(
      Integer(1, 3650),
      'deals: only those that have neither changed nor had an activity for so many days. It also needs the scope activities:read.',
      14,
    ),
    pipeline_id: key(Id, 'deals: only those in this pipeline.', '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'),
    stage_ids: key(Ids(100), 'deals: only those on one of these stages.', ['01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d']),
    list_id: key(Id, 'contacts, deals: only members of this list.', '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'),
    filter: key(
      StoredFilter,
      'tasks_by_assignee, contacts, deals: a filter of tasks, contacts or opportunities, as their search takes it.',
      {
        field: 'city',
        op: 'eq',
        value: 'Newcastle',
      },
    ),
    limit: key(Integer(1, 1_000_000), 'contacts, deals: the most rows, the oldest records first.', 500),
  }),
  v.description(
    'Who the schedule fires for. Each type of audience has its own keys, and all of them must hold. ' +
      'Archived records are left out unless the filter mentions `archived`.',
  ),
  v.examples([{ roles: ['client_editor'] }]),
)

const changeable = {
  name: describe(Name(120), 'The name of the schedule.', 'Weekday digest'),
  description: optional(describe(Multiline(2000), 'What the schedule is for.', 'Sends the open tasks of the day.')),
  is_active: v.optional(describe(Bool, 'Whether it fires when it is due. Defaults to true.', true)),
  cron_expression: v.optional(CronExpression),
  timezone: ScheduleZone,
  time_of_day: v.optional(
    v.nullable(
      describe(
        TimeOfDay,
        'The time of day, instead of a cron expression, which takes precedence. Null is the same as leaving it out.',
        '09:00',
      ),
    ),
  ),
  days_of_week: v.optional(v.nullable(DaysOfWeek)),
  audience_type: Enum(
    AUDIENCE_TYPES,
    'Each fire starts a run for every member, every member with matching tasks, every contact, or every deal. ' +
      'Writing it needs the scope to read these records.',
  ),
  audience_filter: v.optional(Audience),
  automation_id: describe(Id, 'The automation whose runs it starts. It must be published when the schedule fires.'),
  end_at: optional(describe(Instant, 'It fires for no time after this one.', '2030-12-31T00:00:00.000Z')),
  max_runs: v.optional(v.nullable(describe(Integer(1), 'It becomes inactive when it has been due and fired so often.', 100))),
  misfire_policy: v.optional(
    Enum(
      MISFIRE_POLICIES,
      `What happens about times that are noticed more than ${ON_TIME_MINUTES} minutes late: \`skip\` none of them, \`run_latest\` ` +
        '(default) fire for the last one unless another time is due now, `run_all` fire for each.',
    ),
  ),
  grace_minutes: v.optional(
    describe(Integer(0, MAX_MINUTES), `How late a missed time may still fire, in minutes; ${DEFAULT_GRACE_MINUTES} by default.`, 60),
  ),
  spread_minutes: v.optional(describe(Integer(0, MAX_MINUTES), 'Spreads the beginning of the runs evenly over so many minutes.', 30)),
  deliver_at_local: v.optional(
    v.nullable(
      describe(
        TimeOfDay,
        'contacts, deals: each run begins when it is this time of day next for its contact, or the main contact of its deal; ' +
          'without a known zone in that of the schedule.',
        '09:00',
      ),
    ),
  ),
}

export const NewAutoSchedule = v.pipe(
  v.strictObject(changeable),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed || dataset.value.cron_expression !== undefined || typeof dataset.value.time_of_day === 'string') return
    addIssue({ message: 'Required: send cron_expression, or time_of_day', path: pathOf(dataset.value, 'cron_expression') })
  }),
)
export type NewAutoSchedule = v.InferOutput<typeof NewAutoSchedule>

const { time_of_day: _, days_of_week: __, ...ofEvents } = changeable
/** The body on the older path: a cron expression is required, and there is no time of day. */
export const NewEventSchedule = v.strictObject({ ...ofEvents, cron_expression: CronExpression })

export const AutoSchedulePatch = v.partial(v.strictObject(changeable))
export type AutoSchedulePatch = v.InferOutput<typeof AutoSchedulePatch>

export const whole = (description: string, example = 0) =>
  v.pipe(v.number(), v.integer(), v.description(description), v.examples([example]))
export const orNull = <S extends v.GenericSchema>(schema: S, description: string, example: v.InferOutput<S> | null = null) =>
  v.pipe(v.nullable(schema), v.description(description), v.examples([example]))

export const AutoSchedule = named(
  'AutoSchedule',
  v.object({
    id: Id,
    name: v.string(),
    description: v.nullable(v.string()),
    is_active: v.boolean(),
    cron_expression: v.pipe(v.string(), v.description(CRON), v.examples(['0 9 * * 1-5'])),
    timezone: v.string(),
    time_of_day: orNull(v.string(), 'The time of day, for an expression of one time on some days of the week.', '09:00'),
    days_of_week: orNull(v.array(v.number()), 'The days of such an expression; null for every day.'),
    audience_type: v.picklist(AUDIENCE_TYPES),
    audience_filter: v.pipe(v.record(v.string(), v.unknown()), v.description('Who it fires for, as it was sent.')),
    automation_id: Id,
    end_at: v.nullable(InstantOut),
    max_runs: v.nullable(v.number()),
    misfire_policy: v.picklist(MISFIRE_POLICIES),
    grace_minutes: v.number(),
    spread_minutes: v.number(),
    deliver_at_local: orNull(v.string(), 'The local time of the runs.'),
    run_count: whole('How often it has been due and fired. Fires by hand do not count.'),
    next_run_at: orNull(InstantOut, 'When it is due next; null if it is inactive, or not due before its end.', '2026-03-31T09:30:00.000Z'),
    ...timestamps,
  }),
)
export type AutoSchedule = v.InferOutput<typeof AutoSchedule>

/** The filters of the list of schedules. */
export const scheduleFilters = {
  automation_id: v.optional(describe(Id, 'Only schedules of this automation.')),
}
