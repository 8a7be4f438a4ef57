import { eq, getTableName, type SQL, sql } from 'drizzle-orm'
import type { Ctx } from '../context.ts'
import { call } from './call.ts'
import { db, type Statement } from './db.ts'
import { handed } from './handed.ts'
import { type Plan, plan, wakingFor } from './plan.ts'
import { Accepted, mapResult, oneOrThrow, typed } from './query.ts'
import { lockForUpdate, type OwnedTable } from './store.ts'

export type Deleted = { id: string; deleted: true; job_id?: string }

/** Begins the deletion of a locked record that has more dependants than one request deletes; from then on no statement sees the record. */
const start = (table: OwnedTable, id: string): Statement => call('start_deletion', getTableName(table), id)

/** The job that deletes or restores the record, if this request has begun one. */
export const jobOf = (id: SQL | string): SQL<string | null> => sql<string | null>`(select ${handed('record_jobs')}) ->> (${id})::text`

/** Gives the log entry of the request the status 202, if a job completes it. */
export const noteAccepted = (id: string): Statement => sql`select note_accepted(${jobOf(id)} is not null)`

/** Deletes a record that is in `deleted_in_batches` (schema/functions/deletions.sql), or begins the job that does so. */
export function deleteInBatches(ctx: Ctx, table: OwnedTable, id: string, what: string): Plan<Deleted | Accepted<Deleted>> {
  const job = db.select({ job_id: jobOf(id).as('job_id') }).from(sql`(select) one`)
  const result = mapResult(oneOrThrow(typed<{ job_id: string | null }>(job), what, id), ({ job_id }) =>
    job_id === null ? { id, deleted: true as const } : new Accepted({ id, deleted: true as const, job_id }, job_id),
  )
  const statements = [lockForUpdate(ctx, table, id, what), start(table, id), db.delete(table).where(eq(table.id, id)), noteAccepted(id)]
  return wakingFor((deleted) => (deleted instanceof Accepted ? 'records.delete' : undefined), plan(statements, result))
}

/** Begins the deletions of those locked records that together have more dependants than one request deletes. */
export const startAll = (table: OwnedTable, ids: string[]): Statement => call('start_deletions', getTableName(table), `{${ids.join(',')}}`)
