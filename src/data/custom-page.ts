import { and, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { type FieldObject, SORTED_TYPES } from '../domain/filters/custom-types.ts'
import { invalid } from '../errors.ts'
import { call } from './call.ts'
import type { Candidates } from './candidates.ts'
import { decode, encode } from './cursors.ts'
import type { Statement } from './db.ts'
import { entriesOf, valuesOf } from './filter-custom.ts'
import { countedMatches, countedRows, passOver, scanList } from './list-scan.ts'
import { withWords } from './list-words.ts'
import { besides, type Filtering, type PageQuery, signatureOf } from './page.ts'
import { Page } from './paged.ts'
import { relatedOf, withRelated } from './parts.ts'
import { type CompiledSelect, compiledSelect, type Query, type Select } from './query.ts'
import { type About, aboutOf } from './reading.ts'
import { countOfList } from './record-counts.ts'
import { assertReadable, type Relation } from './relations.ts'
import { only } from './rows.ts'

export type CustomSort = { object: FieldObject; key: string; descending: boolean }
/** A sort by a time of a record: `<plural>.<sort>` (see record_times). */
export type TimeSort = { time: string; descending: boolean }

/** How a page finds and orders records by a value that is not a column: `cv` has the values of a record, or the entries of the index. */
type Source = {
  /** A row source with the values of a record, as `number` and `text`. */
  values: SQL
  /** The index: a table with number and record_id, the condition of its entries, and whether it is complete. */
  index: SQL
  entries: SQL
  ready: SQL
  /** The columns between number and record_id by which the index is sorted. */
  between: SQL[]
}

function sourceOf(sort: CustomSort | TimeSort, id: PgColumn, metadata: PgColumn): Source {
  if (!('time' in sort))
    return {
      values: entriesOf(sort, sql`${metadata}`),
      index: sql`custom_values`,
      entries: valuesOf(sort),
      ready: sql`(select ${indexReady(sort)})`,
      between: [sql`cv.text`],
    }
  const time = sql`record_time((select current_workspace()), ${sort.time}, ${id})`
  return {
    values: sql`(select number, '' as text from (select ${time} as number) t where number is not null)`,
    index: sql`record_times`,
    entries: sql`cv.sort = ${sort.time}`,
    ready: sql`true`,
    between: [],
  }
}

/** Asserts that a sort is possible: the custom field exists and has a single value per record. */
export function sortable({ object, key }: CustomSort): Statement {
  const checks = [{ object, key, offered: SORTED_TYPES, fits: SORTED_TYPES, field_at: 'sort', op_at: 'sort', value_at: 'sort' }]
  return call('check_custom_conditions', JSON.stringify(checks))
}

type Keys = { _number: SQL.Aliased; _text: SQL.Aliased; _id: SQL.Aliased }
type List<Row> = {
  /** The select without conditions, extended by these columns. The function is constant and called once. */
  select: (keys: Keys) => Select<Row>
  id: PgColumn
  metadata: PgColumn
  where: (SQL | undefined)[]
  filter: Filtering | undefined
  /** Whether the records that meet the filter can be counted. */
  counts?: boolean
  /** As in List of page.ts. */
  isTable?: boolean
  name: string
  query: PageQuery
  sort: CustomSort | TimeSort
}

/** The position of a cursor: at a value of the field, or among the records without one. */
type Place = { value: [number, string] | null; id: string; about: About }

/**
 * A keyset page sorted by a custom field or by a time; records without a value come last, by id. The first records come from the index when
 * it is ready. Every value is read from the record itself, so that all ways of finding the page agree on the order.
 */
export function customPage<Row>(list: List<Row>): Query<Page<Row>> {
  const { id, metadata, where, query, sort } = list
  const signature = signatureOf(list.name, query)
  const last = query.after === undefined ? undefined : parseCursor(query.after, signature)
  const [direction, beyond] = sort.descending ? [sql`desc`, sql`<`] : [sql`asc`, sql`>`]
  const enough = query.limit + 1
  const keyed = viewOf(list)
  const filtering = amongIds(withWords(list), list)
  const source = sourceOf(sort, id, metadata)
  const { ready, between } = source
  const value = sql`left join lateral ${source.values} cv on true`
  const ordered = sql`order by (cv.number is null), cv.number ${direction}, cv.text collate "C" ${direction},
    ${id} ${direction} limit ${enough}`
  const afterPlace = last && behindPlace(last, id, beyond)
  const rows = (condition?: SQL) => sql`${keyed.head} ${value} ${conditions(...where, afterPlace, filtering?.where, condition)} ${ordered}`

  const atValue = last?.value
    ? sql`(${columns([sql`cv.number`, ...between, sql`cv.record_id`])}) ${beyond}
      (${columns([sql`${String(last.value[0])}::float8`, ...between.map(() => sql`${last.value?.[1]}`), sql`${last.id}::uuid`])})`
    : undefined
  const [pastValues, atOther] = last && !last.value ? [sql`false`, sql`${id} ${beyond} ${last.id}::uuid`] : []
  /** The next records with a value, from the index; after these, records without one by id. */
  const head = (count: number) => {
    const valued = sql`select ${id.table}.* from ${source.index} cv join ${id.table} on ${id} = cv.record_id
      ${conditions(source.entries, ready, pastValues, atValue, ...where)}
      order by ${columns([sql`cv.number`, ...between, sql`cv.record_id`].map((column) => sql`${column} ${direction}`))} limit ${count}::int`
    const isShort = sql`(select count(*) from valued) < ${count}::int`
    const others = sql`select ${id.table}.* from ${id.table} ${conditions(ready, isShort, atOther, ...where)}
      order by ${id} ${direction} limit ${count}::int`
    // A record with a value may also be among the others: it counts once, at the position of its value.
    return sql`with valued as materialized (${valued}), others as materialized (${others}) select * from valued union select * from others`
  }
  const pass = sql`select ${id}
    from ${id.table} ${value} ${conditions(...where, afterPlace, filtering?.scan ?? filtering?.where)} ${ordered}`

  const fields = keyed.fields.slice(0, -3)
  const names = query.fields as string[] | undefined
  const relations = (query.include as Relation[] | undefined) ?? []
  const facts = last ? undefined : aboutOf(query, countOf(list, filtering), countOfList(list))
  const found = scanList({
    table: id.table,
    rows,
    head,
    limit: enough,
    order: sql`order by ${customOrder(sort)} limit ${enough}`,
    candidates: filtering?.candidates,
    related: 'time' in sort || filtering?.related,
    headIf: ready,
    pass: passOver(pass),
  })
  const chosen = withRelated(found, fields, 3, relations)
  const count = fields.length + 3 + relations.length
  return {
    query: facts ? besides(chosen, facts.about, count) : chosen,
    fields,
    hidden: 3 + relations.length + (facts ? 1 : 0),
    before: [...(facts?.before ?? []), ...assertReadable(relations)],
    cursor: (keys) => cursorOf(signature, keys, {}),
    decode: (decoded, raw) => {
      const end = raw.length > query.limit ? raw[query.limit - 1] : undefined
      const about = last?.about ?? ((facts ? raw[0]?.[count] : {}) as About)
      // A page without records has a row for the facts.
      const records = decoded.slice(0, query.limit).filter((_, index) => raw[index]?.[fields.length + 2] !== null)
      const items = records.map((row, index) => ({
        ...(only(names, row) as object),
        ...relatedOf(raw[index], fields.length + 3, relations),
      }))
      return new Page(items as Row[], query.limit, end ? cursorOf(signature, end.slice(fields.length), about) : null, about)
    },
  }
}

/** The filter, of only the records that the query names by id. */
function amongIds(filter: Filtering | undefined, { id, query: { ids } }: Pick<List<unknown>, 'id' | 'query'>): Filtering | undefined {
  if (!Array.isArray(ids)) return filter
  const isAmong = sql`${id} = any(${`{${ids.join(',')}}`}::uuid[])`
  const candidates: Candidates = { column: 'id', values: ids }
  if (!filter) return { where: isAmong, candidates }
  return {
    ...filter,
    where: sql`${filter.where} and ${isAmong}`,
    scan: filter.scan && sql`${filter.scan} and ${isAmong}`,
    candidates: filter.candidates ? { all: [filter.candidates, candidates] } : candidates,
  }
}

/** Counts up to a number of the records of the list (see countedMatches). */
function countOf({ id, where, counts }: List<unknown>, filtering: Filtering | undefined): (count: number) => SQL {
  const rows = (condition: SQL | undefined, count: number, of = sql`${id}`) =>
    sql`select ${of} from ${id.table} ${conditions(...where, condition)} limit ${count}::int`
  return (count) =>
    filtering
      ? countedMatches({
          table: id.table,
          rows: () => rows(filtering.where, count),
          head: (most) => rows(undefined, most, sql`${id.table}.*`),
          candidates: filtering.candidates,
          pass: counts ? passOver(rows(filtering.scan ?? filtering.where, count)) : undefined,
        })
      : countedRows(rows(undefined, count))
}

const columns = (all: SQL[]): SQL => sql.join(all, sql`, `)

const indexReady = ({ object, key }: CustomSort): SQL =>
  sql`custom_index_ready(current_workspace(), (select f.id from custom_fields f where f.object = ${object} and f.field_key = ${key}))`

function customOrder({ descending }: { descending: boolean }): SQL {
  const direction = descending ? sql`desc` : sql`asc`
  return sql`("_number" is null), "_number" ${direction}, "_text" collate "C" ${direction}, "_id" ${direction}`
}

function behindPlace({ value, id: after }: Place, id: PgColumn, beyond: SQL): SQL {
  if (!value) return sql`(cv.number is null and ${id} ${beyond} ${after}::uuid)`
  return sql`(cv.number is null
    or (cv.number, cv.text collate "C", ${id}) ${beyond} (${String(value[0])}::float8, ${value[1]}, ${after}::uuid))`
}

const views = new WeakMap<object, CompiledSelect<unknown>>()

function viewOf<Row>({ select, id }: List<Row>): CompiledSelect<unknown> {
  const view =
    views.get(select) ??
    compiledSelect(
      select({
        _number: sql`cv.number`.as('_number'),
        _text: sql`cv.text collate "C"`.as('_text'),
        _id: sql`${id}`.as('_id'),
      }),
    )
  views.set(select, view)
  return view
}

function conditions(...all: (SQL | undefined)[]): SQL {
  const joined = and(...all)
  return joined ? sql`where ${joined}` : sql``
}

const cursorOf = (signature: string, [number, text, id]: unknown[], about: About): string =>
  encode([signature, JSON.stringify(number === null ? null : [number, text]), String(id), about])

function parseCursor(cursor: string, signature: string): Place {
  const [list, value, id, about = {}] = decode(cursor)
  if (list !== signature)
    throw invalid([{ path: 'after', message: 'This cursor belongs to another list, sort or filter: start without it' }])
  return { value: JSON.parse(value), id, about }
}
