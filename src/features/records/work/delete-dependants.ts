import { sql } from 'drizzle-orm'
import type { Claimed, Kind } from '../../../../queues/work/kind.ts'
import { batch } from '../../../data/batch.ts'
import { JOB_WAITS } from '../../../domain/deletions.ts'
import { jobsDatabaseOf } from '../../../env.ts'

/** The rows that one transaction deletes, unlinks or restores. */
const TOGETHER = 500
/** How long a call goes on; the lease is longer by more than a batch takes. */
const MOST_MS = 20_000

/** Has a function do the next part of a job, until it has ended or the time is spent. A part that fails always makes the job fail, and no other. */
const inBatches = (type: 'deletion' | 'restore', run: 'run_deletion' | 'run_restore'): Omit<Kind<unknown>, 'name'> => ({
  queue: 'IMPORTS',
  table: 'deletions',
  where: `t.type = '${type}'`,
  writes: ['state', 'error', 'failed_at'],
  emits: true,
  lease: 60,
  atOnce: 1,
  inTurn: true,
  claims: 3,
  retry: JOB_WAITS,
  isReplayed: true,
  async call({ env, workspaceId, id, claimId }: Claimed<unknown>) {
    const began = Date.now()
    const next = sql`select ${sql.raw(run)}(${workspaceId}::uuid, ${id}::uuid, ${claimId}::uuid, ${TOGETHER}::int)`
    while (Date.now() - began < MOST_MS) {
      const [hasEnded] = await batch(jobsDatabaseOf(env), [next])
      if (hasEnded !== false) return { facts: { error: null } }
    }
    return { facts: { error: null }, wait: 0 }
  },
  failed: (error, isLast) => ({ error, ...(isLast && { state: 'failed', failed_at: new Date().toISOString() }) }),
})

/** Deletes what depends on contacts, companies and opportunities with many dependants, in batches, and then their rows (schema/functions/deletion-batches.sql). */
export const recordsDelete: Kind<unknown> = { name: 'records.delete', ...inBatches('deletion', 'run_deletion') }

/** Restores what went with a record, in batches (schema/functions/restore-jobs.sql). */
export const recordsRestore: Kind<unknown> = { name: 'records.restore', ...inBatches('restore', 'run_restore') }
