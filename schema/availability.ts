import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { type DateOverride, DEFAULT_SCHEDULE, type Holiday, type WeeklyHours } from '../src/features/scheduling/rules/limits.ts'
import { identity, instant, normalised, reference, timestamps } from './columns.ts'
import { memberships } from './workspaces.ts'

/** Days off that several schedules share, such as the public holidays of a state. */
export const holidayCalendars = pgTable(
  'holiday_calendars',
  {
    ...identity,
    name: text().notNull(),
    holidays: jsonb().$type<Holiday[]>().notNull().default([]),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('holiday_calendars_by_created').on(t.workspace_id, t.created_at, t.id),
    index('holiday_calendars_by_updated').on(t.workspace_id, t.updated_at, t.id),
  ],
)

/**
 * Availability schedules: the hours of the company, whose id is that of the workspace, and those of members, who may have several. The
 * default one of a member has the id of the user unless another one was made the default.
 */
export const availabilities = pgTable(
  'availabilities',
  {
    ...identity,
    user_id: uuid(),
    name: text().notNull().default(DEFAULT_SCHEDULE),
    name_norm: normalised().notNull().generatedAlwaysAs(sql`norm(name)`),
    /** Whether event types use it that name no schedule of the member. */
    is_default: boolean().notNull().default(true),
    /** Null for the time zone of the company, or of the workspace. */
    timezone: text(),
    /** Null for the company's hours. */
    weekly_hours: jsonb().$type<WeeklyHours>(),
    date_overrides: jsonb().$type<DateOverride[]>().notNull().default([]),
    /** The most bookings of the member on a day of the time zone of their default schedule. */
    max_per_day: integer(),
    /** Null for the company's. */
    holiday_calendar_id: uuid(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('availabilities_name_key').on(t.workspace_id, t.user_id, t.name_norm),
    uniqueIndex('availabilities_one_default').on(t.workspace_id, t.user_id).where(sql`is_default`),
    index('availabilities_by_created').on(t.workspace_id, t.created_at, t.id),
    index('availabilities_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('availabilities_by_user').on(t.workspace_id, t.user_id, t.created_at, t.id),
    index('availabilities_by_holiday_calendar').on(t.workspace_id, t.holiday_calendar_id),
    reference(t.user_id, memberships, 'cascade'),
    reference(t.holiday_calendar_id, holidayCalendars, 'set null'),
  ],
)

/** Absences of a member, or of the whole company. */
export const timeOff = pgTable(
  'time_off',
  {
    ...identity,
    user_id: uuid(),
    starts_at: instant().notNull(),
    ends_at: instant().notNull(),
    reason: text(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('time_off_by_created').on(t.workspace_id, t.created_at, t.id),
    index('time_off_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('time_off_by_start').on(t.workspace_id, t.starts_at, t.id),
    index('time_off_by_user').on(t.workspace_id, t.user_id, t.ends_at, t.id),
    check('time_off_range', sql`starts_at < ends_at and ends_at <= starts_at + interval '366 days'`),
    reference(t.user_id, memberships, 'cascade'),
  ],
)
