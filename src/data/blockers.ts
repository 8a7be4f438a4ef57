import { type SQL, sql } from 'drizzle-orm'
import { AppError } from '../errors.ts'
import { isId } from '../lib/ids.ts'
import type { Statement } from './db.ts'

/** A conflict names at most this many of the records that cause it. */
export const MOST_NAMED = sql.raw('10')

/** The ids of the first records that cause a conflict, as uuid[]. `ids` is a select of ids that ends with its condition. */
export const blockers = (ids: SQL): SQL => sql`array(${ids} limit ${MOST_NAMED})`

/** Asserts that the select of ids finds no record. The error names the first ones; `referencedBy` is their table. */
export const assertNone = (ids: SQL, referencedBy: string, message: string): Statement =>
  sql`select assert_condition(b.ids = '{}',
    'CONFLICT', ${message}, jsonb_build_object('referenced_by', ${referencedBy}::text, 'ids', b.ids))
    from (select ${blockers(ids)} as ids) b`

type Details = { referenced_by?: string; field?: string; ids?: string[] } | undefined

/**
 * The select of the records that still refer to one that the request deletes; undefined for another error. PostgreSQL does not name them.
 */
export function referrersOf(error: unknown, params: Record<string, string>): Statement | undefined {
  const { referenced_by, field, ids } = ((error instanceof AppError && error.code === 'CONFLICT' && error.details) ||
    {}) as NonNullable<Details>
  if (referenced_by === undefined || field === undefined || ids) return undefined
  const deleted = `{${Object.values(params).filter(isId).join(',')}}`
  const found = sql`select id from ${sql.identifier(referenced_by)} where ${sql.identifier(field)} = any(${deleted}::uuid[])`
  return sql`select to_json(${blockers(found)})`
}

/** The same error with the records that it is caused by. */
export const withReferrers = (error: AppError, ids: unknown): AppError =>
  new AppError(error.code, error.message, { ...(error.details as object), ...(Array.isArray(ids) && { ids }) })
