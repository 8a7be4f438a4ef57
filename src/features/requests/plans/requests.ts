import { and, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type * as v from 'valibot'
import { changes, requests } from '../../../../schema/index.ts'
import { db } from '../../../data/db.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { plan, read } from '../../../data/plan.ts'
import { assert, type CompiledSelect, compiledSelect, oneOrThrow, type PageSource, type Select, typed } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { firstIdAt, idBefore } from '../../../lib/ids.ts'
import { Change } from '../../../schemas/common.ts'
import { RequestLogEntry, type RequestQuery, RequestReport, WALK } from '../schemas/requests.ts'
import { readableFields } from './readable.ts'

/** The most changes and events in a report. */
const MAX_SHOWN = 100

const list = (object: SQL, from: SQL): SQL =>
  sql`(select coalesce(json_agg(${object} order by t.id), '[]')
    from (select * from ${from} where t.request_id = requests.id::text order by t.id limit ${sql.raw(String(MAX_SHOWN))}) t)`

const changed = list(
  sql`json_build_object('id', t.id, 'entity', t.entity, 'entity_id', t.entity_id, 'action', t.action, 'version', t.version,
    'fields', ${readableFields(sql`t.entity`, sql`t.fields`)})`,
  sql`changes t`,
)
const emitted = list(
  sql`json_build_object('id', t.id, 'type', t.type, 'entity', t.entity, 'entity_id', t.entity_id,
    'state', case when not t.needs_delivery then 'recorded'
    when t.delivered_at is not null then 'delivered' when t.attempts < max_delivery_attempts() then 'waiting' else 'failed' end,
    'delivered_at', iso(t.delivered_at))`,
  sql`outbox t`,
)
const approval = sql`(select json_build_object('id', a.id,
  'part', case requests.outcome when 'held' then 'held' when 'replayed' then 'held' else 'run' end, 'status', a.status)
  from approvals a where a.id = requests.approval_id)`

/** A message may quote values of the request: it is for its own key, and for those who may read such records. */
const errorMessage = sql`case when requests.error_message is null or requests.key_id = (select current_key_id())
  or (select has_scopes('{*:read}'))
  or has_scopes(coalesce(requests.error_scopes, '{*:read}')) then requests.error_message end`
const error = { error_message: errorMessage.as('error_message') }

const report = columnsFor(requests, RequestReport, {
  ...error,
  changes: changed.mapWith(changes.fields).as('changes'),
  events: emitted.as('events'),
  approval: approval.as('approval'),
})

/** Milliseconds within which requests can share a row: see record_requests. */
const SHARED_MS = 5000

/** The requests of the rows, one row each, with the table's name and columns. */
const each = (
  rows: SQL,
): SQL => sql`select r.workspace_id, e.id, r.key_id, r.user_id, r.method, e.path, r.endpoint, r.status, r.status_class, r.outcome,
  r.error_code, r.error_message, r.error_scopes,
  r.approval_id, r.replay_of, e.duration_ms, r.isolate, e.sequence, uuid_extract_timestamp(e.id) as at
    from (${rows}) r, lateral (select r.id, r.path, r.duration_ms, r.sequence
  union all select m.id, coalesce(m.path, r.path), m.duration_ms, m.sequence
  from unnest(r.more_ids, r.more_paths, r.more_durations, r.more_sequences) m(id, path, duration_ms, sequence)) e`

/** The row that contains the request. */
const rowOf = (id: string): SQL =>
  sql`select * from requests where id <= ${id} and id >= ${idBefore(id, SHARED_MS)} and (id = ${id} or ${id}::uuid = any(more_ids))`

/** Runs a select over the expanded requests instead of the table. */
function over<Row>({ head, fields }: CompiledSelect<Row>, rows: SQL, condition: SQL): Select<Row> {
  const chosen = sql`with requests as materialized (${each(rows)}) ${head} where ${condition}`
  return typed<Row>({ getSQL: () => chosen, fields })
}

const reports = compiledSelect(typed<v.InferOutput<typeof RequestReport>>(db.select(report).from(requests)))

/**
 * Returns a request and its effects. Writes are logged in their own transaction; other requests follow within seconds. Entries are
 * retained for 30 days.
 */
export const getRequest = (id: string) => read(oneOrThrow(over(reports, rowOf(id), eq(requests.id, id)), 'request'))

const entry = columnsFor(requests, RequestLogEntry, error)

/** Lists requests, newest first. Ids are in order of time, so a timestamp becomes a bound of the id. */
export function listRequests({ key_id, user_id, method, status, path, from, to, ...query }: RequestQuery) {
  const is = (column: PgColumn, value: string | number | undefined) => (value === undefined ? undefined : eq(column, value))
  const isEndpoint = path?.includes('/:')
  const one = path === undefined || isEndpoint ? undefined : path
  return read(
    page({
      select: requestsWith({
        walked: and(
          is(requests.user_id, user_id),
          is(requests.method, method),
          status === '2xx' ? sql`${requests.status_class} = 2` : undefined,
          one === undefined ? undefined : sql`(${requests.path} = ${one} or ${one} = any(more_paths))`,
        ),
        path: one,
        from: from === undefined ? undefined : firstIdAt(from),
      }),
      id: requests.id,
      where: [
        is(requests.key_id, key_id),
        status === undefined || status === '2xx' ? undefined : sql`${requests.status_class} = ${sql.raw(status.slice(0, 1))}`,
        isEndpoint ? is(requests.endpoint, path) : undefined,
        // The cursor is a tighter bound on the same side.
        to === undefined || query.after !== undefined ? undefined : lt(requests.id, firstIdAt(to)),
      ],
      sorts: { id: requests.id },
      name: 'requests',
      query: { ...query, key_id, user_id, method, status, path, from, to, sort: '-id' },
    }),
  )
}

type RowFilter = { walked: SQL | undefined; path: string | undefined; from: string | undefined }

/**
 * A page of requests. Reads the first rows that meet the conditions, as many as the page has, and those that begin up to SHARED_MS before
 * the last of them, which may contain later requests. Conditions without an index (`walked`) are looked for in the next WALK rows.
 */
const requestsWith =
  ({ walked, path, from }: RowFilter) =>
  (keys: Keys): PageSource<v.InferOutput<typeof RequestLogEntry>> => {
    const { fields, head } = compiledSelect(db.select({ ...entry, ...keys }).from(requests))
    const since = from === undefined ? undefined : sql`${requests.id} >= ${idBefore(from, SHARED_MS)}`
    return {
      fields,
      page(condition, order) {
        const indexed = and(condition, since) ?? sql`true`
        const among = walked
          ? sql`(select * from requests where ${indexed} order by id desc limit ${WALK}) requests where ${walked}`
          : sql`requests where ${indexed}`
        const lowest = sql`(select id_at(instant_of(id) - interval '${sql.raw(String(SHARED_MS))} milliseconds')
          from first order by id limit 1)`
        // Bounded on both sides, so that the planner expects few rows and reads them by their ids.
        const rows = sql`select * from requests
          where ${and(indexed, walked)} and id >= ${lowest} and id <= (select id from first order by id desc limit 1)`
        const own = and(
          condition,
          path === undefined ? undefined : eq(requests.path, path),
          from === undefined ? undefined : gte(requests.id, from),
        )
        return sql`with first as materialized (select id from ${among} ${order}), requests as materialized (${each(rows)}) ${head}
          where ${own ?? sql`true`} ${order}`
      },
    }
  }

const changeFields = columnsFor(changes, Change, {
  fields: readableFields(sql`changes.entity`, sql`changes.fields`).mapWith(changes.fields).as('fields'),
})
const changesWith = (keys: Keys) => db.select({ ...changeFields, ...keys }).from(changes)

/** Lists the changes of a request, in order. */
export function listRequestChanges(id: string, query: PageQuery) {
  const result = page({
    select: changesWith,
    id: changes.id,
    where: [eq(changes.request_id, id)],
    sorts: { id: changes.id },
    name: `changes of ${id}`,
    query: { ...query, sort: 'id' },
  })
  return plan([assert(sql`exists (${rowOf(id)})`, 'NOT_FOUND', 'No such request in this workspace')], result)
}
