import { sql } from 'drizzle-orm'
import { jsonRecord, type Parts } from './json-body.ts'
import type { Plan } from './plan.ts'
import type { Query } from './query.ts'
import { assertReadable, type Relation, relatedColumns } from './relations.ts'
import { columnNames, type Field, only } from './rows.ts'

/** The plan of a single record, of which only these parts are sent. */
export function withParts(whole: Plan<unknown>, parts: Parts): Plan<unknown> {
  const { names, relations = [] } = parts
  if (!names && relations.length === 0) return whole
  const { query, fields, hidden = 0, missing, json, decode } = whole.result
  const count = fields.length + hidden
  const result: Query<unknown> = {
    ...whole.result,
    query: withRelated(query.getSQL(), fields, hidden, relations),
    hidden: hidden + relations.length,
    decode: (rows, raw) => ({
      ...(only(
        names,
        decode(
          rows,
          raw.map((row) => row.slice(0, count)),
        ),
      ) as object),
      ...relatedOf(raw[0], count, relations),
    }),
    json: json && jsonRecord(query.getSQL(), fields, missing, parts),
  }
  return { ...whole, statements: [...whole.statements, ...assertReadable(relations)], result }
}

/** The rows of a select with the related records of each in further columns. */
export const withRelated = (query: ReturnType<typeof sql>, fields: Field[], hidden: number, relations: Relation[]) =>
  relations.length === 0
    ? query
    : sql`select ${sql.join([sql`q.*`, ...relatedColumns(fields, relations)], sql`, `)}
      from (${query}) q(${sql.raw(columnNames(fields.length + hidden))})`

/** The related records in the columns of such a row after the first `count`. */
export const relatedOf = (row: unknown[] | undefined, count: number, relations: Relation[]) =>
  Object.fromEntries(relations.map(({ name }, index) => [name, row?.[count + index] ?? null]))
