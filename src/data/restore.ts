import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { type Lost, restoreWarnings } from '../domain/restores.ts'
import { call } from './call.ts'
import type { Statement } from './db.ts'
import { jobOf, noteAccepted } from './deletion-jobs.ts'
import { handed } from './handed.ts'
import { type Plan, plan, wakingFor } from './plan.ts'
import { Accepted, type Query, WithWarnings } from './query.ts'
import type { OwnedTable } from './store.ts'

/** The record that a row is below: the column that refers to it, and its id. */
export type Above = { link: PgColumn; parentId: string }
type Restored = { table: OwnedTable; what: string; above?: Above }
type Begun = { id: string; restored: true; job_id: string }

/**
 * Restores a deleted row, then reads it by `record`, with a warning for everything that did not come back. Raises NOT_FOUND for a row that
 * was not deleted in the last 30 days, INVALID_STATE for one that exists, and CONFLICT for one that another record prevents.
 */
export function restored<Row>(of: Restored, id: string, record: Plan<Row>, guards: Statement[] = []): Plan<WithWarnings<Row>> {
  const { statements, result } = record
  return plan([...restoring(of, id, false), ...guards, ...statements], withLosses(result, sql`null`, rowWithWarnings))
}

/** The same for a record whose dependants a job restores if there are many. */
export function restoredInBatches<Row>(of: Restored, id: string, record: Plan<Row>, guards: Statement[]) {
  const { statements, result } = record
  const decoded = (row: Row, losses: Lost[], job: string | null): WithWarnings<Row> | Accepted<Begun> =>
    job === null ? rowWithWarnings(row, losses) : new Accepted({ id, restored: true, job_id: job }, job, restoreWarnings(losses))
  const planned = plan([...restoring(of, id, true), ...guards, ...statements, noteAccepted(id)], withLosses(result, jobOf(id), decoded))
  return wakingFor((done) => (done instanceof Accepted ? 'records.restore' : undefined), planned)
}

/** Locks the deletion and restores the row. */
function restoring({ table, what, above }: Restored, id: string, in_batches: boolean): Statement[] {
  const request = { table: getTableName(table), what, id, in_batches, ...(above && { link: above.link.name, parent_id: above.parentId }) }
  // Whether the caller sees one that exists: the function is not bound by row-level security.
  const is_seen = sql`exists (select from ${table} where ${table}.id = ${id})`
  const restore = sql`select restore_record(${JSON.stringify(request)}::jsonb || jsonb_build_object('is_seen', ${is_seen}))`
  // A statement of its own: the next one sees what a restore at the same time has committed.
  return [call('lock_deletion', request.table, id), restore]
}

function rowWithWarnings<Row>(row: Row, losses: Lost[]): WithWarnings<Row> {
  const warnings = restoreWarnings(losses)
  return row instanceof WithWarnings ? new WithWarnings(row.data as Row, [...row.warnings, ...warnings]) : new WithWarnings(row, warnings)
}

/** The same rows, with two hidden columns: what restore_record reports, and the job that it has begun. */
function withLosses<Row, Out>(result: Query<Row>, job: SQL, decoded: (row: Row, losses: Lost[], job: string | null) => Out): Query<Out> {
  const { query, hidden = 0 } = result
  return {
    ...result,
    query: sql`select a.*, (select ${handed('restored')}::json), ${job} from (${query.getSQL()}) a`,
    hidden: hidden + 2,
    decode: (rows, raw) => {
      const [losses = [], job = null] = raw[0]?.slice(-2) ?? []
      return decoded(result.decode(rows, raw), losses as Lost[], job as string | null)
    },
    json: undefined,
  }
}
