import { type SQL, sql } from 'drizzle-orm'
import type { FieldObject } from '../domain/filters/custom-types.ts'
import type { End, Point, Test } from '../domain/filters/types.ts'
import { dayOf } from './filter-tests.ts'

/** What a record's custom field must be. */
export type CustomTest = { object: FieldObject; key: string; test: Test }

const fieldId = ({ object, key }: Omit<CustomTest, 'test'>): SQL =>
  sql`(select f.id from custom_fields f where f.object = ${object} and f.field_key = ${key})`

/** The field's values, in the order of their index. */
export const valuesOf = (field: Omit<CustomTest, 'test'>): SQL => sql`cv.field_id = ${fieldId(field)}`

/** Whether the record's field is so. It is looked up record by record: what the planner believes of a field's values is worth little. */
export function testCustom(asked: CustomTest, recordId: SQL): SQL {
  const conditions = [valuesOf(asked), sql`cv.record_id = ${recordId}`, ...valueTests(asked)]
  const exists = sql`exists (select from custom_values cv where ${sql.join(conditions, sql` and `)} offset 0)`
  return asked.test.is === 'empty' ? sql`not ${exists}` : exists
}

/** The records whose field is so, from the index of its values. */
export const recordsWith = (asked: CustomTest): SQL =>
  sql`select cv.record_id as id from custom_values cv where ${sql.join([valuesOf(asked), ...valueTests(asked)], sql` and `)}`

/** What is asked of one value `cv`. A number or a date stands in `number`, anything else in `text`. */
export function valueTests({ object, key, test }: CustomTest): SQL[] {
  const as = (what: string, values: unknown[]) => sql`(select ${sql.raw(what)}(${object}, ${key}, ${JSON.stringify(values)}::jsonb))`
  switch (test.is) {
    case 'empty':
      return []
    case 'in':
      return [
        sql`cv.number = any(${as('custom_numbers', test.values)}::float8[])`,
        sql`cv.text = any(${as('custom_texts', test.values)}::text[])`,
      ]
    case 'like': {
      const start = sql`(${as('custom_texts', test.texts)}::text[])[1]`
      return test.from === 'start'
        ? [sql`cv.number = 0`, sql`cv.text >= ${start}`, sql`cv.text < ${start} || chr(1114111)`]
        : [sql`cv.number = 0`, sql`cv.text like any(${as('custom_patterns', test.texts)}::text[])`]
    }
    case 'numbers':
      return ends(test, (value) => sql`${String(value)}::float8`)
    case 'times':
      return ends(test, dayNumber)
  }
}

const dayNumber = (point: Point): SQL => sql`(${dayOf(point)} - date '1970-01-01')`

function ends<At>({ low, high }: { low?: End<At>; high?: End<At> }, as: (at: At) => SQL): SQL[] {
  return [
    ...(low ? [sql`cv.number ${sql.raw(low.open ? '>' : '>=')} ${as(low.at)}`] : []),
    ...(high ? [sql`cv.number ${sql.raw(high.open ? '<' : '<=')} ${as(high.at)}`] : []),
  ]
}
