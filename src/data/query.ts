import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { ErrorCode } from '../errors.ts'
import { AppError } from '../errors.ts'
import { compile, type Statement } from './db.ts'
import { type JsonQuery, jsonRecord } from './json-body.ts'
import { columnNames, decodeRows, type Field, fieldsOf } from './rows.ts'

/** A drizzle select, or a view of one: it knows its columns and what they are in TypeScript. */
export type Select<Row> = SQLWrapper & { _: { readonly result: Row[] } }

export type Warning = { code: string; field: string; message: string; details?: unknown }
/** What a verb answers with when there is more to say than the data. */
export class WithWarnings<Data> {
  readonly data: Data
  readonly warnings: Warning[]

  constructor(data: Data, warnings: Warning[]) {
    this.data = data
    this.warnings = warnings
  }
}

/**
 * The one select whose rows become a request's answer, and the pure function that shapes them. A repeated request
 * (Idempotency-Key) and an approved one shape stored rows by the same function. `raw` has every column, also the `hidden` ones
 * behind the fields.
 */
export type Query<Out> = {
  query: Statement
  fields: Field[]
  hidden?: number
  decode: (rows: Record<string, unknown>[], raw: unknown[][]) => Out
  /** What is asked in place of no row at all; it raises. */
  missing?: SQL
  /** The same, for a read whose rows need no shaping. */
  json?: JsonQuery | undefined
  /** Of a page: the cursor after a row, from its hidden columns. */
  cursor?: (keys: unknown[]) => string
}

/** What came back from the database, shaped. */
export const decodeResult = <Out>({ fields, decode }: Query<Out>, raw: unknown[][]): Out => decode(decodeRows(fields, raw), raw)

/** The rows of a select as they are. */
export function rows<Row>(select: Select<Row>): Query<Row[]> {
  return { query: select, fields: fieldsOf(select), decode: (found) => found as Row[] }
}

/** Where a page is cut from: `slice` gives the rows that meet the condition, in order and no more than asked. */
export type PageSource<Row> = { fields: Field[]; page(condition: SQL | undefined, order: SQL): SQL; _?: { readonly result: Row[] } }

/** A select without conditions, compiled once and when first asked for: what a request adds to it is short. */
export class CompiledSelect<Row> implements PageSource<Row> {
  readonly #select: Select<Row>
  #fields: Field[] | undefined
  #head: SQL | undefined

  constructor(select: Select<Row>) {
    this.#select = select
  }

  get fields(): Field[] {
    this.#fields ??= fieldsOf(this.#select)
    return this.#fields
  }

  get head(): SQL {
    this.#head ??= this.#compiled()
    return this.#head
  }

  #compiled(): SQL {
    const { sql: text, params } = compile(this.#select)
    if (params.length > 0) throw new Error('A view has no parameters')
    return sql.raw(text)
  }

  where(condition: SQL | undefined): Select<Row> {
    const chosen = condition ? sql`${this.head} where ${condition}` : this.head
    return { getSQL: () => chosen, fields: this.fields } as unknown as Select<Row>
  }

  page(condition: SQL | undefined, order: SQL): SQL {
    return sql`${this.where(condition)} ${order}`
  }
}

export const compiledSelect = <Row>(select: Select<Row>) => new CompiledSelect<Row>(select)

/**
 * Its only row; none is NOT_FOUND, which names `what` was not found. With the record's `id` it tells, in the same trip, what
 * became of the record: merged, or purged.
 */
export function oneOrThrow<Row>(select: Select<Row>, what: string, id?: string): Query<Row> {
  const query = rows(select)
  const first = mapResult(query, ([row]) => row ?? notFound(what))
  const missing = id === undefined ? undefined : sql`raise_not_found(${what}, ${id}::uuid)`
  return { ...first, ...(missing && { missing }), json: jsonRecord(query.query.getSQL(), query.fields, missing) }
}

function notFound(what: string): never {
  throw new AppError('NOT_FOUND', `No such ${what} in this workspace`)
}

export function mapResult<In, Out>(query: Query<In>, decode: (value: In) => Out): Query<Out> {
  return { ...query, decode: (found, raw) => decode(query.decode(found, raw)), json: undefined }
}

/** An answer that needs nothing from the database. */
export const constant = <Out>(value: Out): Query<Out> => ({ query: sql`select 1`, fields: [], hidden: 1, decode: () => value })

/** The answer's rows as one JSON value: an array of arrays. */
export function asJson({ query, fields, hidden = 0, missing }: Query<unknown>): SQL {
  const names = namesOf(fields.length + hidden)
  const notFound = missing ? sql`${missing}::json` : sql`'[]'`
  return sql`(select coalesce(json_agg(json_build_array(${names})), ${notFound}) from (${query.getSQL()}) as a(${names}))`
}

const names = new Map<number, SQL>()

function namesOf(count: number): SQL {
  const known = names.get(count) ?? sql.raw(columnNames(count))
  names.set(count, known)
  return known
}

/** A guard among a request's statements: unless the condition holds, the caller gets this error and nothing has happened. */
export function assert(condition: SQL, code: ErrorCode, message: string, details?: unknown): SQL {
  return sql`select assert_condition((${condition}), ${code}, ${message}, ${details === undefined ? null : JSON.stringify(details)}::jsonb)`
}

/** As `assert`, for a field of the body that does not fit what is stored. */
export const assertField = (condition: SQL, path: string, message: string): SQL =>
  assert(condition, 'VALIDATION_ERROR', 'Some fields are not valid', { issues: [{ path, message }] })
