import { sql } from 'drizzle-orm'
import { check, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { DateOverride, Holiday, WeeklyHours } from '../src/features/scheduling/rules/limits.ts'
import { identity, instant, reference, timestamps } from './columns.ts'
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

/** Working hours: those of the company, whose id is that of the workspace, and of members, whose id is that of the user. */
export const availabilities = pgTable(
  'availabilities',
  {
    ...identity,
    user_id: uuid(),
    /** Null for the time zone of the company, or of the workspace. */
    timezone: text(),
    /** Null for the company's hours. */
    weekly_hours: jsonb().$type<WeeklyHours>(),
    date_overrides: jsonb().$type<DateOverride[]>().notNull().default([]),
    /** The most bookings of the member on a day of their own time zone. */
    max_per_day: integer(),
    /** Null for the company's. */
    holiday_calendar_id: uuid(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
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
