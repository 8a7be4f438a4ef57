import { sql } from 'drizzle-orm'
import { AppError } from '../errors.ts'
import type { Statement } from './db.ts'
import { type Taken, takenBy, uniqueKeysOf } from './unique-keys.ts'

/** A conflict over a unique value: its field, and the select for the record that has the value. */
export type Conflict = { field: string; query: Statement }

/**
 * Finds which of the statements violated a unique key. Under row-level security PostgreSQL's error does not say which record has the value.
 * Undefined for another error.
 */
export function conflictOf(error: unknown, statements: Statement[]): Conflict | undefined {
  const { constraint } = ((error instanceof AppError && error.code === 'CONFLICT' && error.details) || {}) as { constraint?: string }
  if (constraint === undefined) return undefined
  for (const { writes } of statements) {
    const key = writes && uniqueKeysOf(writes.table).find((one) => one.constraint === constraint)
    if (!writes || !key) continue
    const { table, rows } = writes
    const own = key.column.replace(/_norm$/, '')
    const columns = [...key.within, own, 'id']
    const values = rows.map((row) =>
      Object.fromEntries(columns.map((name) => [name, plain(name === own ? under(row, name, key.field) : row[name])])),
    )
    const taken = takenBy(table, sql`r`, [key])
    return {
      field: key.field,
      // An update states only what it changes, so the rest of its key is the stored one.
      query: sql`select taken from jsonb_array_elements(${JSON.stringify(values)}::jsonb) as v
        cross join lateral jsonb_populate_record(null::${table}, v) as i
        left join ${table} s on s.id = i.id
        cross join lateral jsonb_populate_record(s, v) as r
        cross join lateral (select ${taken} as taken) t
        where taken is not null limit 1`,
    }
  }
  return undefined
}

type Row = Record<string, unknown>
const under = (row: Row, column: string, field: string): unknown => row[column] ?? row[field]
/** Values that are SQL are not known. */
const plain = (value: unknown): unknown => (typeof value === 'object' ? null : value)

/** The same error with the field and, if it was found, the record that has its value. */
export const withConflict = (error: AppError, field: string, taken: unknown): AppError =>
  new AppError(error.code, error.message, { ...(error.details as object), field, ...(taken as Taken | undefined) })
