import { getTableName, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { type Lost, restoreWarnings } from '../domain/restores.ts'
import type { Statement } from './db.ts'
import { type Plan, plan } from './plan.ts'
import { type Query, WithWarnings } from './query.ts'
import type { OwnedTable } from './store.ts'

/** The record that a row is below: the column that refers to it, and its id. */
export type Above = { link: PgColumn; parentId: string }

/**
 * Restores a deleted row, then reads it by `record`, with a warning for everything that did not come back. Raises NOT_FOUND for a row that was
 * not deleted in the last 30 days, INVALID_STATE for one that exists, and CONFLICT for one that another record prevents.
 */
export function restored<Row>(
  { table, what, above }: { table: OwnedTable; what: string; above?: Above },
  id: string,
  record: Plan<Row>,
  guards: Statement[] = [],
): Plan<WithWarnings<Row>> {
  const request = { table: getTableName(table), what, id, ...(above && { link: above.link.name, parent_id: above.parentId }) }
  // Whether the caller sees one that exists: the function is not bound by row-level security.
  const is_seen = sql`exists (select from ${table} where ${table}.id = ${id})`
  const restore = sql`select restore_record(${JSON.stringify(request)}::jsonb || jsonb_build_object('is_seen', ${is_seen}))`
  // A statement of its own: the next one sees what a restore at the same time has committed.
  const lock = sql`select lock_deletion(${request.table}, ${id}::uuid)`
  return plan([lock, restore, ...guards, ...record.statements], withLosses(record.result))
}

/** The same rows, with a hidden column that has what restore_record reports. */
function withLosses<Row>(result: Query<Row>): Query<WithWarnings<Row>> {
  const { query, hidden = 0 } = result
  return {
    ...result,
    query: sql`select a.*, current_setting('app.restored')::json from (${query.getSQL()}) a`,
    hidden: hidden + 1,
    decode: (rows, raw) => {
      const row = result.decode(rows, raw)
      const warnings = restoreWarnings((raw[0]?.at(-1) ?? []) as Lost[])
      return row instanceof WithWarnings
        ? new WithWarnings(row.data as Row, [...row.warnings, ...warnings])
        : new WithWarnings(row, warnings)
    },
    json: undefined,
  }
}
