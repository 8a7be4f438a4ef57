import { eq, sql } from 'drizzle-orm'
import { deletions } from '../../../../schema/index.ts'
import { db } from '../../../data/db.ts'
import { read } from '../../../data/plan.ts'
import { mapResult, oneOrThrow } from '../../../data/query.ts'
import { type Lost, restoreWarnings } from '../../../domain/restores.ts'

const { id, type, state, record_id: entity_id, processed, total, error, losses, lost, created_at } = deletions
const fields = {
  id,
  type,
  state,
  entity: sql<string>`coalesce(${deletions.entity}, entity_of(${deletions.table_name}))`.as('entity'),
  entity_id,
  processed,
  total,
  error,
  losses,
  lost,
  created_at,
  ended_at: sql<string | null>`coalesce(${deletions.ended_at}, ${deletions.failed_at})`.mapWith(deletions.created_at).as('ended_at'),
}

/** A job that the background carries out for a request. */
export const getJob = (jobId: string) =>
  read(
    mapResult(oneOrThrow(db.select(fields).from(deletions).where(eq(id, jobId)), 'job', jobId), ({ losses, lost, ...job }) => ({
      ...job,
      warnings: restoreWarnings(
        losses.map((loss) => JSON.parse(loss) as Lost),
        lost,
      ),
    })),
  )
