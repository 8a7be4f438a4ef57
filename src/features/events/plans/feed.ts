import { and, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import { changes, outbox } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { signatureOf } from '../../../data/page.ts'
import { Page } from '../../../data/paged.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { compiledSelect, mapResult, oneOrThrow, type Query } from '../../../data/query.ts'
import type { About } from '../../../data/reading.ts'
import { columnNames, decodeRows } from '../../../data/rows.ts'
import { columnsFor } from '../../../data/store.ts'
import { firstIdAt, idBefore } from '../../../lib/ids.ts'
import { readableFields, unlessReadable } from '../../requests/plans/readable.ts'
import { Event, type EventQuery, MOST_READ } from '../schemas/events.ts'
import { shownEvent } from '../schemas/snapshots.ts'
import { assertPlace, cursorOf, type Place, parseCursor, validFrom } from './cursor.ts'

/** The change that the event announces; the two share an id. */
const ofChange = (column: SQL): SQL =>
  sql`(select ${column} from changes c where c.workspace_id = outbox.workspace_id and c.id = outbox.id)`
export const eventFields = columnsFor(outbox, Event, {
  version: ofChange(sql`c.version`).as('version'),
  changes: ofChange(readableFields(sql`outbox.entity`, sql`c.fields`)).mapWith(changes.fields).as('changes'),
  payload: unlessReadable(sql`outbox.entity`, sql`outbox.payload`, sql`'{}'::jsonb`).as('payload'),
})

export const getEvent = (id: string) =>
  read(mapResult(oneOrThrow(db.select(eventFields).from(outbox).where(eq(outbox.id, id)), 'event'), shownEvent))

/** Before every event. */
const BEGINNING: [string, string] = ['0', '00000000-0000-0000-0000-000000000000']
/**
 * Longer than any transaction, in milliseconds: how long an event's id can be after its time, which is the beginning of its transaction.
 */
const LONGEST_MS = 60_000

/** Where the events are read from: the order, the place to continue from, and the conditions that the index of this order finds rows by. */
type Reading = { ascending: boolean; from: SQL | undefined }

/**
 * In ascending order, the events below the oldest open transaction: all later ones come after them. From a time: behind the last event
 * that was written before, since every transaction that began later has a later position.
 */
function readingUp({ from }: EventQuery, place: Place | undefined): Reading {
  const closed = sql`${outbox.xid} < pg_snapshot_xmin(pg_current_snapshot())`
  const start =
    from === undefined
      ? undefined
      : sql`${outbox.xid} > coalesce((select o.xid from ${outbox} o where o.id < ${firstIdAt(from)} order by o.id desc limit 1), '0')`
  // From subselects, because the planner would take the events of one large transaction for few, and sort all events instead of reading
  // them in order.
  const behind = place ? sql`(${outbox.xid}, ${outbox.id}) > ((select ${place.xid}::xid8), (select ${place.id}::uuid))` : start
  return { ascending: true, from: and(closed, behind) }
}

function readingDown({ entity_id, request_id, type, from, to }: EventQuery, place: Place | undefined): Reading {
  const [only, ...others] = type ?? []
  const indexed =
    entity_id !== undefined
      ? eq(outbox.entity_id, entity_id)
      : request_id !== undefined
        ? eq(outbox.request_id, request_id)
        : only !== undefined && others.length === 0
          ? eq(outbox.type, only)
          : undefined
  const last = place ? place.id : to === undefined ? undefined : idBefore(firstIdAt(to), -LONGEST_MS)
  return {
    ascending: false,
    from: and(
      indexed,
      last === undefined ? undefined : lt(outbox.id, last),
      from === undefined ? undefined : gte(outbox.id, firstIdAt(from)),
    ),
  }
}

/** The conditions of the query, checked event by event. */
function matching({ type, entity, entity_id, request_id, from, to }: EventQuery): SQL | undefined {
  return and(
    type && sql`${outbox.type} = any(${`{${type.join(',')}}`}::text[])`,
    entity === undefined ? undefined : eq(outbox.entity, entity),
    entity_id === undefined ? undefined : eq(outbox.entity_id, entity_id),
    request_id === undefined ? undefined : eq(outbox.request_id, request_id),
    from === undefined ? undefined : gte(outbox.at, from),
    to === undefined ? undefined : lt(outbox.at, to),
  )
}

const { fields: columns, head } = compiledSelect(db.select({ ...eventFields, _xid: sql`outbox.xid::text`.as('_xid') }).from(outbox))
const names = sql.raw(columnNames(columns.length))
const fields = columns.slice(0, -1)

/**
 * The events of a page, one more than it shows, and how far it has read. Looks up the changes of a page at once: their ids are adjacent.
 */
function rowsOf({ ascending, from }: Reading, filter: SQL | undefined, limit: number, most: number, newest: SQL): SQL {
  const order = sql.raw(ascending ? 'order by xid, id' : 'order by id desc')
  const back = sql.raw(ascending ? 'order by xid desc, id desc' : 'order by id')
  // A full page has read no further than its events, so what else was scanned is not counted.
  const full = sql`(select count(*) > ${limit}::int from outbox)`
  return sql`with scanned as materialized (select * from outbox where ${from ?? sql`true`} ${order} limit ${most}),
    outbox as materialized (select * from scanned as outbox where ${filter ?? sql`true`} ${order} limit ${limit + 1}),
    changes as materialized (select workspace_id, id, fields, version from changes where id = any(array(select id from outbox)))
    select (select coalesce(json_agg(json_build_array(${names})), '[]') from (${head} ${order}) as events(${names})),
      case when not ${full} then (select count(*)::int from scanned) end,
      case when not ${full} then (select json_build_array(xid::text, id) from scanned ${back} limit 1) end, current_workspace(),
      ${newest}, (extract(epoch from now()) * 1000)::bigint`
}

/** A page of events, and in ascending order where it ends, and the cursor behind each of its events. */
export class FeedPage extends Page<Event> {
  readonly end: Place
  readonly #positions: string[]
  readonly #now: number

  constructor(items: Event[], limit: number, end: Place, positions: string[], now: number, next: string | null, about: About) {
    super(items, limit, next, about)
    this.end = end
    this.#positions = positions
    this.#now = now
  }

  /** Whether there is something to return, or more to read at once. */
  get isAnswer(): boolean {
    return this.items.length > 0 || this.about.has_more === true
  }

  cursorBehind(index: number): string {
    const { id } = this.items[index] as Event
    return cursorOf({ ...this.end, at: validFrom(id, this.#now), xid: this.#positions[index] as string, id })
  }
}

type Position = [xid: string, id: string]
type Found = [
  events: unknown[][],
  scanned: number | null,
  last: Position | null,
  workspace_id: string,
  newest: Position | null,
  now: number,
]

/**
 * The position of the last event that can be read, at which the feed begins for who has no cursor yet. Cursors have positions of events
 * only: the number of a transaction that has written nothing may be given again after a crash of the database.
 */
const newestOf = sql`(select json_build_array(o.xid::text, o.id) from public.outbox o where o.xid < pg_snapshot_xmin(pg_current_snapshot())
  order by o.xid desc, o.id desc limit 1)`

/**
 * Lists events in either order. A page reads at most MOST_READ events, and its cursor is then behind the last of them. In ascending order
 * every page has a cursor: at the end of the feed it is behind the last event, and valid from now on, so it does not expire while nothing
 * happens.
 */
export function listEvents({ now }: Pick<Ctx, 'now'>, query: EventQuery): Plan<FeedPage> {
  const { limit, after, order } = query
  const ascending = order === 'asc'
  const list = ascending ? 'event-feed' : signatureOf('events', query)
  const latest = ascending && after === 'latest'
  const place = after === undefined || latest ? undefined : parseCursor(after, list)
  const filter = matching(query)
  const most = latest ? 0 : filter ? MOST_READ : limit + 1
  const result: Query<FeedPage> = {
    query: rowsOf((ascending ? readingUp : readingDown)(query, place), filter, limit, most, place ? sql`null` : newestOf),
    fields: [],
    hidden: 6,
    kept: true,
    decode(_, [row]) {
      const [events, scanned, last, workspace_id, newest, now] = row as Found
      const shown = events.slice(0, limit)
      const items = (decodeRows(fields, shown) as Event[]).map(shownEvent)
      const hasMore = events.length > limit || (most > 0 && scanned === most)
      const full = events.length > limit ? [shown.at(-1)?.at(-1), items.at(-1)?.id] : last
      const [xid, id] = (full as Position | null) ?? (place ? [place.xid, place.id] : (newest ?? BEGINNING))
      const end = { list, workspace_id, at: hasMore ? validFrom(id, now) : now, xid, id }
      const positions = shown.map((row) => row.at(-1) as string)
      const next = hasMore || ascending ? cursorOf(end) : null
      return new FeedPage(items, limit, end, positions, now, next, ascending ? { has_more: hasMore } : {})
    },
  }
  return plan(place ? assertPlace(place, now) : [], result)
}
