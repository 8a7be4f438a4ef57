import { eq, sql } from 'drizzle-orm'
import { deletions } from '../../../../schema/index.ts'
import { db } from '../../../data/db.ts'
import { read } from '../../../data/plan.ts'
import { oneOrThrow } from '../../../data/query.ts'
import type { DELETED_IN_BATCHES } from '../../../domain/deletions.ts'

const { id, state, record_id: entity_id, processed, total, created_at, ended_at } = deletions
const fields = {
  id,
  type: sql<'deletion'>`'deletion'`.as('type'),
  state,
  entity: sql<(typeof DELETED_IN_BATCHES)[number]>`entity_of(${deletions.table_name})`.as('entity'),
  entity_id,
  processed,
  total,
  created_at,
  ended_at,
}

/** A job that the background carries out for a request. */
export const getJob = (jobId: string) => read(oneOrThrow(db.select(fields).from(deletions).where(eq(id, jobId)), 'job', jobId))
