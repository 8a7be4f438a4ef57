import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { ErrorCode } from '../errors.ts'
import { AppError } from '../errors.ts'
import type { Statement } from './db.ts'

type Decoder = { mapFromDriverValue(value: never): unknown }
type Field = { path: string[]; decode: Decoder }
/** A drizzle select: it knows its columns and what they are in TypeScript. */
export type Select<Row> = SQLWrapper & { _: { readonly result: Row[] }; getSelectedFields?(): unknown }

export type Warning = { code: string; field: string; message: string; details?: unknown }
/** What a verb answers with when there is more to say than the data. */
export class Said<Data> {
  readonly data: Data
  readonly warnings: Warning[]

  constructor(data: Data, warnings: Warning[]) {
    this.data = data
    this.warnings = warnings
  }
}

/**
 * The one select whose rows become a request's answer, and the pure function that shapes them. A repeated request
 * (Idempotency-Key) and an approved one shape stored rows by the same function.
 */
export type Answer<Out> = { query: Statement; fields: Field[]; shape: (rows: Record<string, unknown>[]) => Out }

/** The rows of a select as they are. */
export function rows<Row>(select: Select<Row>): Answer<Row[]> {
  return { query: select, fields: fieldsOf(select), shape: (found) => found as Row[] }
}

/** Its only row; none is NOT_FOUND, which names `what` was not found. */
export function one<Row>(select: Select<Row>, what: string): Answer<Row> {
  return map(rows(select), ([row]) => {
    if (!row) throw new AppError('NOT_FOUND', `No such ${what} in this workspace`)
    return row
  })
}

export function map<In, Out>(answer: Answer<In>, shape: (value: In) => Out): Answer<Out> {
  return { ...answer, shape: (found) => shape(answer.shape(found)) }
}

/** An answer that needs nothing from the database. */
export const said = <Out>(value: Out): Answer<Out> => ({
  query: sql`select 1`,
  fields: [{ path: ['one'], decode: plain }],
  shape: () => value,
})

const plain: Decoder = { mapFromDriverValue: (value) => value }

/** Drizzle keeps a select's columns in this private place; `_.selectedFields` is public but flattened only there. */
function fieldsOf(select: Select<unknown>): Field[] {
  return flatten((select as unknown as { config: { fields: Record<string, unknown> } }).config.fields)
}

function flatten(fields: Record<string, unknown>, path: string[] = []): Field[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const here = [...path, name]
    if (isDecoder(field)) return [{ path: here, decode: field }]
    const wrapped = field as { sql?: { decoder?: Decoder }; decoder?: Decoder }
    const decode = wrapped.sql?.decoder ?? wrapped.decoder
    if (decode) return [{ path: here, decode }]
    return flatten(field as Record<string, unknown>, here)
  })
}

const isDecoder = (field: unknown): field is Decoder => typeof (field as Decoder).mapFromDriverValue === 'function'

/** Rows as the database sends them, an array of JSON values each, become objects under the select's own names. */
export function decode(fields: Field[], found: unknown[][]): Record<string, unknown>[] {
  return found.map((values) => {
    const row: Record<string, unknown> = {}
    for (let i = 0; i < fields.length; i++) {
      const { path, decode } = fields[i] as Field
      const value = values[i] === null || values[i] === undefined ? null : decode.mapFromDriverValue(values[i] as never)
      put(row, path, value)
    }
    return row
  })
}

function put(row: Record<string, unknown>, [name = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) row[name] = value
  else {
    row[name] ??= {}
    put(row[name] as Record<string, unknown>, rest, value)
  }
}

/** The answer's rows as one JSON value: an array of arrays. */
export function asJson({ query, fields }: Pick<Answer<unknown>, 'query' | 'fields'>): SQL {
  const names = fields.map((_, i) => sql.raw(`c${i}`))
  return sql`(select coalesce(json_agg(json_build_array(${sql.join(names, sql`, `)})), '[]') from (${query.getSQL()}) as a(${sql.join(names, sql`, `)}))`
}

/** A guard among a request's statements: unless the condition holds, the caller gets this error and nothing has happened. */
export function ensure(condition: SQL, code: ErrorCode, message: string, details?: unknown): SQL {
  return sql`select ensure((${condition}), ${code}, ${message}, ${details === undefined ? null : JSON.stringify(details)}::jsonb)`
}

/** As `ensure`, for a field of the body that does not fit what is stored. */
export const ensureField = (condition: SQL, path: string, message: string): SQL =>
  ensure(condition, 'VALIDATION_ERROR', 'Some fields are not valid', { issues: [{ path, message }] })
