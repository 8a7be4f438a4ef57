import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Candidates } from './candidates.ts'
import { compile } from './db.ts'

/** So many records of the list are looked at first: where many meet the condition, or the list is short, that is all. */
const HEAD = 500
/** The same where each of them is looked up with related ones. */
const HEAD_RELATED = 100
/** So many candidates are fetched one by one. More of them are found on the way through the list, or by a pass over it. */
const FEW = 4_000

/** Whether a record contains every word (see search_patterns), over a table with search_text. */
export const contains = (table: PgTable, words: string): SQL => sql`(' ' || ${table}.search_text) like all(search_patterns(${words}))`

/** A list whose records meet a condition that its index does not have. */
export type ListScan = {
  table: PgTable
  /** A page of the list: of the rows that meet the condition, and this one. Over the table under its plain name. */
  rows: (condition?: SQL) => SQL
  /** The table's own rows at the beginning of the list, whether they meet the condition or not. */
  head: (count: number) => SQL
  limit: number
  /** The order of the page by its last columns. */
  order: SQL
  candidates: Candidates | undefined
  /** Whether the condition looks related records up. */
  related?: boolean | undefined
  /** What is true when the head is of use; it always is unless an index may be missing. */
  headIf?: SQL
  /** Ids of the page from one pass over all records; without it they are found on the way through the list. */
  pass?: SQL | undefined
}

/**
 * A page of such a list, by the first of three ways that leads to it: among the first records of the list; among the candidates that an
 * index knows, when they are few; by one pass over all records, or on the way through the list.
 * The two small sets stand in for the table under its plain name: a condition that means the whole table names its schema.
 */
export function scanList({ table, rows, head, limit, order, candidates, related, headIf = sql`true`, pass }: ListScan): SQL {
  const least = related ? HEAD_RELATED : HEAD
  const size = limit > 2 * least ? least : Math.max(least, 2 * limit)
  const among = (set: SQL, page: SQL) => sql`with ${sql.identifier(getTableName(table))} as (select * from ${set}) ${page}`
  const done = sql`(${headIf} and ((select count(*) from head_matches) >= ${limit}::int or (select count(*) from head) < ${size}::int))`
  const isMore = sql`(select count(*) from candidates) > ${FEW}::int`
  const found = candidates
    ? sql`select * from candidate_rows(null::${table}, ${JSON.stringify(candidates)}::jsonb, ${FEW + 1}::int) found where not ${done}`
    : undefined
  const last = found ? sql`not ${done} and ${isMore}` : sql`not ${done}`
  const rest = pass ? sql`${sql.identifier(getTableName(table))}.id = any(array(select * from ${pass})) and ${last}` : last
  return sql`with head as materialized (${head(size)}),
    head_matches as materialized (${among(sql`head`, rows())})
    ${found ? sql`, candidates as materialized (${found})` : sql``}
    select * from ((select * from head_matches where ${done})
      ${found ? sql`union all (${among(sql`candidates`, rows(sql`not ${done} and not ${isMore}`))})` : sql``}
      union all (${rows(rest)})) chosen ${order}`
}

/** Ids that a query finds, by one pass in the order in which rows are stored (see scan_ids): as a row source. */
export function passOver(query: SQL): SQL {
  const { sql: text, params } = compile(query)
  const values: unknown[] = []
  // Each place becomes a literal: format() has them as %1$L.
  const template = text.replaceAll('%', '%%').replace(/\$(\d+)/g, (_, place: string) => {
    values.push(params[Number(place) - 1])
    return `%${values.length}$L`
  })
  return sql`scan_ids(${template}, ${arrayLiteral(values)}::text[])`
}

function arrayLiteral(values: unknown[]): string {
  const members = values.map((value) => (value === null ? 'null' : `"${String(value).replace(/["\\]/g, '\\$&')}"`))
  return `{${members.join(',')}}`
}
