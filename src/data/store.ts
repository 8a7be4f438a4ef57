import { eq, getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { GenericSchema, InferOutput } from 'valibot'
import type { Ctx } from '../context.ts'
import type { FieldObject } from '../domain/filters/custom-types.ts'
import { assertReferences, type Reference, updateEach } from './bulk.ts'
import { call } from './call.ts'
import { db, type Statement, writing } from './db.ts'
import { clearable, merging, newRow } from './metadata.ts'
import { type Plan, plan, read } from './plan.ts'
import { compiledSelect, constant, oneOrThrow, runKept, type Select, typed } from './query.ts'

/** A table whose rows can be listed. */
export type ListedTable = PgTable & Record<'id' | 'workspace_id' | 'created_at', PgColumn>
export type OwnedTable = ListedTable & Record<'version', PgColumn>
export type Columns<T extends PgTable> = T['_']['columns']

/** The type of a computed column: the expression's own, or where it states none that of the schema. */
type Computed<X, Entries> = {
  [Name in keyof X]: X[Name] extends SQL.Aliased<infer Own> | SQL<infer Own>
    ? unknown extends Own
      ? SQL.Aliased<Name extends keyof Entries ? Output<Entries[Name]> : unknown>
      : X[Name]
    : X[Name]
}
type Output<S> = S extends GenericSchema ? InferOutput<S> : unknown

/** The columns of a select: those of the table that the schema names, and the computed ones. */
// biome-ignore lint/complexity/noBannedTypes: without computed columns
export function columnsFor<T extends PgTable, E extends Record<string, unknown>, X extends Record<string, SQL | SQL.Aliased> = {}>(
  table: T,
  shape: { entries: E },
  computed?: X,
): Pick<Columns<T>, Extract<keyof E, Exclude<keyof Columns<T>, keyof X>>> & Computed<X, E> {
  const named = Object.keys(shape.entries).map((name) => {
    const field = computed?.[name] ?? columnOf(table, name)
    if (!field) throw new Error(`${getTableName(table)} has no ${name}`)
    return [name, field]
  })
  return Object.fromEntries(named)
}

/** A column by its name. */
export const columnOf = (table: PgTable, name: string): PgColumn | undefined => getTableColumns(table)[name]

/** Locks the record for this transaction and asserts that it exists and has the version named by If-Match. */
export function lockForUpdate(ctx: Pick<Ctx, 'ifMatch'>, table: OwnedTable, id: string, what: string): Statement {
  return sql`select assert_record((select version from ${table} where ${table.id} = ${id} for update),
    ${ctx.ifMatch ?? null}::int, ${what}, ${id}::uuid)`
}

/** Raises CONFLICT for a record with more dependants than one statement deletes in time. */
export const assertFewDependants = (table: OwnedTable, id: string, what: string): Statement =>
  call('assert_few_dependants', getTableName(table), id, what)

/** Locks a record that is deleted with all its dependants. */
export const lockForDelete = (ctx: Pick<Ctx, 'ifMatch'>, table: OwnedTable, id: string, what: string): Statement[] => [
  lockForUpdate(ctx, table, id, what),
  assertFewDependants(table, id, what),
]

/** Locks many records in order of id, so that two bulk calls cannot deadlock. */
export function lockAllForUpdate(table: OwnedTable, ids: string[]): Statement {
  return sql`select count(*)
    from (select from ${table} where ${table.id} = any(${`{${ids.join(',')}}`}::uuid[]) order by ${table.id} for update) locked`
}

/** Raises NOT_FOUND unless the record exists; for lists below a record. */
export const assertExists = (table: PgTable & { id: PgColumn }, id: string, what: string): Statement =>
  sql`select ${runKept(sql`select assert_exists(exists (select from ${table} where ${table.id} = ${id}), ${what}, ${id}::uuid)`)}`

/** The same for a write that refers to the record: nobody deletes it before this transaction has ended. */
export const assertStays = (table: PgTable & { id: PgColumn }, id: string, what: string): Statement =>
  sql`select assert_exists(exists (select from ${table} where ${table.id} = ${id} for key share), ${what}, ${id}::uuid)`

/** Column values by name. */
type Values = object

/** Inserts a row. With `again`, a row that has the same values in these columns gets the other fields instead, or stays as it is. */
export function insertRow(table: OwnedTable, row: Values, again?: { by: PgColumn[] }): Statement {
  const insert = db.insert(table).values(valuesOf(newRow(row)))
  if (!again) return writing(table, [row], insert)
  const key = ['id', ...again.by.map(({ name }) => name)]
  const others = Object.fromEntries(Object.entries(row).filter(([name]) => !key.includes(name)))
  if (Object.keys(others).length === 0) return insert.onConflictDoNothing()
  return insert.onConflictDoUpdate({ target: [table.workspace_id, ...again.by], set: valuesOf(others) })
}

/** Whether the row of this id exists: an id that the request has chosen exists if the request has added the row. */
export const rowExists = (table: OwnedTable, id: string): SQL => sql`exists (select from ${table} where ${table.id} = ${id})`

/** After an addition that may be repeated: the request log has the status that the caller receives. */
export const noteAdded = (isAdded: SQL): Statement => call('note_created', isAdded)

/** Sets these columns; a statement only where there is one to set. `key` has the columns that identify the row. */
export const updateRows = (table: OwnedTable, patch: Values, condition: SQL | undefined, key: Values = {}): Statement | undefined =>
  Object.keys(patch).length > 0 ? writing(table, [{ ...patch, ...key }], db.update(table).set(valuesOf(patch)).where(condition)) : undefined

/** Whether a patch gives a row other values than it has. */
export const isChangedBy = (table: PgTable, patch: Values): SQL<boolean> => {
  const differ = Object.entries(patch).flatMap(([name, value]) => {
    const column = columnOf(table, name)
    return column ? [sql`${column} is distinct from ${sql.param(value, column)}`] : []
  })
  return sql`(${differ.length > 0 ? sql.join(differ, sql` or `) : sql`false`})`
}

/** Drizzle types the values of a table that it knows; those of any table are checked by the schema of the request and by the database. */
// biome-ignore lint/suspicious/noExplicitAny: the values of any table
const valuesOf = (values: Values) => values as any

/** A select of columns that the compiler does not know, before its `from`. */
export const selectAny = (fields: Record<string, unknown>) => db.select(valuesOf(fields))

/** A select of any columns of a table, with the type of the rows that the caller knows them to have. */
export const selectFrom = <Row>(table: OwnedTable, fields: Record<string, unknown>): Select<Row> =>
  typed<Row>(selectAny(fields).from(table))

/** What is checked and merged when rows of a table are written. */
export type Rules = {
  /** The rules that fields with a value must satisfy. */
  references?: Reference[] | undefined
  /** The object of the custom fields whose values are in the table's metadata. */
  metadata?: FieldObject | undefined
}

/** Asserts the rules of the references that the row has, reporting all violations at once. */
export function assertSent(table: PgTable, row: Values, references: Reference[] = []): Statement | undefined {
  const sent = references.filter(({ field }) => {
    const value = (row as Record<string, unknown>)[field.split('.')[0] as string]
    return Array.isArray(value) ? value.length > 0 : value
  })
  return sent.length > 0 ? assertReferences(table, row as Record<string, unknown>, sent) : undefined
}

/** The basic operations on one table. Each returns a plan and runs nothing. */
export function store<Row>(table: OwnedTable, what: string, select: Select<Row>, { references, metadata }: Rules = {}) {
  const records = compiledSelect(select)
  const record = (id: string) => oneOrThrow(records.where(eq(table.id, id)), what, id)
  const change = (row: Record<string, unknown> & { id: string; metadata?: unknown }) => {
    const { id, ...patch } = row
    if (!metadata) return [updateRows(table, patch, eq(table.id, id), { id })]
    return [clearable(metadata, row), Object.keys(patch).length > 0 && updateEach(table, [row], [], merging(table, row))]
  }
  return {
    record,
    get: (id: string): Plan<Row> => read(record(id)),
    create: (id: string, values: Values): Plan<Row> =>
      plan([assertSent(table, { ...values, id }, references), insertRow(table, { ...values, id })], record(id)),
    update: (ctx: Ctx, id: string, patch: Values): Plan<Row> =>
      plan([lockForUpdate(ctx, table, id, what), assertSent(table, { ...patch, id }, references), ...change({ ...patch, id })], record(id)),
    remove: (ctx: Ctx, id: string): Plan<{ id: string; deleted: true }> =>
      plan([...lockForDelete(ctx, table, id, what), db.delete(table).where(eq(table.id, id))], constant({ id, deleted: true as const })),
  }
}
