import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Candidates } from './candidates.ts'
import { compile } from './db.ts'

/** The number of records that are read first. They fill the page when many records meet the condition, or when the list is short. */
const HEAD = 500
/** The same when each record is looked up together with related records. */
const HEAD_RELATED = 100
/** The maximum number of candidates that are fetched one by one. With more of them the list or the table is scanned instead. */
export const FEW = 4_000

/** Whether a record contains every word (see search_patterns), over a table with search_text. */
export const contains = (table: PgTable, words: string): SQL => sql`(' ' || ${table}.search_text) like all(search_patterns(${words}))`

/** A list with a condition that the index of its order cannot check. */
export type ListScan = {
  table: PgTable
  /** A page of the rows that meet the list's condition and this one. It reads the table under its plain name. */
  rows: (condition?: SQL) => SQL
  /** The first rows of the list, whether or not they meet the condition. */
  head: (count: number) => SQL
  limit: number
  /** The order of the page, in terms of its last columns. */
  order: SQL
  candidates: Candidates | undefined
  /** The rows of a small set that are all matches, their maximum number, and a page of them: they are read instead of candidates. */
  own?: { rows: (count: number) => SQL; most: number; page: (condition?: SQL) => SQL } | undefined
  /** Whether the condition reads related records. */
  related?: boolean | undefined
  /** The condition under which reading the head helps, set when an index may be missing. Without it the head always helps. */
  headIf?: SQL
  /** The ids of the page from one pass over all records; without it the list is scanned in its order. */
  pass?: SQL | undefined
  /** Set when an index in the order of the list includes the searched text: the index is read instead of the records. */
  walk?: Walk | undefined
}

export type Walk = {
  words: string
  /** Whether these words are the whole condition, so that every match belongs to the page. */
  complete: boolean
  /** Whether another index leads to the list in this order, so that its first records may be others than those of the words' index. */
  filtered: boolean
  /** With N, the index is read N times as far if the first entries contain at least one N-th of the page. */
  near: number
  /** The id and search_text of the given number of records from the beginning of the list, or of all. */
  entries: (count: number | null) => SQL
}

/**
 * A page of such a list, found by the first of three ways that fills it: the first records of the list; the candidates of an index, when
 * they are few; one scan of all records, in storage order or in the order of the list.
 * The two small sets replace the table under its plain name, so a condition on the whole table must qualify it with its schema.
 */
export function scanList(list: ListScan): SQL {
  return list.walk ? scanWords(list, list.walk) : scanRows(list)
}

function scanRows({ table, rows, head, limit, order, candidates, own, related, headIf = sql`true`, pass }: ListScan): SQL {
  const least = related ? HEAD_RELATED : HEAD
  const size = limit > 2 * least ? least : Math.max(least, 2 * limit)
  const done = sql`(${headIf} and ((select count(*) from head_matches) >= ${limit}::int or (select count(*) from head) < ${size}::int))`
  const most = own?.most ?? FEW
  const isMore = sql`(select count(*) from candidates) > ${most}::int`
  const set =
    own?.rows(most + 1) ?? (candidates && sql`candidate_rows(null::${table}, ${JSON.stringify(candidates)}::jsonb, ${most + 1}::int)`)
  const found = set && sql`select * from ${set} found where not ${done}`
  const last = found ? sql`not ${done} and ${isMore}` : sql`not ${done}`
  const rest = pass ? sql`${sql.identifier(getTableName(table))}.id = any(array(select * from ${pass})) and ${last}` : last
  return sql`with head as materialized (${head(size)}),
    head_matches as materialized (${among(table, sql`head`, rows())})
    ${found ? sql`, candidates as materialized (${found})` : sql``}
    select * from ((select * from head_matches where ${done})
      ${found ? sql`union all (${among(table, sql`candidates`, (own?.page ?? rows)(sql`not ${done} and not ${isMore}`))})` : sql``}
      union all (${rows(rest)})) chosen ${order}`
}

/** Rows counted: a select of their number, and of whether that is all of them. */
export const countedRows = (rows: SQL): SQL => sql`select count(*), true from (${rows}) counted`

type Counting = Pick<ListScan, 'table' | 'rows' | 'head' | 'candidates'> & {
  /** One pass over all records, for more than a few candidates; without it the number is a lower bound. */
  pass?: SQL | undefined
  /** The maximum number of candidates. */
  most?: number | undefined
}

/**
 * The number of rows that meet a condition, and whether that is all of them: among the candidates of an index when they are few, otherwise
 * by the pass, otherwise among those candidates; a condition that no index finds is counted among the first records of the list.
 * `rows` reads the table under its plain name.
 */
export function countedMatches({ table, rows, head, candidates, pass, most = FEW }: Counting): SQL {
  if (!candidates && pass) return countedRows(sql`select from ${pass}`)
  const found =
    candidates && sql`select * from candidate_rows(null::${table}, ${JSON.stringify(candidates)}::jsonb, ${most + 1}::int) found`
  const isMore = sql`(select count(*) from candidates) > ${most}::int`
  const count = (of: SQL) => sql`(select count(*) from (${of}) counted)`
  if (pass)
    return sql`with candidates as materialized (${found})
      select case when ${isMore} then ${count(sql`select from ${pass}`)} else ${count(among(table, sql`candidates`, rows()))} end, true`
  // Where no index finds the words, each candidate is a row of nulls.
  const listed = sql`select * from candidates where id is not null
    union all select * from (${head(most + 1)}) listed where exists (select from candidates where id is null)`
  return sql`with candidates as materialized (${found ?? head(most + 1)})
    select ${count(among(table, found ? sql`(${listed}) listed` : sql`candidates`, rows()))}, not ${isMore}`
}

/**
 * The number of index entries that are read first for each record of a page: they fill the page with a word that one record in forty
 * contains. An entry whose row changed since the last vacuum needs a look-up in the table, which limits the number.
 */
const ENTRIES = 40
/** The number of records containing the words that are fetched when they must also meet other conditions. */
const FETCHED = 800
/** The same when each record is looked up together with related records. */
const FETCHED_RELATED = 200
/**
 * A page of the records that contain words, in an order whose index includes search_text. Index entries are cheaper than records, so the
 * first part of the index is read. The number of matches in it estimates how far the rest of the page is. If that is near, more of the
 * index is read. If the page is still not full, the candidates are fetched. Only if there are too many of them, the whole index is read;
 * with other conditions, the index is read as far as for a near page, and then all records.
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

/** At most `most` ids with the words among this number of entries, and a marker row if the list has more entries. */
function walkIds({ table }: ListScan, { words, entries }: Walk, count: number, most: number): SQL {
  return inFunction(
    'walk_ids',
    sql`select case when ok then id end, n = ${count} from (
      select id, ${contains(table, words)} as ok, row_number() over () as n
        from (${entries(count)}) ${sql.identifier(getTableName(table))}) entries
      where ok or n = ${count} limit ${most}`,
  )
}

/** The ids of the whole page, reading as many entries as necessary. */
function walkAll({ table, limit }: ListScan, { words, entries }: Walk): SQL {
  return inFunction(
    'walk_ids',
    sql`select id, false from (${entries(null)}) ${sql.identifier(getTableName(table))} where ${contains(table, words)} limit ${limit}`,
  )
}

/** A page of the rows of a set that stands for the table. */
export const among = (table: PgTable, set: SQL, page: SQL) =>
  sql`with ${sql.identifier(getTableName(table))} as (select * from ${set}) ${page}`

/** A page of the rows of a select that stands for the table, under its plain name. */
export const fromSet = (table: PgTable, select: SQL, page: SQL): SQL =>
  sql`with ${sql.identifier(getTableName(table))} as not materialized (${select}) ${page}`

/** A row source: the ids that a query finds in one pass over the rows in storage order (see scan_ids). */
export const passOver = (query: SQL): SQL => inFunction('scan_ids', query)

/** A row source: a query that runs inside a function, so that the planner cannot reorder it. */
export function inFunction(name: 'scan_ids' | 'walk_ids', query: SQL): SQL {
  const { sql: text, params } = compile(query)
  const values: unknown[] = []
  // format() inserts each placeholder as a literal, %1$L.
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
