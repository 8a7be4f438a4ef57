import { eq, getTableName, gte, lte, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import * as v from 'valibot'
import type { OwnedTable } from '../data/store.ts'
import type { SortKey } from '../data/page.ts'
import { Archived, Line, pageQuery, QueryInstant } from '../shapes/fields.ts'

type Table = OwnedTable & Record<string, PgColumn>

/** The query of a list over a table: its filters, its sorts, and what its columns allow (archived, search, created between). */
export function listQuery<F extends v.ObjectEntries>(table: OwnedTable, filters: F, sorts: string[], initial = '-created_at') {
  const columns = table as Table
  const offered = sorts.flatMap((name) => [name, `-${name}`])
  return v.strictObject({
    ...pageQuery,
    ...filters,
    sort: v.optional(
      v.pipe(v.picklist(offered, `must be one of: ${offered.join(', ')}`), v.description('What to sort by; a minus sign turns the order round.'), v.examples([initial])),
      initial,
    ),
    created_after: v.optional(v.pipe(QueryInstant, v.description('Created at this moment or later.'))),
    created_before: v.optional(v.pipe(QueryInstant, v.description('Created at this moment or earlier.'))),
    ...(columns.archived && { archived: Archived }),
    ...(columns.search_text && { search: v.optional(v.pipe(Line(120), v.minLength(2, 'must be at least 2 characters long'), v.description('Words that the record contains.'))) }),
  })
}

/** The conditions of such a query: a filter is equality with the column of its name. */
export function listWhere(table: OwnedTable, filters: Record<string, unknown>, query: Record<string, unknown>): (SQL | undefined)[] {
  const columns = table as Table
  return [
    ...Object.keys(filters).map((name) => (query[name] === undefined || !columns[name] ? undefined : eq(columns[name], query[name]))),
    query.created_after === undefined ? undefined : gte(table.created_at, query.created_after),
    query.created_before === undefined ? undefined : lte(table.created_at, query.created_before),
    query.search === undefined ? undefined : sql`${table.id} in (select search_ids(${getTableName(table)}, ${query.search}))`,
  ]
}

/** `name` is sorted by its normal form. */
export function sortKeys(table: OwnedTable, sorts: string[]): Record<string, SortKey> {
  const columns = table as Table
  return Object.fromEntries(sorts.map((name) => [name, (columns[`${name}_norm`] ?? columns[`${name}_minor`] ?? columns[name]) as PgColumn]))
}
