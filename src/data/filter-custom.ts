import { type SQL, sql } from 'drizzle-orm'
import type { FieldObject } from '../domain/filters/custom-types.ts'
import type { End, Point, Test } from '../domain/filters/types.ts'
import { dayOf } from './filter-tests.ts'

/** A condition on a custom field. */
export type CustomTest = { object: FieldObject; key: string; test: Test }

export type CustomField = Omit<CustomTest, 'test'>

/** The type of the field, read once per statement. */
const typeOf = ({ object, key }: CustomField): SQL => sql`(select custom_type(${object}, ${key}))`

/** The values of the field in a record, one row each, in their compared form: `number` and `text`. */
export const entriesOf = (field: CustomField, metadata: SQL): SQL =>
  sql`custom_entries(${typeOf(field)}, ${metadata} -> ${field.key}::text)`

/** The values of the field in its index. */
export const valuesOf = ({ object, key }: CustomField): SQL =>
  sql`cv.field_id = (select f.id from custom_fields f where f.object = ${object} and f.field_key = ${key})`

/** The condition evaluated on the record alone, so that it needs no index that may still be building. */
export function testCustom(condition: CustomTest, metadata: SQL): SQL {
  const tests = sql.join([sql`true`, ...valueTests(condition)], sql` and `)
  const exists = sql`exists (select from ${entriesOf(condition, metadata)} cv where ${tests})`
  // The name alone identifies most records without a value.
  const has = sql`${metadata} ? ${condition.key}::text`
  return condition.test.is === 'empty' ? sql`(not (${has}) or not ${exists})` : sql`(${has} and ${exists})`
}

/** The condition on one value `cv`: numbers and dates are in `number`, anything else in `text`. */
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
      return [
        ...ends(test, (value) => sql`${String(value)}::float8`),
        ...(test.currency === undefined ? [] : [sql`cv.text = norm(${test.currency})`]),
      ]
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
