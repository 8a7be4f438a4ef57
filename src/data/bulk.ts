import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { type Statement, writing } from './db.ts'
import { newRow } from './metadata.ts'

type Rows = Record<string, unknown>[]

const asJson = (rows: Rows): SQL => sql`${JSON.stringify(rows)}::jsonb`

/** The rows as a table `r` of the table's own type; `p.patch` is each row as JSON. */
const rowsFrom = (table: PgTable, json: SQL) =>
  sql`jsonb_array_elements(${json}) as p(patch), jsonb_populate_record(null::${table}, p.patch) as r`

/** The columns that occur in at least one of the rows. */
function columnsOf(table: PgTable, rows: Rows): PgColumn[] {
  const named = new Set(rows.flatMap((row) => Object.keys(row)))
  return Object.values(getTableColumns(table)).filter(({ name }) => named.has(name)) as PgColumn[]
}

/**
 * A rule for a row `r` (as JSON `p.patch`): the row is written only if `condition` is true. Otherwise `field` is reported as an unknown
 * reference, or as invalid with `message`. The rule must also hold after the row was written. `paths`, a text[], are the places that are
 * reported instead of the field, such as those of a list's elements: see eachOf.
 */
export type Reference = { field: string; condition: SQL; message?: string; code?: 'CONFLICT'; paths?: SQL }

/**
 * Whether there is such a row, which an index finds. For many records the planner may answer `exists` by reading the whole table, and this
 * it never does.
 */
export const thereIs = (row: SQL): SQL => sql`((select true from ${row} limit 1) is true)`

/** The rule that a field, if it has a value, references a record of `to` by `key`. */
export const refersTo = (field: string, to: PgTable, key = 'id'): Reference => ({
  field,
  condition: sql`(r.${sql.identifier(field)} is null
    or ${thereIs(sql`${to} t where t.${sql.identifier(key)} = r.${sql.identifier(field)}`)})`,
})

/** The rule that no element `e` (JSON) of the list is `broken`. The error names the `member` of each that is, with its index. */
export function eachOf(list: string, member: string, broken: SQL, message?: string): Reference {
  const paths = sql`array(select concat_ws('.', ${sql.raw(`'${list}'`)}, n - 1, ${sql.raw(`'${member}'`)})
    from jsonb_array_elements(coalesce(p.patch -> ${sql.raw(`'${list}'`)}, '[]')) with ordinality as list(e, n)
    where ${broken})`
  return { field: `${list}.${member}`, condition: sql`cardinality(${paths}) = 0`, paths, ...(message !== undefined && { message }) }
}

/** The rule that each element of the list references a record of `to` by its `member`, or has none. */
export const membersReferTo = (list: string, member: string, to: PgTable, key = 'id'): Reference =>
  eachOf(
    list,
    member,
    sql`e ->> ${member} is not null and not ${thereIs(sql`${to} t where t.${sql.identifier(key)} = (e ->> ${member})::uuid`)}`,
  )

/**
 * A statement of a bulk write that writes no record: it marks, for the transaction, the records that violate a rule. The check of an
 * import runs it too.
 */
export class Guard implements Statement {
  readonly #query: SQL

  constructor(query: SQL) {
    this.#query = query
  }

  getSQL(): SQL {
    return this.#query
  }
}

export const allHold = (references: Reference[]): SQL => sql.join([sql`true`, ...references.map(({ condition }) => condition)], sql` and `)

/**
 * One statement that inserts every row whose references exist and that causes no conflict. `how` gives the SQL of a column, in terms of
 * `r` and `p.patch`. `json` replaces the rows as the source and has no other columns.
 */
export function insertEach(
  table: PgTable,
  rows: Rows,
  references: Reference[],
  how: Record<string, SQL> = {},
  json: SQL = asJson(rows.map(newRow)),
): Statement {
  const columns = columnsOf(table, [...rows, how])
  const names = columns.map(({ name }) => sql.identifier(name))
  const values = columns.map((column) => {
    const { name, notNull, default: initial } = column
    const value = how[name] ?? sql`r.${sql.identifier(name)}`
    if (initial === undefined) return value
    return notNull
      ? sql`coalesce(${value}, ${columnDefault(column)})`
      : sql`case when p.patch ? ${sql.raw(`'${name}'`)} then ${value} else ${columnDefault(column)} end`
  })
  return sql`insert into ${table} (${sql.join(names, sql`, `)}) select ${sql.join(values, sql`, `)} from ${rowsFrom(table, json)}
    where ${allHold(references)} on conflict do nothing`
}

/** A column's default as SQL; drizzle stores SQL or a plain value. */
function columnDefault(column: PgColumn): SQL {
  const initial: unknown = column.default
  if (typeof initial === 'object' && initial !== null && 'getSQL' in initial) return (initial as { getSQL(): SQL }).getSQL()
  if (column.getSQLType() === 'jsonb') return sql`${JSON.stringify(initial)}::jsonb`
  if (Array.isArray(initial)) return sql`'{}'`
  return typeof initial === 'string' ? sql`${initial}::text` : sql.raw(String(initial))
}

/**
 * One statement that updates every row named by `id`, each in the columns of its own patch. `how` overrides the SQL of a column, in terms
 * of the table, `r` and `p.patch`. Rows are locked in order of id, so that two bulk calls cannot deadlock. The ids are an array, because
 * under row-level security a condition with a cast from text would filter the whole table. `json` is as for insertEach.
 */
export function updateEach(
  table: PgTable,
  rows: Rows,
  references: Reference[] = [],
  how: Record<string, SQL> = {},
  json: SQL = asJson(rows),
): Statement {
  const name = sql.identifier(getTableName(table))
  const columns = columnsOf(table, rows).filter((column) => column.name !== 'id')
  const all = new Set([...columns.map((column) => column.name), ...Object.keys(how)])
  if (all.size === 0) return sql`select 1`
  const sets = [...all].map((column) => {
    const id = sql.identifier(column)
    return sql`${id} = ${how[column] ?? sql`case when p.patch ? ${sql.raw(`'${column}'`)} then r.${id} else ${name}.${id} end`}`
  })
  const locked = sql`(select id from ${table} where id = any(array(select (e ->> 'id')::uuid from jsonb_array_elements(${json}) e))
    order by id for update)`
  // The rules are evaluated once for each row: as conditions of the join they would be for each pair of rows.
  const update = sql`with given as materialized (select r as row, p.patch from ${rowsFrom(table, json)} where ${allHold(references)})
    update ${table} set ${sql.join(sets, sql`, `)} from given p, lateral (select (p.row).*) r
    where ${name}.id = r.id and ${name}.id in ${locked}`
  return writing(table, rows, update)
}

/** What each rule reports: its field, with a number where an earlier rule of the field has another message. */
function keysOf(references: Reference[]): string[] {
  const messages = new Map<string, (string | undefined)[]>()
  return references.map(({ field, message }) => {
    const known = messages.get(field) ?? []
    messages.set(field, known)
    if (!known.includes(message)) known.push(message)
    const at = known.indexOf(message)
    return at === 0 ? field : `${field} ${at}`
  })
}
/** The field, or the path, that a rule reports. */
export const fieldOf = (key: string): string => key.replace(/ \d+$/, '')

/** The rules that a row violates, as a text[] of their keys: paths where a rule has them. */
export function violatedFields(references: Reference[]): SQL {
  const keys = keysOf(references)
  const fields = references.flatMap(({ condition, paths }, at) => (paths ? [] : [sql`case when not ${condition} then ${keys[at]} end`]))
  const places = references.flatMap(({ paths }) => (paths ? [paths] : []))
  const own = sql`array_remove(array[${sql.join(fields.length > 0 ? fields : [sql`null`], sql`, `)}]::text[], null)`
  return sql.join([own, ...places], sql` || `)
}

/** The field of the rule that reports a path: the path without indices. */
export const ruleOf = (path: string): string => path.replace(/\.\d+/g, '')

const lastOf = (field: string) => field.slice(field.lastIndexOf('.') + 1)
/** The error message of each rule, by its key. */
export function messagesOf(references: Reference[]): Record<string, string> {
  const keys = keysOf(references)
  return Object.fromEntries(
    references.map(({ field, paths, message = `${paths ? lastOf(field) : field} does not exist in this workspace` }, at) => [
      keys[at],
      message,
    ]),
  )
}

/** For each row, in order: `index`, `id`, the row as JSON (`patch`), and the fields that violate their rule. To be joined to the result. */
export const rowOutcomes = (table: PgTable, rows: Rows, references: Reference[]): SQL =>
  sql`(select p.index - 1 as index, r.id, p.patch, r as row, ${violatedFields(references)} as unknown
    from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) with ordinality as p(patch, index),
      jsonb_populate_record(null::${table}, p.patch) as r)`

/** Asserts the rules for one record, reporting all violations at once. */
export function assertReferences(table: PgTable, row: Record<string, unknown>, references: Reference[]): Statement {
  const messages = messagesOf(references)
  return sql`select assert_condition(cardinality(outcome.unknown) = 0, 'VALIDATION_ERROR', 'Some fields are not valid',
    jsonb_build_object('issues',
    (select jsonb_agg(jsonb_build_object('path', regexp_replace(key, ' [0-9]+$', ''),
      'message', ${JSON.stringify(messages)}::jsonb -> regexp_replace(key, '[.][0-9]+', '', 'g')))
      from (select distinct unnest(outcome.unknown)) broken(key))))
    from ${rowOutcomes(table, [row], references)} outcome`
}
