import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { FEW, type Pick } from './few.ts'

/** So many records of the list are looked at for the words before an index of words is asked: where the words are frequent, or the list is short, that is all. */
const NEAR = 1_000

/** Whether a record contains every word (see search_patterns), over a table with search_text. */
export const contains = (table: PgTable, words: string): SQL => sql`(' ' || ${table}.search_text) like all(search_patterns(${words}))`

/** The records that contain every word, no more than `limit`, from the index of words; whole rows of the table. */
export const matches = (table: PgTable, words: string, limit: number): SQL => sql`search_rows(null::${table}, ${words}, ${limit}::int)`

/** What a page is cut from: all that the list has, with more conditions; and its first rows as they are in the table. */
export type Cut = {
  table: PgTable
  /** A page of the list, of those that meet the condition. */
  rows: (condition: SQL) => SQL
  /** The table's own rows at the beginning of the list. */
  first: (count: number) => SQL
  limit: number
  /** The order of the page by its last two columns. */
  order: SQL
}

/**
 * A page of the records that contain the words, whichever they are: among the next records of the list, when these are enough or
 * all; else, when the index of words finds few, among those; else on the way through the list, which is short then.
 * The two small sets stand in for the table under its own name: a condition that means the whole table names its schema.
 */
export function matching({ table, rows, first, limit, order }: Cut, words: string): SQL {
  const holds = contains(table, words)
  const among = (set: SQL, page: SQL) => sql`with ${sql.identifier(getTableName(table))} as (select * from ${set}) ${page}`
  const done = sql`((select count(*) from met) >= ${limit}::int or (select count(*) from near) < ${NEAR}::int)`
  const isMore = sql`(select count(*) from found) > ${FEW}::int`
  return sql`with near as materialized (${first(NEAR)}),
    met as materialized (${among(sql`near`, rows(holds))}),
    found as materialized (select * from ${matches(table, words, FEW + 1)} found where not ${done})
    select * from ((select * from met where ${done}) union all (${among(sql`found`, rows(sql`not ${done} and not ${isMore}`))})
      union all (${rows(sql`${holds} and not ${done} and ${isMore}`)})) chosen ${order}`
}

/** The same as a set of ids, for a list that may begin with a small one (see amongFew). */
export const containing = (table: PgTable, words: string): Pick => ({
  ids: sql`select id from ${matches(table, words, FEW + 1)}`,
  holds: contains(table, words),
})
