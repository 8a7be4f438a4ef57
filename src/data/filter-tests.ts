import { type SQL, sql } from 'drizzle-orm'
import type { End, Field, Point, RootName, Test } from '../domain/filters/types.ts'

/** A row in a filter: its object, and its alias in the query. */
export type Row = { object: RootName; alias: string }
/** A field of such a row. */
export type Tested = { row: Row; name: string; field: Field; value: SQL }

export const column = ({ alias }: Row, name: string): SQL => sql`${sql.identifier(alias)}.${sql.identifier(name)}`

/**
 * Whether a task of the table with this alias is overdue. The condition of a due date is that of the indexes, in which tasks without one
 * come last.
 */
export const isOverdue = (alias: string): SQL => {
  const task = (name: string) => sql`${sql.identifier(alias)}.${sql.identifier(name)}`
  const dueAt = sql`(case when ${task('due_at')} is null then 'infinity'::timestamptz else ${task('due_at')} end)`
  return sql`(${task('status')} <> 'completed' and ${dueAt} < now() and (not ${task('all_day')} or ${dueAt} < now() - interval '24 hours'))`
}

/** An array as Postgres reads it. */
export const arrayOf = (values: unknown[], type: 'text' | 'uuid' | 'numeric' | 'bigint'): SQL =>
  sql`${`{${values.map((value) => `"${String(value).replace(/["\\]/g, '\\$&')}"`).join(',')}}`}::${sql.raw(type)}[]`

/** The SQL condition of a test on a field. It is null for a row without a value. */
export function tested(of: Tested, test: Test): SQL {
  switch (test.is) {
    case 'in':
      return isIn(of, test.values)
    case 'like':
      return isLike(of, test)
    case 'numbers':
      return sql.join(numberEnds(of, test), sql` and `)
    case 'times':
      return sql.join(of.field.kind === 'date' ? dayEnds(of.value, test) : instantEnds(of.value, test), sql` and `)
    case 'empty':
      return isEmpty(of)
  }
}

type Like = Extract<Test, { is: 'like' }>
type Numbers = Extract<Test, { is: 'numbers' }>
type Times = Extract<Test, { is: 'times' }>

/** Money is compared in cents, because the index holds cents. */
const inCents = ({ row, name }: Tested) => row.object === 'opportunities' && name === 'value'

function isIn(of: Tested, values: (string | number | boolean)[]): SQL {
  const { row, name, field, value } = of
  const [only] = values
  const texts = arrayOf(values, 'text')
  if (name === 'tags') return sql`${value} && norm_all(${texts})`
  switch (field.kind) {
    case 'boolean':
      return sql`${value} = ${sql.raw(String(only))}`
    case 'id':
      return values.length === 1 ? sql`${value} = ${only}::uuid` : sql`${value} = any(${arrayOf(values, 'uuid')})`
    case 'number':
      return inCents(of)
        ? sql`${column(row, 'value_minor')} = any(${arrayOf((values as number[]).map(cents).filter(Number.isSafeInteger), 'bigint')})`
        : sql`${value} = any(${arrayOf(values, 'numeric')})`
    case 'list':
      return field.reads ? sql`${value} && ${texts}` : sql`lower_all(${value}) && lower_all(${texts})`
    default:
      if (name === 'name') return sql`${value} = any(norm_all(${texts}))`
      if (field.kind === 'text' && !field.exact) return sql`lower(${value}) = any(lower_all(${texts}))`
      return values.length === 1 ? sql`${value} = ${only}` : sql`${value} = any(${texts})`
  }
}

/** The amount in cents; NaN for a value with fractions of a cent, which no amount equals. */
export function cents(amount: number): number {
  const scaled = Math.round(amount * 100)
  return scaled / 100 === amount ? scaled : Number.NaN
}

function isLike({ name, value }: Tested, test: Like): SQL {
  const {
    texts: [text = ''],
    from,
  } = test
  if (name === 'name' && from === 'start') return sql`${value} >= norm(${text}) and ${value} < norm(${text}) || chr(1114111)`
  const pattern = `${from === 'start' ? '' : '%'}${text.replace(/[\\%_]/g, '\\$&')}%`
  return name === 'name' ? sql`${value} like '%' || literally(norm(${text})) || '%'` : sql`${value} ilike ${pattern}`
}

function numberEnds(of: Tested, { low, high }: Numbers): SQL[] {
  if (!inCents(of)) return [...end('>', of.value, low, exactly), ...end('<', of.value, high, exactly)]
  const minor = column(of.row, 'value_minor')
  const round = (how: 'ceil' | 'floor') => (amount: number) =>
    sql`${sql.raw(how)}(least(greatest(${String(amount)}::numeric, -1e13), 1e13) * 100)::bigint`
  return [...end('>', minor, low, round(low?.open ? 'floor' : 'ceil')), ...end('<', minor, high, round(high?.open ? 'ceil' : 'floor'))]
}

const exactly = (value: number) => sql`${String(value)}::numeric`

/** At most one comparison with an end of a range. */
function end<At>(side: '<' | '>', value: SQL, bound: End<At> | undefined, as: (at: At) => SQL): SQL[] {
  return bound ? [sql`${value} ${sql.raw(bound.open ? side : `${side}=`)} ${as(bound.at)}`] : []
}

/** A day of a filter whose days are computed (see placeDays). */
export function dayOf(point: Point): SQL {
  if ('days' in point) throw new Error('Which day it is must be computed before a filter becomes SQL')
  return 'day' in point ? sql`${point.day}::date` : sql`null::date`
}

const dayEnds = (value: SQL, { low, high }: Times): SQL[] => [...end('>', value, low, dayOf), ...end('<', value, high, dayOf)]

function instantEnds(value: SQL, { low, high }: Times): SQL[] {
  const moment = (point: Point) => {
    if ('day' in point) throw new Error('When a day begins must be computed before a filter becomes SQL')
    return 'days' in point ? sql`now() + make_interval(hours => ${24 * point.days}::int)` : sql`${point.instant}::timestamptz`
  }
  return [...end('>', value, low, moment), ...end('<', value, high, moment)]
}

function isEmpty({ field, value }: Tested): SQL {
  if (field.kind === 'list') return sql`coalesce(cardinality(${value}), 0) = 0`
  return field.kind === 'text' ? sql`coalesce(${value}, '') = ''` : sql`${value} is null`
}
