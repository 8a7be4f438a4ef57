import { and, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { invalid } from '../errors.ts'
import { fromBase64Url, toBase64Url } from '../lib/base64.ts'
import { crc32 } from '../lib/crc.ts'
import { type Answer, map, rows, type Select } from './answer.ts'

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
  [filter: string]: unknown
}

type Dynamic = { where(condition: SQL | undefined): { orderBy(...by: SQL[]): { limit(count: number): unknown } } }

export type List<Row> = {
  /** Makes the select anew; it has the columns `_key` (what it is sorted by) and `_id`, from `keyed`. */
  select: (keys: { _key: SQL.Aliased; _id: SQL.Aliased }) => unknown
  id: PgColumn
  where: (SQL | undefined)[]
  sorts: Record<string, SortKey>
  /** Where the list has archived records: with `all` two index scans are merged. */
  archived?: PgColumn | undefined
  /** Which list this is, so that another's cursor is refused. */
  name: string
  query: PageQuery
  row?: (row: Row) => Row
}

/**
 * A keyset page: rows behind the cursor, in an order that the id makes total. The cost does not grow with the table, and
 * rows that come or go between two pages make no other row appear twice or not at all.
 */
export function page<Row>(list: List<Row>): Answer<Page<Row>> {
  const { query, sorts, id } = list
  const sort = query.sort ?? '-created_at'
  const descending = sort.startsWith('-')
  const key = keyOf(sorts[sort.replace('-', '')])
  const direction = descending ? sql`desc` : sql`asc`
  const signature = signatureOf(list.name, query)
  const behind = query.after === undefined ? undefined : after(query.after, signature, key, id, descending)
  const keys = { _key: sql`${key.key}`.as('_key'), _id: sql`${id}`.as('_id') }
  const part = (...more: (SQL | undefined)[]) =>
    (list.select(keys) as Dynamic)
      .where(and(...list.where, behind, ...more))
      .orderBy(sql`${key.key} ${direction}`, sql`${id} ${direction}`)
      .limit(query.limit + 1) as Select<Row>

  const answer = rows(list.archived && query.archived !== 'all' ? part(sql`${list.archived} = ${query.archived === 'true'}`) : part())
  if (list.archived && query.archived === 'all') {
    const [active, archived] = [part(sql`${list.archived} = false`), part(sql`${list.archived} = true`)]
    answer.query = sql`select * from ((${active}) union all (${archived})) both_kinds order by "_key" ${direction}, "_id" ${direction} limit ${query.limit + 1}`
  }
  return map(answer, (found) => {
    const items = found.slice(0, query.limit) as (Row & { _key?: unknown; _id?: unknown })[]
    const last = found.length > query.limit ? items.at(-1) : undefined
    const next = last ? encode([signature, String(last._key), String(last._id)]) : null
    for (const item of items) {
      delete item._key
      delete item._id
    }
    return new Page(items as Row[], query.limit, next)
  })
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
function signatureOf(name: string, { limit: _, after: __, ...rest }: PageQuery): string {
  return crc32(JSON.stringify([name, Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))])).toString(36)
}

function encode(parts: [string, string, string]): string {
  const text = JSON.stringify(parts)
  return toBase64Url(`${crc32(text).toString(36)}.${text}`)
}

function decode(cursor: string): [string, string, string] {
  try {
    const text = fromBase64Url(cursor)
    const dot = text.indexOf('.')
    const json = text.slice(dot + 1)
    if (crc32(json).toString(36) === text.slice(0, dot)) return JSON.parse(json)
  } catch {}
  throw invalid([{ path: 'after', message: 'Not a cursor of this API: use page.next of an earlier answer as it is' }])
}
