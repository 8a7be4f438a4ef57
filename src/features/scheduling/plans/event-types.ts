import { eq, getTableColumns, sql } from 'drizzle-orm'
import { pipelines, scheduledEventTypes } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { eachOf, type Reference, refersTo, thereIs } from '../../../data/bulk.ts'
import { db, writing } from '../../../data/db.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { columnsFor, lockForUpdate, store } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { slugOf } from '../rules/hours.ts'
import type { EventHost } from '../rules/limits.ts'
import { type EventTypePatch, type NewEventType, ScheduledEventType } from '../schemas/event-types.ts'
import { assertChallenge } from './page-challenges.ts'

/** Every new host is a current member. Hosts that the event type has already stay, also after their removal from the workspace. */
const HOSTS = eachOf(
  'hosts',
  'user_id',
  sql`not ${thereIs(sql`memberships m where m.user_id = (e ->> 'user_id')::uuid and m.status <> 'removed'`)}
    and not exists (select from scheduled_event_types t
      where t.id = r.id and t.hosts @> jsonb_build_array(jsonb_build_object('user_id', e ->> 'user_id')))`,
  'No such member in this workspace',
)
/** A schedule that is named is one of the host. The lock makes its deletion wait, which then finds the event type. */
const SCHEDULES = eachOf(
  'hosts',
  'availability_schedule_id',
  sql`e ->> 'availability_schedule_id' is not null and not ${thereIs(sql`availabilities a
    where a.id = (e ->> 'availability_schedule_id')::uuid and a.user_id = (e ->> 'user_id')::uuid for key share`)}`,
  'is not an availability schedule of this host',
)
export const eventTypeReferences: Reference[] = [refersTo('pipeline_id', pipelines), HOSTS, SCHEDULES]
const eventTypes = store(
  scheduledEventTypes,
  'scheduled event type',
  db.select(columnsFor(scheduledEventTypes, ScheduledEventType)).from(scheduledEventTypes),
  { references: eventTypeReferences },
)

export function createEventType(ctx: Ctx, input: NewEventType): Plan<ScheduledEventType> {
  assertChallenge(ctx, input)
  const id = newId()
  const slug = input.slug ?? (slugOf(input.name) || `event-${id.slice(-12)}`)
  return eventTypes.create(id, { ...input, slug })
}

export function updateEventType(ctx: Ctx, id: string, patch: EventTypePatch): Plan<ScheduledEventType> {
  assertChallenge(ctx, patch)
  return eventTypes.update(ctx, id, patch)
}

/** Copies an event type under another name. The copy has no bookings and its own round robin. */
export function duplicateEventType(id: string, name: string): Plan<ScheduledEventType> {
  const copy = newId()
  const slug = slugOf(name) || `event-${copy.slice(-12)}`
  const { workspace_id: _w, id: _i, name_norm: _n, version: _v, created_at: _c, updated_at: _u, ...copied } = columnsOf()
  const others = sql.raw(
    Object.keys(copied)
      .filter((column) => column !== 'name' && column !== 'slug')
      .join(', '),
  )
  return plan(
    [
      sql`select assert_exists(exists (select from scheduled_event_types where id = ${id}), 'scheduled event type', ${id}::uuid)`,
      writing(
        scheduledEventTypes,
        [{ id: copy, name, slug }],
        sql`insert into scheduled_event_types (id, name, slug, ${others}) select ${copy}::uuid, ${name}, ${slug}, ${others}
          from scheduled_event_types where id = ${id}`,
      ),
    ],
    eventTypes.record(copy),
  )
}

const columnsOf = (): Record<string, unknown> => getTableColumns(scheduledEventTypes)

export const setActive = (ctx: Ctx, id: string, isActive: boolean): Plan<ScheduledEventType> =>
  plan(
    [
      lockForUpdate(ctx, scheduledEventTypes, id, 'scheduled event type'),
      db.update(scheduledEventTypes).set({ is_active: isActive }).where(eq(scheduledEventTypes.id, id)),
    ],
    eventTypes.record(id),
  )

export const setHosts = (ctx: Ctx, id: string, hosts: EventHost[]): Plan<ScheduledEventType> => eventTypes.update(ctx, id, { hosts })
