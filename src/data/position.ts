import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Statement } from './db.ts'
import { assertEveryId } from './query.ts'

/** The rows of one parent, ordered by `position`, counted from 0. Lock the parent first. */
export type Ordered = { table: PgTable; parent: PgColumn; parentId: string }

const siblings = ({ table, parent, parentId }: Ordered): SQL => sql`${table} where ${parent} = ${parentId}`

/** Renumbers the rows and leaves `position` free for a new row. */
export function shiftPositions(ordered: Ordered, position: number): Statement {
  const name = sql.identifier(getTableName(ordered.table))
  return sql`update ${ordered.table} set position = places.at from
    (select id, at + (at >= ${position}::int)::int as at
      from (select id, (row_number() over (order by position, id))::int - 1 as at from ${siblings(ordered)}) counted) places
    where ${name}.id = places.id and ${name}.position <> places.at`
}

/** The position of a new row: the requested one, otherwise after the others. */
export const nextPosition = (ordered: Ordered, position: number | undefined): SQL =>
  position === undefined
    ? sql`(select coalesce(max(position) + 1, 0) from ${siblings(ordered)})`
    : sql`least(${position}::int, (select count(*)::int from ${siblings(ordered)}))`

/** Replaces the whole order. `ids` must name every row of the parent exactly once; `field` is their name in the body. */
export function reorder(ordered: Ordered, ids: string[], field: string, message: string): Statement[] {
  const requested = sql`unnest(${`{${ids.join(',')}}`}::uuid[])`
  const name = sql.identifier(getTableName(ordered.table))
  return [
    assertEveryId(field, ids, sql`(select array_agg(id) from ${siblings(ordered)})`, message),
    sql`update ${ordered.table} set position = requested.at - 1 from ${requested} with ordinality as requested(id, at)
      where ${name}.id = requested.id and ${name}.position <> requested.at - 1`,
  ]
}
