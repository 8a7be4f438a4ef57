import { type SQL, sql } from 'drizzle-orm'
import type { FireSettings } from '../../../../schema/schedules.ts'
import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import type { StoredList } from '../../../domain/filters/lists.ts'
import { MAX_LIST_DEPTH, MAX_NAMED_LISTS } from '../../lists/rules/lists.ts'
import { nextLocalTime } from '../rules/cron/fires.ts'
import { MAX_BATCH } from '../rules/limits.ts'
import { type Audience, audienceOf, nextPart } from './audience.ts'

/** A fire that has not ended (load_schedule_run). */
export type Fire = {
  id: string
  fired_at: string
  settings: FireSettings
  last_id: string | null
  audience_size: number
  lists: StoredList[]
}
/** The instants in ISO 8601 at which the time of delivery comes next, by zone. */
export type Deliveries = Record<string, string>

export const loadFire = (workspaceId: string, id: string): Statement =>
  call('load_schedule_run', workspaceId, id, MAX_LIST_DEPTH, MAX_NAMED_LISTS)

/** Ends a fire with an error. */
export const failFire = (workspaceId: string, id: string, code: string, message: string): Statement =>
  call('fail_schedule_run', workspaceId, id, code, message)

/** The audience of a fire. @throws VALIDATION_ERROR when its filter can no longer be used, such as after a list was deleted. */
export const audienceOfFire = ({ settings, fired_at, lists }: Fire): Audience => audienceOf(settings, new Date(fired_at), lists)

/** The zones of the records in the next part of an audience. */
export function zonesOfPart(workspaceId: string, fire: Fire, audience: Audience): Statement[] {
  const { walked, found } = partOf(fire, audience)
  return [
    lock(workspaceId, fire),
    ...audience.guards,
    sql`with walked as materialized (${walked}), found as materialized (${found})
      select coalesce(json_agg(distinct zone) filter (where zone is not null), '[]') from found`,
  ]
}

/** When the time of delivery comes next in each zone, from the fire on. A record without a zone has that of the schedule. */
export function deliveriesIn({ settings: { deliver_at_local: time, timezone }, fired_at }: Fire, zones: string[]): Deliveries {
  if (time === null) return {}
  const at = (zone: string) => new Date(nextLocalTime(zone, time, Date.parse(fired_at))).toISOString()
  return Object.fromEntries([...zones, timezone].map((zone) => [zone, at(zone)]))
}

/**
 * One transaction that starts the runs of the next part of an audience: a statement that locks the fire, the guards of the filter, and one
 * statement that reads the part and starts its runs. The last result is the last record that was read, or null at the end.
 */
export function startPart(workspaceId: string, fire: Fire, audience: Audience, deliveries: Deliveries): Statement[] {
  const { walked, found, next } = partOf(fire, audience)
  const row = sql`jsonb_build_object('dedupe_key', ${`${fire.id}:`}::text || id, 'record_id', id, 'contact_id', contact_id,
    'opportunity_id', opportunity_id, 'trigger_data', data, 'due_at', ${dueAt(fire, deliveries)})`
  return [
    lock(workspaceId, fire),
    ...audience.guards,
    sql`with walked as materialized (${walked}), found as materialized (${found})
      select save_schedule_part(${fire.id}::uuid, (select coalesce(jsonb_agg(${row} order by id), '[]') from found), ${
        isLast(fire, audience) ? sql`case when (select count(*) from found) < ${mostOf(fire, audience)}::int then (${next}) end` : next
      })`,
  ]
}

const lock = (workspaceId: string, { id, last_id }: Fire): Statement => call('lock_schedule_run', workspaceId, id, last_id)

const leftOf = ({ audience_size }: Fire, { limit }: Audience) => limit - audience_size
const mostOf = (fire: Fire, audience: Audience) => Math.min(leftOf(fire, audience), MAX_BATCH)
/** Whether the limit of the audience ends with this part. */
const isLast = (fire: Fire, audience: Audience) => leftOf(fire, audience) <= MAX_BATCH

const partOf = (fire: Fire, audience: Audience) => nextPart(audience, fire.settings.audience_type, fire.last_id, mostOf(fire, audience))

/** When the run of a row begins: at its local time of delivery, and as much later as its id says, so that runs are spread evenly. */
function dueAt({ settings: { spread_minutes, deliver_at_local, timezone }, fired_at }: Fire, deliveries: Deliveries): SQL {
  if (deliver_at_local === null && spread_minutes === 0) return sql`null::timestamptz`
  const local = sql`${JSON.stringify(deliveries)}::jsonb`
  const base =
    deliver_at_local === null ? sql`${fired_at}::timestamptz` : sql`coalesce(${local} ->> zone, ${local} ->> ${timezone})::timestamptz`
  return sql`${base} + make_interval(secs => abs(hashtext(id::text)::bigint) % ${Math.max(spread_minutes * 60, 1)}::bigint)`
}
