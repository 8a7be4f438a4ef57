import { and, getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { invalid } from '../errors.ts'
import { fromBase64Url, toBase64Url } from '../lib/base64.ts'
import { crc32 } from '../lib/crc.ts'
import type { Candidates } from './candidates.ts'
import { jsonPage } from './json-body.ts'
import { contains, passOver, scanList, type Walk } from './list-scan.ts'
import { compiledSelect, type PageSource, type Query, type Select } from './query.ts'
import type { Field } from './rows.ts'

/** One page of a list, and the cursor of the next. */
export class Page<Item> {
  readonly items: Item[]
  readonly limit: number
  readonly next: string | null

  constructor(items: Item[], limit: number, next: string | null) {
    this.items = items
    this.limit = limit
    this.next = next
  }
}

/** What a list may be ordered by: a column, or an expression that an index has, with its SQL type. */
export type SortKey = PgColumn | { key: SQL; type: string }
export type PageQuery = {
  limit: number
  after?: string | undefined
  sort?: string | undefined
  archived?: string | undefined
  /** Words: of these records only those that contain each of them. */
  search?: string | undefined
  [filter: string]: unknown
}

/** Which records a list shows where its index knows nothing of `archived`, for `where`. */
export const kindOf = (archived: PgColumn, query: { archived?: unknown }): SQL | undefined =>
  query.archived === 'all' ? undefined : sql`${archived} = ${sql.raw(String(query.archived === 'true'))}`

/** What a row is sorted by, and its id: for the cursor. */
export type Keys = { _key: SQL.Aliased; _id: SQL.Aliased }

/** A condition that no index in the order of a list has. */
export type Filtering = {
  where: SQL
  /** The same, for a pass over all records; without it the list is walked through. */
  scan?: SQL | undefined
  candidates?: Candidates | undefined
  /** Whether it looks related records up. */
  related?: boolean
}

export type List<Row> = {
  /** The select without conditions, with these two columns behind its own. A constant function is asked once a sort. */
  select: (keys: Keys) => Select<Row> | PageSource<Row>
  id: PgColumn
  /** Each of these leads to its rows by an index. */
  where: (SQL | undefined)[]
  /** Two conditions, of which a record meets at most one, that both lead to rows by an index: the page merges what they find. */
  either?: [SQL, SQL] | undefined
  /** Any other condition: rows are asked one by one whether it holds. */
  filter?: Filtering | undefined
  sorts: Record<string, SortKey>
  /** Where the list has archived records and its indexes tell them apart: with `all` two index scans are merged. */
  archived?: PgColumn | undefined
  /** Which list this is, so that another's cursor is refused. */
  name: string
  query: PageQuery
}

/**
 * A keyset page: rows behind the cursor, in an order that the id makes total. The cost does not grow with the table, and
 * rows that come or go between two pages make no other row appear twice or not at all.
 */
export function page<Row>(list: List<Row>): Query<Page<Row>> {
  const { query, sorts, id } = list
  const sort = query.sort ?? '-created_at'
  const descending = sort.startsWith('-')
  const key = keyOf(sorts[sort.replace('-', '')])
  const direction = descending ? sql`desc` : sql`asc`
  const signature = signatureOf(list.name, query)
  const behind = query.after === undefined ? undefined : after(query.after, signature, key, id, descending)
  const head = viewOf(list, sort, key.key)
  const enough = query.limit + 1
  const by = (key: SQL, id: SQL, count: number | null) => sql`order by ${key} ${direction}, ${id} ${direction} limit ${count}`
  const own = (count: number | null) => by(key.key, sql`${id}`, count)
  const ofPage = () => by(sql`"_key"`, sql`"_id"`, enough)
  const filtering = withWords(list)
  const part = (...more: (SQL | undefined)[]) => head.page(and(...list.where, behind, filtering?.where, ...more), own(enough))
  /** One index scan; several that are merged for the archived and the others, and for the sets of `either`. */
  const scans = (scan: (...conditions: (SQL | undefined)[]) => SQL, order: () => SQL) => {
    const all = list.archived && query.archived === 'all'
    const kinds = all ? [sql`${list.archived} = false`, sql`${list.archived} = true`] : [list.archived && kindOf(list.archived, query)]
    const parts = kinds.flatMap((kind) => (list.either ?? [undefined]).map((set) => scan(kind, set)))
    if (parts.length === 1) return parts[0] as SQL
    const merged = sql.join(
      parts.map((part) => sql`(${part})`),
      sql` union all `,
    )
    return sql`select * from (${merged}) ${id.table} ${order()}`
  }
  const rows = (condition?: SQL) => scans((...conditions) => part(...conditions, condition), ofPage)
  const first = (count: number) => {
    const scan = (...conditions: (SQL | undefined)[]) =>
      sql`select ${id.table}.* from ${id.table} where ${and(...list.where, behind, ...conditions) ?? sql`true`} ${own(count)}`
    return scans(scan, () => own(count))
  }
  const pass = () =>
    passOver(
      sql`select ${id} from ${id.table} where ${and(...list.where, eitherOf(list), behind, list.archived && kindOf(list.archived, query), filtering?.scan)} ${own(enough)}`,
    )
  const chosen = filtering
    ? scanList({
        table: id.table,
        rows,
        head: first,
        limit: enough,
        order: ofPage(),
        candidates: filtering.candidates,
        related: filtering.related,
        pass: filtering.scan && pass(),
        walk: walkOf(list, sort, (count) => {
          const scan = (...conditions: (SQL | undefined)[]) =>
            sql`select ${id}, ${key.key}, ${id.table}.search_text from ${id.table} where ${and(behind, ...conditions) ?? sql`true`} ${own(count)}`
          return scans(scan, () => own(count))
        }),
      })
    : rows()
  const fields = withoutKeys(head)
  return {
    query: chosen,
    fields,
    hidden: 2,
    cursor: ([key, id]) => encode([signature, String(key), String(id)]),
    json: jsonPage(chosen, fields, query.limit, (key, id) => encode([signature, key, id])),
    decode: (found, raw) => {
      const last = raw.length > query.limit ? raw[query.limit - 1] : undefined
      const next = last ? encode([signature, String(last[fields.length]), String(last[fields.length + 1])]) : null
      return new Page(found.slice(0, query.limit) as Row[], query.limit, next)
    },
  }
}

const eitherOf = ({ either }: Pick<List<unknown>, 'either'>) => either && sql`(${either[0]} or ${either[1]})`

/** The list's filter and the words of its query, which its records must all contain. */
export function withWords({ filter, query, id }: Pick<List<unknown>, 'filter' | 'query' | 'id'>): Filtering | undefined {
  if (query.search === undefined) return filter
  const holds = contains(id.table, query.search)
  const words: Candidates = { words: query.search }
  if (!filter) return { where: holds, candidates: words }
  return {
    ...filter,
    where: sql`${filter.where} and ${holds}`,
    scan: filter.scan && sql`${filter.scan} and ${holds}`,
    candidates: filter.candidates ? { all: [words, filter.candidates] } : words,
  }
}

/**
 * Sorts whose index has search_text besides (0019), and how far a search reads on in it (see Walk). An entry costs less in an order like that of
 * the rows in the table: whether a row is visible to all is then asked of the same page again.
 */
const WITH_WORDS: Record<string, Record<string, number>> = { contacts: { created_at: 26, updated_at: 26, name: 8 } }

/** The words that every record of such a list contains, where it has no condition that the index lacks. */
function walkOf({ id, where, either, filter, query }: List<unknown>, sort: string, entries: Walk['entries']): Walk | undefined {
  const words = query.search ?? wordsOf(filter?.candidates)
  if (words === undefined || either || where.some((condition) => condition !== undefined)) return undefined
  const near = WITH_WORDS[getTableName(id.table)]?.[sort.replace('-', '')]
  return near === undefined ? undefined : { words, complete: filter === undefined, near, entries }
}

function wordsOf(candidates: Candidates | undefined): string | undefined {
  if (!candidates) return undefined
  if ('words' in candidates) return candidates.words
  return 'all' in candidates ? candidates.all.map(wordsOf).find((words) => words !== undefined) : undefined
}

const publicFields = new WeakMap<object, Field[]>()

/** A select's own columns, without the two for the cursor. */
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

function after(cursor: string, signature: string, { key, type }: { key: SQL; type: string }, id: PgColumn, descending: boolean): SQL {
  const [list, value, lastId] = decode(cursor)
  if (list !== signature) throw invalid([{ path: 'after', message: 'This cursor is of another list, sort or filter: start without it' }])
  return sql`(${key}, ${id}) ${sql.raw(descending ? '<' : '>')} (${value}::${sql.raw(type)}, ${lastId}::uuid)`
}

/** The list with its sort and filters; the page's own parameters may change from page to page. */
export function signatureOf(name: string, { limit: _, after: __, ...rest }: PageQuery): string {
  return crc32(JSON.stringify([name, Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))])).toString(36)
}

export function encode(parts: [string, string, string]): string {
  const text = JSON.stringify(parts)
  return toBase64Url(`${crc32(text).toString(36)}.${text}`)
}

export function decode(cursor: string): [string, string, string] {
  try {
    const text = fromBase64Url(cursor)
    const dot = text.indexOf('.')
    const json = text.slice(dot + 1)
    const parts: unknown = crc32(json).toString(36) === text.slice(0, dot) ? JSON.parse(json) : null
    if (Array.isArray(parts) && parts.length === 3 && parts.every((part) => typeof part === 'string'))
      return parts as [string, string, string]
  } catch {}
  throw invalid([{ path: 'after', message: 'Not a cursor of this API: use page.next of an earlier answer as it is' }])
}
