import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Warning } from '../domain/warnings.ts'
import type { ErrorCode } from '../errors.ts'
import { AppError } from '../errors.ts'
import { call } from './call.ts'
import { compile, type PlainStatement, type Statement } from './db.ts'
import { type JsonQuery, jsonRecord } from './json-body.ts'
import { columnNames, decodeRows, type Field, fieldsOf } from './rows.ts'

/** A drizzle select, or a compiled one, with the TypeScript type of its rows. */
export type Select<Row> = SQLWrapper & { _: { readonly result: Row[] } }

/** A select whose rows drizzle cannot type, because its columns are not known to the compiler, with the type that they have. */
export const typed = <Row>(select: SQLWrapper | { getSQL(): SQL; fields: Field[] }): Select<Row> => select as unknown as Select<Row>

export type { Warning }
/** A result with warnings. */
export class WithWarnings<Data> {
  readonly data: Data
  readonly warnings: Warning[]

  constructor(data: Data, warnings: Warning[]) {
    this.data = data
    this.warnings = warnings
  }
}

/** A result of an addition that may be repeated. `isNew`: this request has added the row; otherwise it was there before. */
export class Added<Data> {
  readonly data: Data
  readonly isNew: boolean

  constructor(data: Data, isNew: boolean) {
    this.data = data
    this.isNew = isNew
  }
}

/** A result that the background completes: the job says how far it is. */
export class Accepted<Data> {
  readonly data: Data
  readonly jobId: string
  readonly warnings: Warning[]

  constructor(data: Data, jobId: string, warnings: Warning[] = []) {
    this.data = data
    this.jobId = jobId
    this.warnings = warnings
  }
}

/**
 * The select that returns a request's result, and the pure function that decodes its rows. Repeated requests (Idempotency-Key) and
 * approved ones decode stored rows with the same function. `raw` has every column, including the `hidden` ones after the fields.
 */
export type Query<Out> = {
  query: Statement
  fields: Field[]
  hidden?: number
  decode: (rows: Record<string, unknown>[], raw: unknown[][]) => Out
  /** Statements that must run right before the query. */
  before?: Statement[]
  /** Runs when no row matched; raises NOT_FOUND with `merged_into` or `purged_at`. */
  missing?: SQL
  /** The same result as JSON text, for reads whose rows need no decoding. */
  json?: JsonQuery | undefined
  /** Whether sessions keep the plan of the query: its text is the same for other records, and its best plan does not depend on values. */
  kept?: boolean | undefined
  /** The statement that reads it, where it is compiled already. */
  compiled?: PlainStatement | undefined
  /** For a page: builds the cursor after a row from its hidden columns. */
  cursor?: (keys: unknown[]) => string
}

/** Decodes the rows that the database returned. */
export const decodeResult = <Out>({ fields, decode }: Query<Out>, raw: unknown[][]): Out => decode(decodeRows(fields, raw), raw)

/** Returns the rows of a select unchanged. */
export function rows<Row>(select: Select<Row>): Query<Row[]> {
  return { query: select, fields: fieldsOf(select), decode: (decoded) => decoded as Row[] }
}

/** The source of a page: `page` returns the rows that meet the condition, in the given order and limit. */
export type PageSource<Row> = {
  fields: Field[]
  /** Whether it joins tables, so that its best plan depends on how many rows a condition leaves. */
  joins?: boolean
  page(condition: SQL | undefined, order: SQL): SQL
  _?: { readonly result: Row[] }
}

/** A select without conditions that is compiled once, on first use. Each request only adds its condition. */
export class CompiledSelect<Row> implements PageSource<Row> {
  readonly #select: Select<Row>
  #fields: Field[] | undefined
  #known: { head: SQL; joins: boolean } | undefined

  constructor(select: Select<Row>) {
    this.#select = select
  }

  get fields(): Field[] {
    this.#fields ??= fieldsOf(this.#select)
    return this.#fields
  }

  get head(): SQL {
    return this.#compiled.head
  }

  get joins(): boolean {
    return this.#compiled.joins
  }

  get #compiled(): { head: SQL; joins: boolean } {
    if (!this.#known) {
      const { sql: text, params } = compile(this.#select)
      if (params.length > 0) throw new Error('A compiled select has no parameters')
      this.#known = { head: sql.raw(text), joins: / (?:inner|left) join "/.test(text) }
    }
    return this.#known
  }

  where(condition: SQL | undefined): Select<Row> {
    const chosen = condition ? sql`${this.head} where ${condition}` : this.head
    return typed<Row>({ getSQL: () => chosen, fields: this.fields })
  }

  page(condition: SQL | undefined, order: SQL): SQL {
    return sql`${this.where(condition)} ${order}`
  }
}

export const compiledSelect = <Row>(select: Select<Row>) => new CompiledSelect<Row>(select)

/**
 * Returns the only row, or raises NOT_FOUND for `what`. With the record's `id`, the same round trip reports whether the record was merged
 * or purged.
 */
export function oneOrThrow<Row>(select: Select<Row>, what: string, id?: string): Query<Row> {
  const query = rows(select)
  const first = mapResult(query, ([row]) => row ?? notFound(what))
  const missing = id === undefined ? undefined : sql`raise_not_found(${what}, ${id}::uuid)`
  return { ...first, kept: true, ...(missing && { missing }), json: jsonRecord(query.query.getSQL(), query.fields, missing) }
}

/** A result that also says whether the request has added its row, which is so if the condition holds. */
export function addedIf<Out>(query: Query<Out>, isAdded: SQL): Query<Added<Out>> {
  const { fields } = query
  return {
    ...query,
    query: sql`select q.*, ${isAdded} from (${query.query.getSQL()}) q(${namesOf(fields.length)})`,
    hidden: 1,
    decode: (decoded, raw) => new Added(query.decode(decoded, raw), raw[0]?.[fields.length] === true),
    json: undefined,
  }
}

function notFound(what: string): never {
  throw new AppError('NOT_FOUND', `No such ${what} in this workspace`)
}

export function mapResult<In, Out>(query: Query<In>, decode: (value: In) => Out): Query<Out> {
  return { ...query, decode: (decoded, raw) => decode(query.decode(decoded, raw)), json: undefined }
}

/** A result that needs nothing from the database. */
export const constant = <Out>(value: Out): Query<Out> => ({ query: sql`select 1`, fields: [], hidden: 1, decode: () => value })

/** The rows of the result as one JSON value: an array of arrays. */
export function asJson({ query, fields, hidden = 0, missing }: Query<unknown>): SQL {
  const names = namesOf(fields.length + hidden)
  const notFound = missing ? sql`${missing}::json` : sql`'[]'`
  return sql`(select coalesce(json_agg(json_build_array(${names})), ${notFound}) from (${query.getSQL()}) as a(${names}))`
}

/** The only value of a result, with a kept plan where that is possible; a repeated select costs a fraction then. */
export function withKeptPlan(query: Query<unknown>, value: SQL): SQL {
  return query.kept ? runKept(sql`select ${value}`) : value
}

/** A select of one value with a kept plan: one that serves all values, see run_kept. */
export function runKept(select: SQL): SQL {
  const { sql: text, params } = compile(select)
  return sql`run_kept(${text}, ${JSON.stringify(params)}::jsonb)`
}

const names = new Map<number, SQL>()

function namesOf(count: number): SQL {
  const cached = names.get(count) ?? sql.raw(columnNames(count))
  names.set(count, cached)
  return cached
}

/** A guard statement: unless the condition holds, the transaction is rolled back with this error. */
export function assert(condition: SQL, code: ErrorCode, message: string, details?: unknown): SQL {
  return sql`select assert_condition((${condition}), ${code}, ${message}, ${details === undefined ? null : JSON.stringify(details)}::jsonb)`
}

/** As `assertField`, for places of the body: an SQL text[]. */
export const assertNoPaths = (paths: SQL, message: string): SQL => call('fail_paths', paths, message)

/**
 * Asserts that the list `field` names each of these ids, an SQL uuid[], exactly once. An error names the index of an id; `message` is for
 * one that is missing.
 */
export const assertEveryId = (field: string, ids: string[], known: SQL, message: string): SQL =>
  call('assert_every_id', field, `{${ids.join(',')}}`, known, message)

/** As `assert`, for a field of the body that contradicts stored data. */
export const assertField = (condition: SQL, path: string, message: string): SQL =>
  assert(condition, 'VALIDATION_ERROR', 'Some fields are not valid', { issues: [{ path, message }] })

/** Rows of plain values: the columns of the query, by these names. */
export const plainRows = <Row>(query: SQL, names: string[]): Query<Row[]> => rows(selected<Row>(query, names))

/** A select whose columns are named and need no decoding. */
export const selected = <Row>(query: SQL, names: string[]): Select<Row> =>
  typed<Row>({ getSQL: () => query, fields: names.map((name) => ({ path: [name], read: null, toJson: null })) })
