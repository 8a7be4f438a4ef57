import { and, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { invalid } from '../errors.ts'
import { crc32 } from '../lib/crc.ts'
import { isId } from '../lib/ids.ts'
import type { Candidates } from './candidates.ts'
import { decode, encode } from './cursors.ts'
import type { FilterEntries } from './filters.ts'
import { jsonPage } from './json-body.ts'
import { type Entries, firstEntries, MOST_BY_ENTRIES, scanEntries, WHOLE } from './list-entries.ts'
import { countedMatches, countedRows, fromSet, passOver } from './list-scan.ts'
import { walkOf, withWords } from './list-words.ts'
import { Page } from './paged.ts'
import { compiledSelect, type PageSource, type Query, type Select } from './query.ts'
import { type About, aboutOf, asAsked, type Records } from './reading.ts'
import { countOfList } from './record-counts.ts'
import { assertReadable, type Relation } from './relations.ts'
import { columnNames, type Field, only } from './rows.ts'

/** A sort key: a column, or an indexed expression with its SQL type. */
export type SortKey = PgColumn | { key: SQL; type: string }
export type PageQuery = {
  limit: number
  after?: string | undefined
  sort?: string | undefined
  archived?: string | undefined
  /** Search words: only records that contain all of them are listed. */
  search?: string | undefined
  [filter: string]: unknown
}

/** The condition for `archived` in lists whose index does not include that column. */
export const kindOf = (archived: PgColumn, query: { archived?: unknown }): SQL | undefined =>
  query.archived === 'all' ? undefined : sql`${archived} = ${sql.raw(String(query.archived === 'true'))}`

/** The sort value and the id of a row, for the cursor. */
export type Keys = { _key: SQL.Aliased; _id: SQL.Aliased }

/** A condition that no index in the order of the list can check. */
export type Filtering = {
  where: SQL
  /** The same for a pass over all records; without it the list is scanned in its order. */
  scan?: SQL | undefined
  candidates?: Candidates | undefined
  /** Whether it reads related records. */
  related?: boolean
  /** An index that leads to the records in the order of their creation. */
  entries?: FilterEntries | undefined
}

export type List<Row> = {
  /** The select without conditions, with these two columns after its own. The function must be constant: it is called once per sort. */
  select: (keys: Keys) => Select<Row> | PageSource<Row>
  id: PgColumn
  /** Set when the records are of another table than that of `id`. */
  records?: Records | undefined
  /** Conditions that an index can find rows by. */
  where: (SQL | undefined)[]
  /** Two conditions of which a record meets at most one, and by which an index can find rows: the page merges the rows of both. */
  either?: [SQL, SQL] | undefined
  /**
   * Selects of disjoint sets of rows with the columns of the table, which all of them have in one order. The page merges the rows of each,
   * which an index should give in the order of the list.
   */
  sets?: SQL[] | undefined
  /** Any other condition: it is checked row by row. */
  filter?: Filtering | undefined
  sorts: Record<string, SortKey>
  /** Whether many records that meet the filter are counted by one pass over all records, rather than as a lower bound. */
  counts?: boolean
  /** Whether the list has all records of its table, apart from what its query leaves out. */
  isTable?: boolean
  /** Set by a reader of every page, who asks for nothing about the list. */
  whole?: boolean
  /** Set when the indexes of the list begin with `archived`: for `all` two index scans are merged. */
  archived?: PgColumn | undefined
  /** The name of the list. The cursor of another list is refused. */
  name: string
  query: PageQuery
}

/**
 * A keyset page: the rows after the cursor, with the id as tie-breaker. The cost does not grow with the table, and rows that are added or
 * removed between two pages never make another row appear twice or not at all.
 */
export function page<Row>(given: List<Row>): Query<Page<Row>> {
  const list = asAsked(given)
  const { query, sorts, id } = list
  const sort = query.sort ?? '-created_at'
  const descending = sort.startsWith('-')
  const key = keyOf(sorts[sort.replace('-', '')])
  const direction = descending ? sql`desc` : sql`asc`
  const signature = signatureOf(list.name, query)
  const cursor = query.after === undefined ? undefined : read(query.after, signature)
  const behind = cursor && after(cursor, key, id, descending)
  const head = viewOf(list, sort, key.key)
  const enough = query.limit + 1
  const by = (key: SQL, id: SQL, count: number | null) =>
    sql`order by ${key} ${direction}, ${id} ${direction} limit ${sql.raw(String(count))}`
  const own = (count: number | null) => by(key.key, sql`${id}`, count)
  const ofPage = () => by(sql`"_key"`, sql`"_id"`, enough)
  const filtering = withWords(list)
  /** One index scan; or several, merged: for archived and active records together, and for the conditions of `either`. */
  const scans = (scan: (...conditions: (SQL | undefined)[]) => SQL, order: () => SQL) => {
    const all = list.archived && query.archived === 'all'
    const kinds = all ? [sql`${list.archived} = false`, sql`${list.archived} = true`] : [list.archived && kindOf(list.archived, query)]
    const parts = kinds.flatMap(
      (kind) => list.sets?.map((set) => fromSet(id.table, set, scan(kind))) ?? (list.either ?? [undefined]).map((set) => scan(kind, set)),
    )
    if (parts.length === 1) return parts[0] as SQL
    const merged = sql.join(
      parts.map((part) => sql`(${part})`),
      sql` union all `,
    )
    return sql`select * from (${merged}) ${id.table} ${order()}`
  }
  const first = (count: number, condition?: SQL) => {
    const scan = (...conditions: (SQL | undefined)[]) =>
      sql`select ${id.table}.* from ${id.table} where ${and(...list.where, behind, condition, ...conditions) ?? sql`true`} ${own(count)}`
    return scans(scan, () => own(count))
  }
  // What is computed for a row is planned once, not for each set.
  const rowsOf = (condition?: SQL) =>
    list.sets
      ? sql`select * from (${fromSet(id.table, first(enough, condition), head.page(undefined, own(enough)))}) ${id.table} ${ofPage()}`
      : scans((...conditions) => head.page(and(...list.where, behind, ...conditions, condition), own(enough)), ofPage)
  const rows = (condition?: SQL) => rowsOf(and(filtering?.where, condition))
  const passWith = (behind: SQL | undefined, end: SQL) =>
    passOver(
      sql`select ${id} from ${id.table}
        where ${and(...list.where, eitherOf(list), behind, list.archived && kindOf(list.archived, query), filtering?.scan)} ${end}`,
    )
  const entries = list.whole || enough > MOST_BY_ENTRIES ? undefined : filtering?.entries
  const isComplete = !entries?.rest && !list.either && !list.sets && list.where.every((condition) => condition === undefined)
  const entryIds = (index: Entries, count: number, from = cursor) =>
    firstEntries(index, { descending, after: inOrder ? from : undefined, archived: query.archived }, count)
  const inOrder = /^-?created_at$/.test(sort)
  const byIds = (ids: SQL) => sql`select ${id.table}.* from ${id.table} where ${id} = any(array(select id from ${ids}))`
  const scan = filtering && {
    table: id.table,
    rows,
    head: first,
    limit: enough,
    order: ofPage(),
    candidates: filtering.candidates,
    own:
      entries?.index.own && isComplete
        ? { rows: (count: number) => sql`(${byIds(entryIds(entries.index, count))})`, most: WHOLE, page: rowsOf }
        : undefined,
    related: filtering.related,
    pass: filtering.scan && passWith(behind, own(enough)),
    walk: walkOf(list, sort, (count) => {
      const scan = (...conditions: (SQL | undefined)[]) =>
        sql`select ${id}, ${key.key}, ${id.table}.search_text from ${id.table}
          where ${and(behind, ...conditions) ?? sql`true`} ${own(count)}`
      return scans(scan, () => own(count))
    }),
  }
  const byEntries = () =>
    entries && {
      ids: (count: number) => entryIds(entries.index, count),
      inOrder,
      complete: isComplete,
      few: entries.index.few ?? false,
      rows: (condition?: SQL) => rowsOf(and(entries.rest, condition)),
    }
  const chosen = scan ? scanEntries(scan, byEntries()) : rows()
  const fields = withoutKeys(head)
  const matches = (count: number) => {
    const some = sql`limit ${count}::int`
    const rows = (condition?: SQL) =>
      scans(
        (...conditions) => head.page(and(...list.where, condition, ...conditions), some),
        () => some,
      )
    if (!filtering) return countedRows(rows())
    if (entries?.index.archived && isComplete) return countedRows(sql`select from ${entryIds(entries.index, count, undefined)}`)
    const pass = list.counts && filtering.scan ? passWith(undefined, some) : undefined
    if (entries && (!pass || (entries.index.own && isComplete))) {
      const head = (most: number) => byIds(entryIds(entries.index, most, undefined))
      return countedMatches({
        table: id.table,
        rows: () => rows(entries.rest),
        head,
        candidates: undefined,
        most: pass ? WHOLE : undefined,
      })
    }
    return countedMatches({ table: id.table, rows: () => rows(filtering.where), head: first, candidates: filtering.candidates, pass })
  }
  const facts = cursor || list.whole ? undefined : aboutOf(query, matches, countOfList(list))
  const next = (key: unknown, id: unknown, about: About) => encode([signature, String(key), String(id), about])
  const names = query.fields as string[] | undefined
  const relations = query.include as Relation[] | undefined
  const before = [...(facts?.before ?? []), ...assertReadable(relations ?? [])]
  return {
    query: facts ? besides(chosen, facts.about, fields.length + 2) : chosen,
    fields,
    hidden: facts ? 3 : 2,
    // What reads the entries of an index in their order is planned alike for all values.
    kept:
      !head.joins &&
      !facts &&
      (filtering
        ? entries !== undefined && isComplete && (inOrder || entries.index.few === true)
        : Object.entries(query).every(([name, value]) => isForAll(name, value))),
    ...(before.length > 0 && { before }),
    cursor: ([key, id]) => next(key, id, {}),
    json: jsonPage({ query: chosen, fields, names, relations, limit: query.limit, about: facts?.about }, (found, key, id) => {
      const about = cursor?.about ?? found
      return { next: key === undefined ? null : next(key, id, about), ...about }
    }),
    decode: (found, raw) => {
      const rows = raw.flatMap((values, index) => (values[fields.length + 1] === null ? [] : [found[index]]))
      const last = rows.length > query.limit ? raw[query.limit - 1] : undefined
      const about = cursor?.about ?? ((facts ? raw[0]?.[fields.length + 2] : {}) as About)
      const cursorAfter = last ? next(last[fields.length], last[fields.length + 1], about) : null
      return new Page(rows.slice(0, query.limit).map((row) => only(names, row)) as Row[], query.limit, cursorAfter, about)
    },
  }
}

/** Whether one plan serves all values of a parameter: an index has the rows of each id in the order of the list. */
const isForAll = (name: string, value: unknown) =>
  value === undefined ||
  ['limit', 'after', 'sort', 'archived', 'fields', 'include'].includes(name) ||
  (name.endsWith('_id') && isId(String(value)))

/** The rows of a page with a further column, which a page without rows has too. */
export const besides = (rows: SQL, about: SQL, columns: number): SQL =>
  sql`select page.*, facts.about from (select ${about} as about) facts left join (${rows}) page(${sql.raw(columnNames(columns))}) on true`

const eitherOf = ({ either }: Pick<List<unknown>, 'either'>) => either && sql`(${either[0]} or ${either[1]})`

const publicFields = new WeakMap<object, Field[]>()

/** The columns of a select without the two for the cursor. */
function withoutKeys(head: PageSource<unknown>): Field[] {
  const known = publicFields.get(head) ?? head.fields.slice(0, -2)
  publicFields.set(head, known)
  return known
}

const views = new WeakMap<object, Map<string, PageSource<unknown>>>()

function viewOf<Row>({ select, id }: List<Row>, sort: string, key: SQL): PageSource<Row> {
  const known = views.get(select) ?? new Map<string, PageSource<unknown>>()
  views.set(select, known)
  const name = sort.replace('-', '')
  const found = known.get(name)
  if (found) return found as PageSource<Row>
  const selected = select({ _key: sql`${key}`.as('_key'), _id: sql`${id}`.as('_id') })
  const made = 'page' in selected ? selected : compiledSelect(selected)
  known.set(name, made)
  return made
}

function keyOf(sort: SortKey | undefined): { key: SQL; type: string } {
  if (!sort) throw new Error('A list offers a sort that it does not define')
  return 'key' in sort ? sort : { key: sql`${sort}`, type: sort.getSQLType() }
}

type Cursor = { key: string; id: string; about: About }

function read(cursor: string, signature: string): Cursor {
  const [list, key, id, about = {}] = decode(cursor)
  if (list !== signature) throw invalid([{ path: 'after', message: 'This cursor is of another list, sort or filter: start without it' }])
  return { key, id, about }
}

const after = (cursor: Cursor, { key, type }: { key: SQL; type: string }, id: PgColumn, descending: boolean): SQL =>
  sql`(${key}, ${id}) ${sql.raw(descending ? '<' : '>')} (${cursor.key}::${sql.raw(type)}, ${cursor.id}::uuid)`

/** Identifies the list with its sort and filters. The page's own parameters may differ from page to page. */
export function signatureOf(name: string, { limit: _, after: __, fields: ___, include: ____, ...rest }: PageQuery): string {
  return crc32(JSON.stringify([name, Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))])).toString(36)
}
