import { eq, gte, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { SortKey } from './page.ts'
import type { OwnedTable } from './store.ts'

type Table = OwnedTable & Record<string, PgColumn>

/** The conditions of a list's query: a filter is equality with the column of its name. `search` is the page's own (see matching). */
export function listWhere(table: OwnedTable, filters: Record<string, unknown>, query: Record<string, unknown>): (SQL | undefined)[] {
  const columns = table as Table
  return [
    ...Object.keys(filters).map((name) => (query[name] === undefined || !columns[name] ? undefined : eq(columns[name], query[name]))),
    ...between(table.created_at, 'created', query),
    changedSince(table as Table, query),
  ]
}

/**
 * The conditions of `<name>_after` and `<name>_before` on what `<name>_at` sorts by. A cursor of that order bounds the rows already, and
 * more tightly: of two bounds the index would start from the wide one.
 */
export function between(key: SQLWrapper, name: string, query: Record<string, unknown>): (SQL | undefined)[] {
  const { [`${name}_after`]: low, [`${name}_before`]: high, after, sort = '-created_at' } = query
  const bounded = (order: string) => after !== undefined && sort === order
  return [
    low === undefined || bounded(`${name}_at`) ? undefined : sql`${key} >= ${low}`,
    high === undefined || bounded(`-${name}_at`) ? undefined : sql`${key} <= ${high}`,
  ]
}

/** Nothing is changed before it is created: in the order of changes those of an earlier time need no look. */
function changedSince({ updated_at }: Table, { created_after, sort, after }: Record<string, unknown>): SQL | undefined {
  return created_after !== undefined && sort === 'updated_at' && after === undefined && updated_at
    ? gte(updated_at, created_after)
    : undefined
}

/** `name` is sorted by its normal form. */
export function sortKeys(table: OwnedTable, sorts: string[]): Record<string, SortKey> {
  const columns = table as Table
  return Object.fromEntries(sorts.map((name) => [name, (columns[`${name}_norm`] ?? columns[`${name}_minor`] ?? columns[name]) as PgColumn]))
}
