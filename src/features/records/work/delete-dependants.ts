import { sql } from 'drizzle-orm'
import type { Kind } from '../../../../queues/work/kind.ts'
import { batch } from '../../../data/batch.ts'
import { jobsDatabaseOf } from '../../../env.ts'

/** The rows that one transaction deletes or unlinks. */
const TOGETHER = 500
/** How long a call goes on; the lease is longer by more than a batch takes. */
const MOST_MS = 20_000

/** Deletes what depends on contacts and companies with many dependants, in batches, and then their rows (schema/functions/deletions.sql). */
export const recordsDelete: Kind<unknown> = {
  name: 'records.delete',
  queue: 'IMPORTS',
  table: 'deletions',
  writes: [],
  emits: true,
  lease: 60,
  atOnce: 1,
  inTurn: true,
  claims: 3,
  async call({ env, workspaceId, id, claimId }) {
    const began = Date.now()
    const next = sql`select run_deletion(${workspaceId}::uuid, ${id}::uuid, ${claimId}::uuid, ${TOGETHER}::int)`
    while (Date.now() - began < MOST_MS) {
      const [hasEnded] = await batch(jobsDatabaseOf(env), [next])
      if (hasEnded !== false) return {}
    }
    return { wait: 0 }
  },
}
