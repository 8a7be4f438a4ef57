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
  /** Whether another index leads to the list in this order, so that its first records may be others than those of the words' index. */
  filtered: boolean
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
/** So many records that contain the words are fetched on the way where they must meet other conditions too. */
const FETCHED = 800
/** The same where each of them is looked up with related ones. */
const FETCHED_RELATED = 200
/**
 * A page of the records that contain words, in an order whose index has their search_text. Entries of the index are cheap and records are
 * not, so the first part of the index is read. What it has of matches tells how far the rest of the page is. If that is near, the index is
 * read on for a while. If the page is not full then, the candidates are fetched. Only if there are too many, the whole index is read, or, where
 * there are other conditions, the index as far as for a near page, and then all records.
 */
function scanWords(list: ListScan, walk: Walk): SQL {
  const { table, rows, head, limit, order, candidates, related, pass } = list
  const { complete, filtered, near } = walk
  const name = sql.identifier(getTableName(table))
  const first = ENTRIES * limit
  const most = complete ? limit : related ? 2 * limit : 4 * limit
  const far = walkIds(list, walk, near * first, complete ? limit : related ? FETCHED_RELATED : FETCHED)
  const byId = (ids: SQL) => sql`select * from ${table} where id = any(array(${ids}))`
  const matches = (set: SQL) => among(table, set, rows())
  const count = (set: SQL) => sql`(select count(*) from ${set})`
  const isShort = filtered
    ? sql`${count(sql`head`)} < ${HEAD}::int`
    : sql`(not exists (select from walked where is_last) and (select count(id) from walked) < ${most}::int)`
  const done = sql`(${count(sql`head_matches`)} >= ${limit}::int or ${isShort})`
  const isNear = sql`(${complete ? sql`(select count(id) from walked)` : count(sql`head_matches`)} >= ${Math.ceil(limit / near)}::int)`
  const isFound = complete
    ? sql`(${isNear} and ((select count(id) from further) >= ${limit}::int or not exists (select from further where is_last)))`
    : sql`(${count(sql`further_matches`)} >= ${limit}::int)`
  const open = sql`not ${done} and not ${isFound}`
  const isMore = sql`${count(sql`candidates`)} > ${FEW}::int`
  const overflows = sql`${open} and ${isMore}`
  const isPassed = sql`${overflows} and ${count(sql`more_matches`)} < ${limit}::int`
  const rest = complete
    ? sql`(${rows(sql`${name}.id = any(array(select id from ${walkAll(list, walk)})) and ${overflows}`)})`
    : sql`(select * from more_matches where ${overflows} and not ${isPassed})
      union all (${rows(pass ? sql`${name}.id = any(array(select * from ${pass})) and ${isPassed}` : isPassed)})`
  return sql`with ${filtered ? sql`` : sql`walked as materialized (select * from ${walkIds(list, walk, first, most)}),`}
    head as materialized (${filtered ? head(HEAD) : byId(sql`select id from walked`)}),
    head_matches as materialized (${matches(sql`head`)}),
    further as materialized (select * from ${far} where not ${done} and ${isNear}),
    further_matches as materialized (${matches(sql`(${byId(sql`select id from further`)}) further`)}),
    candidates as materialized (
      select * from candidate_rows(null::${table}, ${JSON.stringify(candidates)}::jsonb, ${FEW + 1}::int) found where ${open})
    ${
      complete
        ? sql``
        : sql`, more as materialized (select * from ${far} where ${overflows} and not ${isNear}),
    more_matches as materialized (${matches(sql`(${byId(sql`select id from more`)}) more`)})`
    }
    select * from ((select * from head_matches where ${done})
      union all (select * from further_matches where not ${done} and ${isFound})
      union all (${among(table, sql`candidates`, rows(sql`${open} and not ${isMore}`))})
      union all ${rest}) chosen ${order}`
}

/** At most `most` ids with the words among so many entries, and a row that says so where the list has more entries. */
function walkIds({ table }: ListScan, { words, entries }: Walk, count: number, most: number): SQL {
  return inFunction(
    'walk_ids',
    sql`select case when ok then id end, n = ${count} from (
      select id, ${contains(table, words)} as ok, row_number() over () as n from (${entries(count)}) ${sql.identifier(getTableName(table))}) entries
      where ok or n = ${count} limit ${most}`,
  )
}

/** Ids of the whole page, from as many entries as it takes. */
function walkAll({ table, limit }: ListScan, { words, entries }: Walk): SQL {
  return inFunction(
    'walk_ids',
    sql`select id, false from (${entries(null)}) ${sql.identifier(getTableName(table))} where ${contains(table, words)} limit ${limit}`,
  )
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
