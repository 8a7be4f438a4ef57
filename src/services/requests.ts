import { eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { changes, requests } from '../../schema/index.ts'
import { ensure, one } from '../data/answer.ts'
import { db } from '../data/db.ts'
import { type Keys, type PageQuery, page } from '../data/page.ts'
import { columnsFor } from '../data/store.ts'
import { read, work } from '../data/work.ts'
import { firstIdAt } from '../lib/ids.ts'
import { Change } from '../shapes/common.ts'
import { AskedRequest, type RequestQuery, RequestReport } from '../shapes/requests.ts'

/** So many changes and events stand in a report. */
const SHOWN = 100
/** After so many tries an event is given up, see claim_events. */
const TRIES = 20

const list = (object: SQL, from: SQL): SQL =>
  sql`(select coalesce(json_agg(${object} order by t.id), '[]') from (select * from ${from} where t.request_id = requests.id::text order by t.id limit ${sql.raw(String(SHOWN))}) t)`

const changed = list(
  sql`json_build_object('id', t.id, 'entity', t.entity, 'entity_id', t.entity_id, 'action', t.action, 'version', t.version, 'fields', t.fields)`,
  sql`changes t`,
)
const emitted = list(
  sql`json_build_object('id', t.id, 'type', t.type, 'entity', t.entity, 'entity_id', t.entity_id, 'state', case when t.delivered_at is not null then 'delivered'
    when t.attempts < ${sql.raw(String(TRIES))} then 'waiting' else 'failed' end, 'attempts', t.attempts, 'last_error', t.last_error, 'delivered_at', iso(t.delivered_at))`,
  sql`outbox t`,
)
const approval = sql`(select json_build_object('id', a.id, 'part', case requests.outcome when 'held' then 'held' when 'replayed' then 'held' else 'run' end, 'status', a.status)
  from approvals a where a.id = requests.approval_id)`

const report = columnsFor(requests, RequestReport, {
  changes: changed.mapWith(changes.fields).as('changes'),
  events: emitted.as('events'),
  approval: approval.as('approval'),
})

/** What one request did. A write has recorded itself with what it did; others follow in a moment. Kept for 30 days. */
export const getRequest = (id: string) => read(one(db.select(report).from(requests).where(eq(requests.id, id)), 'request'))

const asked = columnsFor(requests, AskedRequest)
const askedWith = (keys: Keys) => db.select({ ...asked, ...keys }).from(requests)

/** Newest first. Ids are in the order of time, so a moment is a bound of the id. */
export function listRequests({ key_id, user_id, method, status, path, from, to, ...query }: RequestQuery) {
  const is = (column: PgColumn, value: string | undefined) => (value === undefined ? undefined : eq(column, value))
  return read(
    page({
      select: askedWith,
      id: requests.id,
      where: [
        is(requests.key_id, key_id),
        is(requests.user_id, user_id),
        is(requests.method, method),
        is(requests.status_class, status),
        is(path?.includes('/:') ? requests.endpoint : requests.path, path),
        from === undefined ? undefined : gte(requests.id, firstIdAt(from)),
        // A cursor is a tighter bound of the same side.
        to === undefined || query.after !== undefined ? undefined : lt(requests.id, firstIdAt(to)),
      ],
      sorts: { id: requests.id },
      name: 'requests',
      query: { ...query, key_id, user_id, method, status, path, from, to, sort: '-id' },
    }),
  )
}

const changeFields = columnsFor(changes, Change)
const changesWith = (keys: Keys) => db.select({ ...changeFields, ...keys }).from(changes)

/** All that a request changed, in order. */
export function listRequestChanges(id: string, query: PageQuery) {
  const answer = page({
    select: changesWith,
    id: changes.id,
    where: [eq(changes.request_id, id)],
    sorts: { id: changes.id },
    name: `changes of ${id}`,
    query: { ...query, sort: 'id' },
  })
  return work([ensure(sql`exists (select from requests where id = ${id})`, 'NOT_FOUND', 'No such request in this workspace')], answer)
}
