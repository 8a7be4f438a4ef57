import { batch } from '../src/data/batch.ts'
import { call } from '../src/data/call.ts'
import { EVENT_DAYS } from '../src/domain/events.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'

/** Retention of requests, in days. */
const LOG_DAYS = 30
/** A writer's long transaction may lock the table. Each attempt waits half a second, and partitions exist for many nights ahead. */
const MAX_ATTEMPTS = 10

/** Creates the partitions for the coming days and drops those past their retention. */
export async function rotatePartitions(env: Env, now: Date): Promise<void> {
  const history = Number(env.HISTORY_DAYS)
  if (!Number.isInteger(history) || history < 90) throw new Error('HISTORY_DAYS must be a whole number of days, 90 or more')
  const failed: string[] = []
  for (const [table, days] of [
    ['changes', history],
    // A cursor can be valid for a day longer than the event that it leads to.
    ['outbox', EVENT_DAYS + 1],
    ['requests', LOG_DAYS],
  ] as const)
    await rotate(env, table, days, now).catch((error: unknown) => failed.push(`${table}: ${String(error)}`))
  if (failed.length > 0) throw new Error(`Partitions were not rotated. ${failed.join('; ')}`)
}

async function rotate(env: Env, table: string, days: number, now: Date, attempt = 1): Promise<void> {
  try {
    await batch(jobsDatabaseOf(env), [call('rotate_partitions', table, days, now.toISOString())])
  } catch (error) {
    if (attempt === MAX_ATTEMPTS) throw error
    await rotate(env, table, days, now, attempt + 1)
  }
}
