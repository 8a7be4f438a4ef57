import { type SQL, sql } from 'drizzle-orm'
import { availabilities } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { assertField, mapResult, plainRows, type Query } from '../../../data/query.ts'
import { isoInstant } from '../../../lib/instants.ts'
import { DEFAULT_SCHEDULE } from '../rules/limits.ts'
import type { Availability, AvailabilityIn } from '../schemas/availability.ts'

const NAMES = [
  'id',
  'user_id',
  'name',
  'is_default',
  'timezone',
  'weekly_hours',
  'date_overrides',
  'max_per_day',
  'holiday_calendar_id',
  'version',
  'created_at',
  'updated_at',
]

/** The id of the company's hours, or of the default schedule of a member; one that is not stored yet has the id of the user. */
const idOf = (userId: string | null): SQL =>
  userId === null
    ? sql`current_workspace()`
    : sql`coalesce((select d.id from availabilities d where d.user_id = ${userId} and d.is_default), ${userId}::uuid)`

/** The hours that are set, or the ones that hold without: of the company, or of a member's default schedule. */
function availabilityOf(userId: string | null): Query<Availability> {
  const id = idOf(userId)
  const rows = plainRows<Availability>(
    sql`select ${id}, ${userId}::uuid, coalesce(a.name, ${DEFAULT_SCHEDULE}), true, a.timezone, a.weekly_hours,
      coalesce(a.date_overrides, '[]'), a.max_per_day, a.holiday_calendar_id, coalesce(a.version, 0),
      iso(coalesce(a.created_at, w.created_at)), iso(coalesce(a.updated_at, w.created_at))
      from workspaces w left join availabilities a on a.id = ${id}`,
    NAMES,
  )
  return mapResult(rows, ([row]) => {
    const found = row as Availability
    return { ...found, created_at: isoInstant(found.created_at), updated_at: isoInstant(found.updated_at) }
  })
}

/** The default schedule of a member changes for one request at a time. */
export const lockSchedules = (userId: SQL): Statement => sql`select 1 from memberships where user_id = ${userId} for no key update`

const memberExists = (userId: string): Statement =>
  sql`select assert_exists(exists (select from memberships where user_id = ${userId} and status <> 'removed'), 'member', ${userId}::uuid)`

const calendarExists = (id: string): Statement =>
  assertField(
    sql`exists (select from holiday_calendars where id = ${id})`,
    'holiday_calendar_id',
    'holiday_calendar_id does not exist in this workspace',
  )

export const getAvailability = (userId: string | null): Plan<Availability> =>
  plan([userId !== null && memberExists(userId)], availabilityOf(userId))

/** Replaces the hours. Fields that are left out return to their defaults. Hours that were never set have the version 0. */
export function setAvailability({ ifMatch }: Pick<Ctx, 'ifMatch'>, userId: string | null, input: AvailabilityIn): Plan<Availability> {
  const { timezone = null, weekly_hours = null, date_overrides, max_per_day = null, holiday_calendar_id = null } = input
  const values = { timezone, weekly_hours, date_overrides, max_per_day, holiday_calendar_id } as Partial<typeof availabilities.$inferInsert>
  const id = idOf(userId)
  return plan(
    [
      userId !== null && memberExists(userId),
      userId !== null && lockSchedules(sql`${userId}`),
      ifMatch !== undefined &&
        sql`select assert_version(coalesce((select version from availabilities where id = ${id} for update), 0),
          ${ifMatch}::int, 'availability')`,
      holiday_calendar_id !== null && calendarExists(holiday_calendar_id),
      db
        .insert(availabilities)
        .values({ ...values, id, user_id: userId })
        .onConflictDoUpdate({ target: [availabilities.workspace_id, availabilities.id], set: values }),
    ],
    availabilityOf(userId),
  )
}
