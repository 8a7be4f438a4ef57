import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Answer } from './answer.ts'

/**
 * So many records are rather fetched one by one than found on the way through the list: it costs some ten thousand blocks, and the
 * way to fifty of a few more than that, among a million, not many times as much.
 */
export const FEW = 4_000

/** Records by their ids (a select of `id`), and the same as a condition on the list's record. */
export type Pick = { ids: SQL; holds: SQL }

/**
 * A list of records that are in each of the sets. The first set that turns out to be small is where the list begins; when none is,
 * the list is gone through in its order. Only a look at the sets can tell.
 */
export function amongFew<Out>(picks: Pick[], id: PgColumn, order: SQL, listed: (where: SQL) => Answer<Out>): Answer<Out> {
  if (picks.length === 0) return listed(sql`true`)
  const named = picks.map((pick, index) => ({ ...pick, name: sql.raw(`picked${index}`) }))
  const isMore = ({ name }: { name: SQL }) => sql`(select count(*) from ${name}) > ${FEW}`
  const all = (conditions: SQL[]) => sql.join([sql`true`, ...conditions], sql` and `)

  const sets = named.map(({ ids, name }) => sql`${name} as materialized (${ids} limit ${FEW + 1})`)
  const small = named.map((set, index) => {
    const before = named.slice(0, index).map(isMore)
    return sql`select id from ${set.name} where not ${isMore(set)} and ${all(before)}`
  })
  const few = sql`few as materialized (${sql.join(small, sql` union all `)})`
  const holds = picks.map(({ holds }) => holds)
  // Where there is one set, to be in it is all that it asks.
  const begun = listed(all([sql`${id} = any(array(select few.id from few))`, ...(picks.length > 1 ? holds : [])]))
  const gone = listed(all([...named.map(isMore), ...holds]))
  return {
    ...begun,
    written: undefined,
    query: sql`with ${sql.join([...sets, few], sql`, `)} select * from ((${begun.query.getSQL()}) union all (${gone.query.getSQL()})) chosen order by ${order}`,
  }
}
