import { Hono } from 'hono'
import * as v from 'valibot'
import { availabilities, holidayCalendars, timeOff } from '../../schema/index.ts'
import { isMember } from '../../src/features/members/plans/members.ts'
import { memberInPath } from '../../src/features/members/schemas/members.ts'
import { getAvailability, setAvailability } from '../../src/features/scheduling/plans/availability.ts'
import {
  createSchedule,
  deleteSchedule,
  getSchedule,
  listSchedules,
  restoreGuards,
  scheduleFilters,
  updateSchedule,
} from '../../src/features/scheduling/plans/availability-schedules.ts'
import {
  Availability,
  AvailabilityIn,
  AvailabilitySchedulePatch,
  HolidayCalendar,
  holidayCalendarFields,
  NewAvailabilitySchedule,
  NewTimeOff,
  TimeOff,
  TimeOffPatch,
} from '../../src/features/scheduling/schemas/availability.ts'
import { one, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { describe, Id } from '../../src/schemas/fields.ts'
import { SCHEDULING } from '../paths.ts'

export const availabilityRouter = new Hono<App>()
export const availabilityApi = endpoints(availabilityRouter, { path: SCHEDULING.availability, tag: 'Scheduling' })
export const schedulesRouter = new Hono<App>()
export const availabilitySchedulesApi = endpoints(schedulesRouter, { path: SCHEDULING.availabilitySchedules, tag: 'Scheduling' })
export const timeOffRouter = new Hono<App>()
export const timeOffApi = endpoints(timeOffRouter, { path: SCHEDULING.timeOff, tag: 'Scheduling' })

export const holidaysRouter = new Hono<App>()
export const holidaysApi = endpoints(holidaysRouter, { path: SCHEDULING.holidayCalendars, tag: 'Scheduling' })

availabilityApi.get(
  '',
  { id: 'getAvailability', summary: "Get the company's working hours", access: scopes('scheduling:read'), returns: one(Availability) },
  () => getAvailability(null),
)
availabilityApi.put(
  '',
  {
    id: 'setAvailability',
    summary: "Set the company's working hours",
    description: 'Replaces the hours, the time zone and the dates with other hours. They hold for every member who has set none.',
    access: scopes('scheduling:write'),
    body: AvailabilityIn,
    returns: one(Availability),
    errors: ['PRECONDITION_FAILED'],
  },
  ({ ctx, body }) => setAvailability(ctx, null, body),
)
availabilityApi.get(
  '/users/:userId',
  {
    id: 'getUserAvailability',
    summary: "Get a member's working hours",
    access: scopes('scheduling:read'),
    params: memberInPath,
    returns: one(Availability),
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getAvailability(params.userId),
)
availabilityApi.put(
  '/users/:userId',
  {
    id: 'setUserAvailability',
    summary: "Set a member's working hours",
    description:
      'Replaces the hours, the time zone and the dates with other hours of the default schedule. ' +
      'What is left out is as the company has it.',
    access: scopes('scheduling:write'),
    params: memberInPath,
    body: AvailabilityIn,
    returns: one(Availability),
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => setAvailability(ctx, params.userId, body),
)

resource(availabilitySchedulesApi, {
  name: 'availability_schedule',
  plural: 'availability_schedules',
  entity: 'availability',
  scope: 'scheduling',
  table: availabilities,
  returns: Availability,
  list: {
    description: 'Members without hours of their own have no schedule here, and work in the company’s hours.',
    filters: scheduleFilters,
    plan: listSchedules,
  },
  get: { plan: getSchedule },
  create: {
    description:
      'Further hours of a member, for the event types whose host names the schedule. The member’s default schedule is stored with the ' +
      'first one, as the company has it unless it was set.',
    body: NewAvailabilitySchedule,
    plan: createSchedule,
  },
  update: {
    description: 'Event types that use the schedule offer its times from then on. Bookings stay.',
    body: AvailabilitySchedulePatch,
    plan: updateSchedule,
  },
  remove: {
    action: 'write',
    description: 'Neither the default schedule of a member nor one that an event type uses can be deleted.',
    plan: deleteSchedule,
  },
  restore: { guards: restoreGuards },
  history: true,
})
resource(timeOffApi, {
  name: 'time_off',
  plural: 'time_off',
  param: 'time_off_id',
  scope: 'scheduling',
  table: timeOff,
  returns: TimeOff,
  references: [isMember('user_id')],
  list: { filters: { user_id: v.optional(describe(Id, 'Of this member.')) }, sorts: ['created_at', 'updated_at', 'starts_at'] },
  get: {},
  create: { description: 'Nothing can be booked with the member, or with anyone if none is sent, during this time.', body: NewTimeOff },
  update: { body: TimeOffPatch },
  remove: { action: 'write' },
  history: true,
})

resource(holidaysApi, {
  name: 'holiday_calendar',
  plural: 'holiday_calendars',
  param: 'holiday_calendar_id',
  scope: 'scheduling',
  table: holidayCalendars,
  returns: HolidayCalendar,
  list: {},
  get: {},
  create: {
    description: 'Its days are off for the schedules that refer to it, unless a schedule has other hours for the date.',
    body: v.strictObject(holidayCalendarFields),
  },
  update: { body: v.partial(v.strictObject(holidayCalendarFields)) },
  remove: { action: 'write', description: 'Schedules that refer to it have no holidays any more, or those of the company.' },
  history: true,
})
