import { sql } from 'drizzle-orm'
import type { Claimed, Kind } from '../../../../queues/work/kind.ts'
import { batch } from '../../../data/batch.ts'
import { isTooSlow } from '../../../data/database-errors.ts'
import { JOB_WAITS } from '../../../domain/deletions.ts'
import { jobsDatabaseOf } from '../../../env.ts'

/**
 * The rows that the first transaction of a call deletes, unlinks or restores; later ones have more while they are quick, and fewer after a
 * timeout.
 */
const FIRST = 20
const TOGETHER = 500
const STEP = 5
const QUICK_MS = 1_000
/** How long a call goes on; the lease is longer by more than a batch takes. */
const MOST_MS = 20_000

/**
 * Has a function do the next part of a job, until it has ended or the time is spent, and at least one part. A part that fails always, or is
 * too slow even with one row, makes the job fail, and no other.
 */
const inBatches = (types: string, run: 'run_deletion' | 'run_restore'): Omit<Kind<unknown>, 'name'> => ({
  queue: 'IMPORTS',
  table: 'deletions',
  where: `t.type ${types}`,
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
    let size = FIRST
    for (let isDone = false; !isDone || Date.now() - began < MOST_MS; ) {
      const started = Date.now()
      try {
        const next = sql`select ${sql.raw(run)}(${workspaceId}::uuid, ${id}::uuid, ${claimId}::uuid, ${size}::int)`
        const [hasEnded] = await batch(jobsDatabaseOf(env), [next])
        if (hasEnded !== false) return { facts: { error: null } }
        isDone = true
        if (Date.now() - started < QUICK_MS) size = Math.min(size * STEP, TOGETHER)
      } catch (error) {
        if (!isTooSlow(error)) throw error
        if (size === 1) return { failure: String(error) }
        size = Math.ceil(size / STEP)
      }
    }
    return { facts: { error: null }, wait: 0 }
  },
  failed: (error, isLast) => ({ error, ...(isLast && { state: 'failed', failed_at: new Date().toISOString() }) }),
})

/**
 * Deletes or purges what depends on contacts, companies and opportunities with many dependants, in batches, and then their rows
 * (schema/functions/deletion-batches.sql, purge-jobs.sql).
 */
export const recordsDelete: Kind<unknown> = { name: 'records.delete', ...inBatches("<> 'restore'", 'run_deletion') }

/** Restores what went with a record, in batches (schema/functions/restore-jobs.sql). */
export const recordsRestore: Kind<unknown> = { name: 'records.restore', ...inBatches("= 'restore'", 'run_restore') }
