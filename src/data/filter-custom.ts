import { type SQL, sql } from 'drizzle-orm'
import type { FieldObject } from '../domain/filters/custom-types.ts'
import type { End, Point, Test } from '../domain/filters/types.ts'
import { dayOf } from './filter-tests.ts'

/** The values of a custom field, indexed by what they are compared by (see custom_values). */
export const fieldId = (object: FieldObject, key: string): SQL =>
  sql`(select f.id from custom_fields f where f.object = ${object} and f.field_key = ${key})`

/** What a test asks of a record's custom field. A number or a date stands in `number`, anything else in `text`. */
export function testCustom(object: FieldObject, key: string, recordId: SQL, test: Test): SQL {
  const having = (...conditions: SQL[]) =>
    sql`exists (select from custom_values cv where ${sql.join([sql`cv.field_id = ${fieldId(object, key)}`, sql`cv.record_id = ${recordId}`, ...conditions], sql` and `)})`
  const as = (what: string, values: unknown[]) => sql`(select ${sql.raw(what)}(${object}, ${key}, ${JSON.stringify(values)}::jsonb))`
  switch (test.is) {
    case 'empty':
      return sql`not ${having()}`
    case 'in':
      return having(
        sql`cv.number = any(${as('custom_numbers', test.values)}::float8[])`,
        sql`cv.text = any(${as('custom_texts', test.values)}::text[])`,
      )
    case 'like': {
      const start = sql`(${as('custom_texts', test.texts)}::text[])[1]`
      return test.from === 'start'
        ? having(sql`cv.number = 0`, sql`cv.text >= ${start}`, sql`cv.text < ${start} || chr(1114111)`)
        : having(sql`cv.number = 0`, sql`cv.text like any(${as('custom_patterns', test.texts)}::text[])`)
    }
    case 'numbers':
      return having(...ends(test, (value) => sql`${String(value)}::float8`))
    case 'times':
      return having(...ends(test, dayNumber))
  }
}

const dayNumber = (point: Point): SQL => sql`(${dayOf(point)} - date '1970-01-01')`

function ends<At>({ low, high }: { low?: End<At>; high?: End<At> }, as: (at: At) => SQL): SQL[] {
  return [
    ...(low ? [sql`cv.number ${sql.raw(low.open ? '>' : '>=')} ${as(low.at)}`] : []),
    ...(high ? [sql`cv.number ${sql.raw(high.open ? '<' : '<=')} ${as(high.at)}`] : []),
  ]
}
