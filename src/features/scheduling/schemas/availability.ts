import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { Bool, describe, Id, Instant, InstantOut, Integer, IsoDate, Name, optional, SingleLine } from '../../../schemas/fields.ts'
import { Zone } from '../../../schemas/parsers.ts'
import { hoursFaults } from '../rules/hours.ts'
import { DEFAULT_SCHEDULE, MOST_HOLIDAYS, MOST_HOURS_A_DAY, MOST_OVERRIDES, MOST_SCHEDULES, WEEKDAYS } from '../rules/limits.ts'

const Time = v.pipe(
  v.string('must be a time of day, such as 09:30'),
  v.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day from 00:00 to 23:59, such as 09:30; the end of a day is 00:00'),
  v.description('A time of day, `HH:MM`.'),
  v.examples(['09:30']),
)
const Hours = v.pipe(
  v.array(
    v.strictObject({
      start: describe(Time, 'When the hours begin.', '09:00'),
      end: describe(Time, 'When they end; on the next day if it is not after the start.', '17:00'),
    }),
    'must be a list of hours, such as [{"start": "09:00", "end": "17:00"}]',
  ),
  v.maxLength(MOST_HOURS_A_DAY, `must have at most ${MOST_HOURS_A_DAY} entries`),
  v.rawCheck(({ dataset, addIssue }) => {
    if (dataset.typed) for (const message of hoursFaults(dataset.value)) addIssue({ message })
  }),
)
const WeeklyHours = v.pipe(
  v.strictObject(Object.fromEntries(WEEKDAYS.map((day) => [day, v.optional(Hours)]))),
  v.description('The hours of each weekday. A day that is left out is off.'),
  v.examples([{ monday: [{ start: '09:00', end: '17:00' }] }]),
)
const Overrides = v.pipe(
  v.array(
    v.strictObject({
      date: describe(IsoDate, 'The date.', '2026-12-25'),
      hours: v.optional(Hours, []),
      reason: optional(describe(SingleLine(120), 'Why it differs, such as the name of a holiday.', 'Christmas Day')),
    }),
    'must be a list of dates',
  ),
  v.maxLength(MOST_OVERRIDES, `must have at most ${MOST_OVERRIDES} dates`),
  v.check((days) => new Set(days.map(({ date }) => date)).size === days.length, 'must not name a date twice'),
  v.description(
    'Dates with other hours than their weekday; without hours the day is off. Those of the company apply to every member without ' +
      'an own entry for the date.',
  ),
  v.examples([[{ date: '2026-12-25', hours: [], reason: 'Christmas Day' }]]),
)

const availabilityFields = {
  timezone: optional(describe(Zone, 'The time zone of the hours. Defaults to the company’s, and for the company to the workspace’s.')),
  weekly_hours: v.optional(v.nullable(WeeklyHours)),
  date_overrides: v.optional(Overrides, []),
  max_per_day: optional(
    describe(
      Integer(1, 100),
      'The most bookings of a member, in whichever schedule, on a day of the time zone of their default schedule: with more, ' +
        'these hours offer no times.',
      8,
    ),
  ),
  holiday_calendar_id: optional(describe(Id, 'The holiday calendar whose days are off; for a member the company’s unless set.')),
}
export const AvailabilityIn = v.strictObject(availabilityFields)
export type AvailabilityIn = v.InferOutput<typeof AvailabilityIn>

const scheduleFields = {
  ...availabilityFields,
  name: describe(Name(120), 'What the schedule is called. No two schedules of a member have one name.', 'Evenings'),
}
export const NewAvailabilitySchedule = v.strictObject({
  user_id: describe(Id, `The member whose hours they are. A member has at most ${MOST_SCHEDULES} schedules.`),
  ...scheduleFields,
  is_default: v.optional(describe(Bool, 'Whether it is the member’s default schedule from now on.', false), false),
})
export type NewAvailabilitySchedule = v.InferOutput<typeof NewAvailabilitySchedule>
export const AvailabilitySchedulePatch = v.partial(
  v.strictObject({
    ...scheduleFields,
    date_overrides: Overrides,
    is_default: describe(Bool, 'True makes it the member’s default schedule in place of the former one.', true),
  }),
)
export type AvailabilitySchedulePatch = v.InferOutput<typeof AvailabilitySchedulePatch>

const HoursOut = v.array(v.object({ start: v.string(), end: v.string() }))
export const Availability = named(
  'Availability',
  v.object({
    id: v.pipe(
      Id,
      v.description(
        'The id of the workspace for the company’s hours. A member’s default schedule has that of the user unless another ' +
          'one was made the default.',
      ),
    ),
    user_id: v.nullable(Id),
    name: v.pipe(v.string(), v.description(`What the schedule is called: ${DEFAULT_SCHEDULE}, unless it has another name.`)),
    is_default: v.pipe(v.boolean(), v.description('Whether event types use it that name no schedule of the host.')),
    timezone: v.nullable(v.string()),
    weekly_hours: v.pipe(
      v.nullable(v.record(v.string(), HoursOut)),
      v.description('The hours of each weekday. Null for the company’s, and for the company Monday to Friday from 09:00 to 17:00.'),
    ),
    date_overrides: v.array(v.object({ date: v.string(), hours: HoursOut, reason: v.optional(v.nullable(v.string())) })),
    max_per_day: v.nullable(v.pipe(v.number(), v.integer())),
    holiday_calendar_id: v.pipe(v.nullable(Id), v.description('The holiday calendar whose days are off. Null for the company’s.')),
    ...timestamps,
  }),
)
export type Availability = v.InferOutput<typeof Availability>

const timeOffFields = {
  user_id: optional(describe(Id, 'The member who is away; everyone unless sent.')),
  starts_at: describe(Instant, 'When the absence begins.', '2026-12-21T00:00:00.000Z'),
  ends_at: describe(Instant, 'When it ends, at most 366 days later.', '2027-01-04T00:00:00.000Z'),
  reason: optional(describe(SingleLine(255), 'Why.', 'Summer holidays')),
}
const DAYS_366 = 366 * 86_400_000
const inOrder = ({ starts_at, ends_at }: { starts_at?: string | undefined; ends_at?: string | undefined }) =>
  !starts_at || !ends_at || (starts_at < ends_at && Date.parse(ends_at) - Date.parse(starts_at) <= DAYS_366)
const IN_ORDER = 'ends_at must be after starts_at, by at most 366 days'
export const NewTimeOff = v.pipe(
  v.strictObject(timeOffFields),
  v.check((input) => inOrder(input), IN_ORDER),
)
export const TimeOffPatch = v.pipe(
  v.partial(v.strictObject(timeOffFields)),
  v.check((input) => inOrder(input), IN_ORDER),
)
export const TimeOff = named(
  'TimeOff',
  v.object({ id: Id, user_id: v.nullable(Id), starts_at: InstantOut, ends_at: InstantOut, reason: v.nullable(v.string()), ...timestamps }),
)

const Holidays = v.pipe(
  v.array(
    v.strictObject({
      date: describe(IsoDate, 'The date.', '2026-12-25'),
      name: describe(Name(120), 'The name of the holiday.', 'Christmas Day'),
    }),
    'must be a list of dates',
  ),
  v.maxLength(MOST_HOLIDAYS, `must have at most ${MOST_HOLIDAYS} dates`),
  v.check((days) => new Set(days.map(({ date }) => date)).size === days.length, 'must not name a date twice'),
  v.description('The days off, in the time zone of each schedule.'),
  v.examples([[{ date: '2026-12-25', name: 'Christmas Day' }]]),
)
export const holidayCalendarFields = {
  name: describe(Name(120), 'What the calendar is called.', 'Public holidays of New South Wales'),
  holidays: v.optional(Holidays),
}
export const HolidayCalendar = named(
  'HolidayCalendar',
  v.object({
    id: Id,
    name: v.string(),
    holidays: v.pipe(
      v.array(v.object({ date: v.pipe(v.string(), v.description('The date.'), v.metadata({ format: 'date' })), name: v.string() })),
      v.description('The days off.'),
    ),
    ...timestamps,
  }),
)
