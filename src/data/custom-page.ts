import { and, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { type FieldObject, SORTED_TYPES } from '../domain/filters/custom-types.ts'
import { invalid } from '../errors.ts'
import { type Answer, type Select, type View, view } from './answer.ts'
import type { Statement } from './db.ts'
import { type CustomTest, valuesOf, valueTests } from './filter-custom.ts'
import { decode, encode, Page, type PageQuery, signatureOf } from './page.ts'

export type CustomSort = { object: FieldObject; key: string; descending: boolean }

/** Guards a sort by a custom field: it exists, and a record has one value of it. */
export function sortable({ object, key }: CustomSort): Statement {
  const asked = [{ object, key, offered: SORTED_TYPES, fits: SORTED_TYPES, field_at: 'sort', op_at: 'sort', value_at: 'sort' }]
  return sql`select check_custom_conditions(${JSON.stringify(asked)}::jsonb)`
}

type Keys = { _number: SQL.Aliased; _text: SQL.Aliased; _id: SQL.Aliased }
type List<Row> = {
  /** The select without conditions, with these columns behind its own. A constant function is asked once. */
  select: (keys: Keys) => Select<Row>
  id: PgColumn
  where: (SQL | undefined)[]
  /** What a filter asks of the same field's values. */
  must: CustomTest[]
  name: string
  query: PageQuery
  sort: CustomSort
}

/** Where a page ended: at a value of the field, or among the records without one. */
type Place = { value: [number, string] | null; id: string }

/**
 * A keyset page in the order of a custom field, on the index of its values; when those come to an end, the records without
 * one by id.
 */
export function customPage<Row>(list: List<Row>): Answer<Page<Row>> {
  const { id, where, must, query, sort } = list
  const signature = signatureOf(list.name, query)
  const last = query.after === undefined ? undefined : placeOf(query.after, signature)
  const [direction, beyond] = sort.descending ? [sql`desc`, sql`<`] : [sql`asc`, sql`>`]
  const enough = query.limit + 1
  const { valued, others } = viewsOf(list)

  const withValue = sql`${valued.head} join custom_values cv on cv.record_id = ${id} and ${valuesOf(sort)}
    ${conditions(...where, ...must.flatMap(valueTests), last && behind(last, beyond))} order by cv.number ${direction}, cv.text ${direction}, cv.record_id ${direction} limit ${enough}`
  const none =
    must.length > 0 ? sql`false` : sql`not exists (select from custom_values cv where ${valuesOf(sort)} and cv.record_id = ${id})`
  const behindNone = last && !last.value ? sql`${id} ${beyond} ${last.id}::uuid` : undefined
  const isShort = sql`(select count(*) from valued) < ${enough}`
  const without = sql`${others.head} ${conditions(...where, none, behindNone, isShort)} order by ${id} ${direction} limit ${enough}`

  const fields = valued.fields.slice(0, -3)
  return {
    query: sql`with valued as materialized (${withValue}) select * from (select * from valued union all (${without})) both_kinds
      order by ${customOrder(sort)} limit ${enough}`,
    fields,
    hidden: 3,
    shape: (found, raw) => {
      const end = raw.length > query.limit ? raw[query.limit - 1] : undefined
      return new Page(found.slice(0, query.limit) as Row[], query.limit, end ? cursorOf(signature, end.slice(fields.length)) : null)
    },
  }
}

export function customOrder({ descending }: CustomSort): SQL {
  const direction = descending ? sql`desc` : sql`asc`
  return sql`("_number" is null), "_number" ${direction}, "_text" ${direction}, "_id" ${direction}`
}

const behind = ({ value, id }: Place, beyond: SQL): SQL =>
  value ? sql`(cv.number, cv.text, cv.record_id) ${beyond} (${String(value[0])}::float8, ${value[1]}, ${id}::uuid)` : sql`false`

type Views = { valued: View<unknown>; others: View<unknown> }
const views = new WeakMap<object, Views>()

function viewsOf<Row>({ select, id }: List<Row>): Views {
  const made = views.get(select) ?? {
    valued: view(select(keysOf(sql`cv.number`, sql`cv.text`, id))),
    others: view(select(keysOf(sql`null::float8`, sql`null::text`, id))),
  }
  views.set(select, made)
  return made
}

const keysOf = (number: SQL, text: SQL, id: PgColumn): Keys => ({
  _number: number.as('_number'),
  _text: text.as('_text'),
  _id: sql`${id}`.as('_id'),
})

function conditions(...all: (SQL | undefined)[]): SQL {
  const joined = and(...all)
  return joined ? sql`where ${joined}` : sql``
}

const cursorOf = (signature: string, [number, text, id]: unknown[]): string =>
  encode([signature, JSON.stringify(number === null ? null : [number, text]), String(id)])

function placeOf(cursor: string, signature: string): Place {
  const [list, value, id] = decode(cursor)
  if (list !== signature) throw invalid([{ path: 'after', message: 'This cursor is of another list, sort or filter: start without it' }])
  return { value: JSON.parse(value), id }
}
