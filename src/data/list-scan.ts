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
  /** Where an index in the order of the list has the words that are searched: it is read instead of the records themselves. */
  walk?: Walk | undefined
}

export type Walk = {
  words: string
  /** Whether these words are the whole condition, so that each record found is one of the page. */
  complete: boolean
  /** The index is read on, so many times as far, if the first entries have one in so many of the page's records. */
  near: number
  /** Id and search_text of so many records from the beginning of the list, or of all. */
  entries: (count: number | null) => SQL
}

/**
 * A page of such a list, by the first of three ways that leads to it: among the first records of the list; among the candidates that an
 * index knows, when they are few; by one pass over all records, or on the way through the list.
 * The two small sets stand in for the table under its plain name: a condition that means the whole table names its schema.
 */
export function scanList(list: ListScan): SQL {
  return list.walk ? scanWords(list, list.walk) : scanRows(list)
}

function scanRows({ table, rows, head, limit, order, candidates, related, headIf = sql`true`, pass }: ListScan): SQL {
  const least = related ? HEAD_RELATED : HEAD
  const size = limit > 2 * least ? least : Math.max(least, 2 * limit)
  const done = sql`(${headIf} and ((select count(*) from head_matches) >= ${limit}::int or (select count(*) from head) < ${size}::int))`
  const isMore = sql`(select count(*) from candidates) > ${FEW}::int`
  const found = candidates
    ? sql`select * from candidate_rows(null::${table}, ${JSON.stringify(candidates)}::jsonb, ${FEW + 1}::int) found where not ${done}`
    : undefined
  const last = found ? sql`not ${done} and ${isMore}` : sql`not ${done}`
  const rest = pass ? sql`${sql.identifier(getTableName(table))}.id = any(array(select * from ${pass})) and ${last}` : last
  return sql`with head as materialized (${head(size)}),
    head_matches as materialized (${among(table, sql`head`, rows())})
    ${found ? sql`, candidates as materialized (${found})` : sql``}
    select * from ((select * from head_matches where ${done})
      ${found ? sql`union all (${among(table, sql`candidates`, rows(sql`not ${done} and not ${isMore}`))})` : sql``}
      union all (${rows(rest)})) chosen ${order}`
}

/**
 * So many index entries are read first for each record of a page: a word that one record in forty has fills the page from these. Entries of rows
 * that were changed since the last vacuum are looked up in the table, one by one, so there must not be too many.
 */
const ENTRIES = 40
/**
 * A page of the records that contain words, in an order whose index has their search_text. Entries of the index are cheap and records are
 * not, so the first part of the index is read. What it has of matches tells how far the rest of the page is. If that is near, the index is
 * read on for a while. If the page is not full then, the candidates are fetched, and only if there are too many, the whole index is read.
 */
function scanWords({ table, rows, limit, order, candidates, pass }: ListScan, { words, complete, near, entries }: Walk): SQL {
  const name = sql.identifier(getTableName(table))
  const holds = contains(table, words)
  /** Ids with the words among so many entries, and a row that says so where the list has more. */
  const walk = (count: number, most: number) =>
    inFunction(
      'walk_ids',
      sql`select case when ok then id end, n = ${count} from (
        select id, ${holds} as ok, row_number() over () as n from (${entries(count)}) ${name}) entries where ok or n = ${count} limit ${most}`,
    )
  const ends = (set: SQL, most: number) =>
    sql`((select count(id) from ${set}) >= ${most}::int or not exists (select from ${set} where is_last))`
  const first = ENTRIES * limit
  const most = complete ? limit : 2 * limit
  const isShort = sql`(not exists (select from walked where is_last) and (select count(id) from walked) < ${most}::int)`
  const done = sql`((select count(*) from head_matches) >= ${limit}::int or ${isShort})`
  // Words that are only a part of the condition may be frequent where the rest of it is rare: nothing is known of its matches.
  const isNear = complete ? sql`(select count(id) from walked) >= ${Math.ceil(limit / near)}::int` : sql`false`
  const isFound = sql`(${isNear} and ${ends(sql`further`, limit)})`
  const isMore = sql`(select count(*) from candidates) > ${FEW}::int`
  const open = sql`not ${done} and not ${isFound}`
  const byId = (ids: SQL, condition: SQL) => rows(sql`${name}.id = any(array(${ids})) and ${condition}`)
  const last = sql`${open} and ${isMore}`
  const all = sql`select id, false from (${entries(null)}) ${name} where ${holds} limit ${limit}`
  const passed = pass ? byId(sql`select * from ${pass}`, last) : rows(last)
  return sql`with walked as materialized (select * from ${walk(first, most)}),
    head as materialized (select * from ${table} where id = any(array(select id from walked))),
    head_matches as materialized (${among(table, sql`head`, rows())}),
    further as materialized (select * from ${walk(near * first, limit)} where not ${done} and ${isNear}),
    candidates as materialized (
      select * from candidate_rows(null::${table}, ${JSON.stringify(candidates)}::jsonb, ${FEW + 1}::int) found where ${open})
    select * from ((select * from head_matches where ${done})
      union all (${byId(sql`select id from further`, sql`not ${done} and ${isFound}`)})
      union all (${among(table, sql`candidates`, rows(sql`${open} and not ${isMore}`))})
      union all (${complete ? byId(sql`select id from ${inFunction('walk_ids', all)}`, last) : passed})) chosen ${order}`
}

const among = (table: PgTable, set: SQL, page: SQL) => sql`with ${sql.identifier(getTableName(table))} as (select * from ${set}) ${page}`

/** Ids that a query finds, by one pass in the order in which rows are stored (see scan_ids): as a row source. */
export const passOver = (query: SQL): SQL => inFunction('scan_ids', query)

/** A query that runs in a function, which leaves the planner one way of running it: as a row source. */
function inFunction(name: 'scan_ids' | 'walk_ids', query: SQL): SQL {
  const { sql: text, params } = compile(query)
  const values: unknown[] = []
  // Each place becomes a literal: format() has them as %1$L.
  const template = text.replaceAll('%', '%%').replace(/\$(\d+)/g, (_, place: string) => {
    values.push(params[Number(place) - 1])
    return `%${values.length}$L`
  })
  return sql`${sql.raw(name)}(${template}, ${arrayLiteral(values)}::text[])`
}

function arrayLiteral(values: unknown[]): string {
  const members = values.map((value) => (value === null ? 'null' : `"${String(value).replace(/["\\]/g, '\\$&')}"`))
  return `{${members.join(',')}}`
}
