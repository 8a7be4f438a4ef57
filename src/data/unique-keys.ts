import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core'

/** A unique key: its constraint, the field of the API that has its value, its column, and the columns within which it is unique. */
export type UniqueKey = { constraint: string; field: string; column: string; within: string[] }

/** A column that stores the normal form of another one, by which names are compared. */
const NORMAL_FORM = /_norm$/

const known = new WeakMap<PgTable, UniqueKey[]>()

/** The unique keys of a table, from its definition, without those of some rows only: they are flags that one row has. */
export function uniqueKeysOf(table: PgTable): UniqueKey[] {
  const keys = known.get(table) ?? readKeys(table)
  known.set(table, keys)
  return keys
}

function readKeys(table: PgTable): UniqueKey[] {
  const fields = new Map(Object.entries(getTableColumns(table)).map(([field, { name }]) => [name, field]))
  return getTableConfig(table).indexes.flatMap(({ config: { name: constraint = '', unique, where, columns } }) => {
    const names = columns.map((column) => (column as { name?: string }).name ?? '').filter((name) => name !== 'workspace_id')
    const column = names.at(-1)
    if (!unique || where || column === undefined || column === 'id') return []
    return [{ constraint, field: (fields.get(column) ?? column).replace(NORMAL_FORM, ''), column, within: names.slice(0, -1) }]
  })
}

/** The field and the id of the record that has a unique value already. */
export type Taken = { field: string; id: string }

/** The column within which the names of private rows are unique: in a new row it is the caller. */
const OWN_SCOPE = 'name_scope'

function valueIn(row: SQL, column: string): SQL {
  if (NORMAL_FORM.test(column)) return sql`norm(${row}.${sql.identifier(column.replace(NORMAL_FORM, ''))})`
  const value = sql`${row}.${sql.identifier(column)}`
  return column === OWN_SCOPE ? sql`coalesce(${value}, current_user_id())` : value
}

/** Whether two rows of the table have the same value of a unique key. `other` stores its normal forms. */
export const sameKey = ({ column, within }: UniqueKey, row: SQL, other: (column: string) => SQL): SQL =>
  sql.join(
    [...within, column].map((name) => sql`${other(name)} = ${valueIn(row, name)}`),
    sql` and `,
  )

/**
 * `Taken` as JSON, or null: the first record of the table, other than the row's own, that has one of its unique values. `row` has the
 * table's type.
 */
export function takenBy(table: PgTable, row: SQL, keys = uniqueKeysOf(table)): SQL {
  const finds = keys.map(
    (key) =>
      sql`(select jsonb_build_object('field', ${sql.raw(`'${key.field}'`)}, 'id', t.id) from ${table} t
        where ${sameKey(key, row, (name) => sql`t.${sql.identifier(name)}`)} and t.id is distinct from ${row}.id limit 1)`,
  )
  return finds.length > 0 ? sql`coalesce(${sql.join(finds, sql`, `)})` : sql`null::jsonb`
}

/** As takenBy, among rows of the same call: `rows` has their values, and `isEarlier` says which of them (`e`) come first. */
export function requestedBefore(table: PgTable, row: SQL, rows: SQL, isEarlier: SQL): SQL {
  const finds = uniqueKeysOf(table).map(
    (key) =>
      sql`(select jsonb_build_object('field', ${sql.raw(`'${key.field}'`)}, 'id', e.id) from ${rows} e
        where ${sameKey(key, row, (name) => valueIn(sql`e`, name))} and ${isEarlier} limit 1)`,
  )
  return finds.length > 0 ? sql`coalesce(${sql.join(finds, sql`, `)})` : sql`null::jsonb`
}
