import { eq, gte, lte, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { SortKey } from './page.ts'
import type { OwnedTable } from './store.ts'

type Table = OwnedTable & Record<string, PgColumn>

/** The conditions of a list's query: a filter is equality with the column of its name. `search` is the page's own (see matching). */
export function listWhere(table: OwnedTable, filters: Record<string, unknown>, query: Record<string, unknown>): (SQL | undefined)[] {
  const columns = table as Table
  return [
    ...Object.keys(filters).map((name) => (query[name] === undefined || !columns[name] ? undefined : eq(columns[name], query[name]))),
    query.created_after === undefined || behindCursor(query, 'created_at') ? undefined : gte(table.created_at, query.created_after),
    query.created_before === undefined || behindCursor(query, '-created_at') ? undefined : lte(table.created_at, query.created_before),
  ]
}

/** A cursor of that order bounds the rows already, and more tightly: of two bounds the index would start from the wide one. */
const behindCursor = (query: Record<string, unknown>, sort: string) => query.after !== undefined && (query.sort ?? '-created_at') === sort

/** `name` is sorted by its normal form. */
export function sortKeys(table: OwnedTable, sorts: string[]): Record<string, SortKey> {
  const columns = table as Table
  return Object.fromEntries(sorts.map((name) => [name, (columns[`${name}_norm`] ?? columns[`${name}_minor`] ?? columns[name]) as PgColumn]))
}
