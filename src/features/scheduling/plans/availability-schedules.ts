import { and, eq, isNotNull, sql } from 'drizzle-orm'
import * as v from 'valibot'
import { availabilities, holidayCalendars } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { assertNone } from '../../../data/blockers.ts'
import { refersTo } from '../../../data/bulk.ts'
import { db, type Statement } from '../../../data/db.ts'
import { listFilters, sortKeys } from '../../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import type { Page } from '../../../data/paged.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { assert, assertField, compiledSelect, constant, oneOrThrow } from '../../../data/query.ts'
import { assertSent, columnsFor, insertRow, updateRows } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { describe, Id } from '../../../schemas/fields.ts'
import { assertMember } from '../../members/plans/members.ts'
import { MOST_SCHEDULES } from '../rules/limits.ts'
import { Availability, type AvailabilitySchedulePatch, type NewAvailabilitySchedule } from '../schemas/availability.ts'
import { lockSchedules } from './availability.ts'

const WHAT = 'availability schedule'
const REFERENCES = [refersTo('holiday_calendar_id', holidayCalendars)]
const columns = columnsFor(availabilities, Availability)
const select = (keys: Keys) => db.select({ ...columns, ...keys }).from(availabilities)
const records = compiledSelect(db.select(columns).from(availabilities))
/** The hours of the company are not the schedule of a member. */
const OF_MEMBERS = isNotNull(availabilities.user_id)
const scheduleOf = (id: string) => oneOrThrow(records.where(and(eq(availabilities.id, id), OF_MEMBERS)), WHAT, id)

export const scheduleFilters = { user_id: v.optional(describe(Id, 'Of this member.')) }

export const getSchedule = (id: string): Plan<Availability> => read(scheduleOf(id))

export function listSchedules(query: Record<string, unknown>): Plan<Page<Availability>> {
  const { where, filter } = listFilters(availabilities, scheduleFilters, query)
  return read(
    page({
      select,
      id: availabilities.id,
      where: [...where, OF_MEMBERS],
      filter,
      sorts: sortKeys(availabilities, ['created_at', 'updated_at']),
      name: 'availability_schedules',
      query: query as PageQuery,
    }),
  )
}

const ownerOf = (id: string) => sql`(select s.user_id from availabilities s where s.id = ${id})`

const lockSchedule = ({ ifMatch }: Ctx, id: string): Statement =>
  sql`select assert_record((select version from availabilities where id = ${id} and user_id is not null for update),
    ${ifMatch ?? null}::int, ${WHAT}, ${id}::uuid)`

/** Takes the mark from the default schedule of the member whose schedule this is to be. */
const clearDefault = (userId: ReturnType<typeof ownerOf>, id: string): Statement =>
  db.update(availabilities).set({ is_default: false }).where(sql`user_id = ${userId} and is_default and id <> ${id}`)

/** Stores the default schedule of a member who has none; its hours are the company's. */
const storeDefault = (userId: string): Statement =>
  sql`insert into availabilities (id, user_id) select ${userId}::uuid, ${userId}::uuid
    where not exists (select from availabilities where user_id = ${userId} and is_default)`

const most = sql.raw(String(MOST_SCHEDULES))
const assertBound = (userId: ReturnType<typeof ownerOf>): Statement =>
  assert(
    sql`(select count(*) from availabilities where user_id = ${userId}) <= ${most}`,
    'CONFLICT',
    `A member has at most ${MOST_SCHEDULES} availability schedules: delete one first`,
  )

export function createSchedule(_ctx: Ctx, input: NewAvailabilitySchedule): Plan<Availability> {
  const id = newId()
  const userId = sql`${input.user_id}::uuid`
  return plan(
    [
      assertMember(input.user_id, 'user_id'),
      assertSent(availabilities, { ...input, id }, REFERENCES),
      lockSchedules(userId),
      input.is_default ? clearDefault(userId, id) : storeDefault(input.user_id),
      insertRow(availabilities, { ...input, id }),
      assertBound(userId),
    ],
    scheduleOf(id),
  )
}

export function updateSchedule(ctx: Ctx, id: string, patch: AvailabilitySchedulePatch): Plan<Availability> {
  const { is_default } = patch
  return plan(
    [
      is_default && lockSchedules(ownerOf(id)),
      lockSchedule(ctx, id),
      assertSent(availabilities, { ...patch, id }, REFERENCES),
      is_default === false &&
        assertField(
          sql`not exists (select from availabilities where id = ${id} and is_default)`,
          'is_default',
          'A member has a default schedule: make another one the default instead',
        ),
      is_default && clearDefault(ownerOf(id), id),
      updateRows(availabilities, patch, eq(availabilities.id, id), { id }),
    ],
    scheduleOf(id),
  )
}

export const deleteSchedule = (ctx: Ctx, id: string): Plan<{ id: string; deleted: true }> =>
  plan(
    [
      lockSchedule(ctx, id),
      assert(
        sql`not exists (select from availabilities where id = ${id} and is_default)`,
        'CONFLICT',
        'It is the default schedule of the member: make another one the default first',
      ),
      assertNone(
        sql`select t.id from event_types_with_schedule(${id}::uuid) t(id)`,
        'scheduled_event_types',
        'Event types use it: have their hosts use another availability schedule first',
      ),
      db.delete(availabilities).where(eq(availabilities.id, id)),
    ],
    constant({ id, deleted: true as const }),
  )

/** A schedule that comes back counts again. */
export const restoreGuards = (id: string): Statement[] => [assertBound(ownerOf(id))]
