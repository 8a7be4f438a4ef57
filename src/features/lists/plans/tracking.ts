import { type SQL, sql } from 'drizzle-orm'
import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import { type Found, relatedTo } from '../../../data/filter-links.ts'
import { asksAbout, compileFilter } from '../../../data/filters.ts'
import { leadsTo, type StoredList } from '../../../domain/filters/lists.ts'
import { dependsOnClock, needsPlace, placeDays } from '../../../domain/filters/local-days.ts'
import { pathsIn } from '../../../domain/filters/relations.ts'
import type { Filter } from '../../../domain/filters/types.ts'
import { AppError } from '../../../errors.ts'
import { SEARCHED } from '../../search/plans/record-search.ts'
import { hasLostEnds, type Touch, type Touched, type TrackedEvent, touchedBy } from '../rules/list-tracking.ts'
import { CLOCK_MINUTES, MAX_LIST_DEPTH, MAX_TRACKED_LISTS, MAX_TRACKED_MEMBERS } from '../rules/lists.ts'
import { membersOf } from './list-filters.ts'

/** Events in a batch, and records of a walk that are evaluated together. */
const MAX_EVENTS = 500
const WALKED = 2000
/** Beyond so many records that may have changed, all records of the list's object are evaluated. */
const MAX_AFFECTED = 2000
/** The most lists that are read with the tracked ones: those that they name. */
const MOST_LISTS = MAX_TRACKED_LISTS * 25

/** What is to be evaluated next (list_tracking_batch). */
export type Batch = {
  from: object
  to: object | null
  /** The number of events read; fewer than MAX_EVENTS at the end of the feed. */
  count: number
  events: TrackedEvent[]
  touches: Touch[]
  zone: string
  lists: StoredList[] | null
  tracked: { id: string; walk_from: string | null }[]
}

export const nextBatch = (workspaceId: string): Statement =>
  call('list_tracking_batch', workspaceId, MAX_EVENTS, MAX_LIST_DEPTH + 1, MOST_LISTS)

export const endBatch = (workspaceId: string, { from, to, touches }: Batch): Statement =>
  call('end_list_tracking_batch', workspaceId, JSON.stringify(from), to && JSON.stringify(to), `{${touches.map(({ id }) => id).join(',')}}`)

export const hasMore = ({ count, touches, tracked }: Batch): boolean =>
  count === MAX_EVENTS || touches.length === MAX_EVENTS || tracked.some(({ walk_from }) => walk_from !== null)

/** A transaction for each tracked list whose members the batch may change, or the error for which it cannot be evaluated. */
export type Evaluation = { list: string; statements: Statement[] } | { list: string; error: string }

export function evaluate(workspaceId: string, batch: Batch, now: Date): Evaluation[] {
  const touched = touchedBy(batch.events, batch.touches)
  return batch.tracked.flatMap(({ id, walk_from }): Evaluation[] => {
    try {
      const statements = statementsOf(batch, touched, id, walk_from, now)
      return statements.length > 0 ? [{ list: id, statements: [lock(workspaceId, id), ...statements] }] : []
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return [{ list: id, error: reasonOf(error) }]
    }
  })
}

/** Why the filter of a list is refused. */
export const reasonOf = ({ message, details }: AppError): string =>
  (details as { issues?: { message: string }[] } | undefined)?.issues?.[0]?.message ?? message

const lock = (workspaceId: string, list: string): Statement => call('lock_tracked_list', workspaceId, list)

export const stopTracking = (workspaceId: string, list: string, error: string): Statement =>
  call('stop_list_tracking', workspaceId, list, error)

function statementsOf(batch: Batch, touched: Touched, id: string, walkFrom: string | null, now: Date): Statement[] {
  const { lists, zone, events } = batch
  const known = lists ?? []
  const list = known.find((one) => one.id === id)
  if (!list) return []
  const { object } = list
  const stored = membersOf(list, known)
  const paths = pathsIn(object, stored)
  const again = events.filter(
    (event) =>
      event.entity === 'workspace' ||
      (event.entity === 'list' && (event.entity_id === id || leadsTo(list, event.entity_id, known))) ||
      (hasLostEnds(event) && paths.length > 0),
  )
  const filter = needsPlace(object, stored) ? placeDays(object, stored, { now, zone }) : stored
  const among = members(list, filter)
  const affected = affectedBy(touched, object, paths)
  const changes: Statement[] = [
    ...(affected ? [change(id, affected, touched.origins, among)] : []),
    ...(walkFrom === null ? [] : [walk(list, walkFrom, among, dependsOnClock(object, stored))]),
    ...again.slice(-1).map(({ origin }) => beginWalk(id, origin)),
  ]
  return changes.length > 0 ? [...compileFilter(object, filter).guards, ...changes] : []
}

/** The members among some records, as an array. Archived records are members only of a list whose filter mentions `archived`. */
const members =
  ({ object }: StoredList, filter: Filter) =>
  (ids: SQL): SQL => {
    const { table } = SEARCHED[object]
    const { where } = compileFilter(object, filter)
    const active = asksAbout(filter, 'archived') ? sql`` : sql` and not ${table.archived}`
    return sql`array(select ${table.id} from ${table} where ${table.id} = any(${ids})${active} and ${where})`
  }

/** The records of the object that the changes may make members or not: themselves, and through the relations of the filter. */
function affectedBy({ ids }: Touched, object: StoredList['object'], paths: ReturnType<typeof pathsIn>): Found | undefined {
  const of = (touched: Map<string, number>): Found =>
    sql`select id, n
      from unnest(${`{${[...touched.keys()].join(',')}}`}::uuid[], ${`{${[...touched.values()].join(',')}}`}::int[]) t(id, n)`
  const direct = ids[object].size > 0 ? [of(ids[object])] : []
  const through = paths.flatMap((path) => {
    const end = ids[path.at(-1)?.to ?? object]
    return end.size > 0 ? [path.reduceRight((found, step) => relatedTo(step.object, step.relation, step.to, found), of(end))] : []
  })
  return direct.length + through.length > 0 ? sql.join([...direct, ...through], sql` union all `) : undefined
}

function change(list: string, affected: Found, origins: string[], among: (ids: SQL) => SQL): Statement {
  const ids = sql`array(select id from affected order by n, id)`
  const originOf = sql`array(select (array(select jsonb_array_elements_text(${JSON.stringify(origins)}::jsonb)))[n]
    from affected order by n, id)`
  return sql`with affected as materialized (
      select id, max(n) as n from (${affected}) found group by id limit ${MAX_AFFECTED + 1}::int)
    select case when (select count(*) from affected) > ${MAX_AFFECTED}::int then begin_list_walk(${list}::uuid, ${origins.at(-1)}::text)
      else save_list_members(${list}::uuid, ${ids}, ${among(ids)}, ${originOf}, ${MAX_TRACKED_MEMBERS}::int) end`
}

const beginWalk = (list: string, origin: string): Statement => call('begin_list_walk', list, origin)

/** Evaluates the next records after `from`. */
function walk({ id, object }: StoredList, from: string, among: (ids: SQL) => SQL, repeats: boolean): Statement {
  const { table } = SEARCHED[object]
  const ids = sql`array(select id from part)`
  return sql`with part as materialized (select ${table.id} as id from ${table} where ${table.id} > ${from}::uuid
    order by ${table.id} limit ${WALKED}::int)
    select save_list_walk(${id}::uuid, ${from}::uuid,
      case when (select count(*) from part) = ${WALKED}::int then (select id from part order by id desc limit 1) end,
      ${ids}, ${among(ids)}, ${MAX_TRACKED_MEMBERS}::int, ${repeats ? CLOCK_MINUTES : null}::int)`
}
