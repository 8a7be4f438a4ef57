import { sql } from 'drizzle-orm'
import { batch } from '../src/data/batch.ts'
import { databaseOf, type Env } from '../src/env.ts'

/** Events and requests, in days. */
const SHORT = 30
/** A long transaction of a writer may hold the table: each try waits half a second, and the next night comes long before the partitions run out. */
const TRIES = 10

/** Makes the partitions of the time to come, and drops those that are older than what is kept. */
export async function rotatePartitions(env: Env, now: Date): Promise<void> {
  const history = Number(env.HISTORY_DAYS)
  if (!Number.isInteger(history) || history < 90) throw new Error('HISTORY_DAYS must be a whole number of days, 90 or more')
  const failed: string[] = []
  for (const [table, days] of [
    ['changes', history],
    ['outbox', SHORT],
    ['requests', SHORT],
  ] as const)
    await rotate(env, table, days, now).catch((error: unknown) => failed.push(`${table}: ${String(error)}`))
  if (failed.length > 0) throw new Error(`Partitions were not rotated. ${failed.join('; ')}`)
}

async function rotate(env: Env, table: string, days: number, now: Date, attempt = 1): Promise<void> {
  try {
    await batch(databaseOf(env), [sql`select rotate_partitions(${table}, ${days}::int, ${now.toISOString()}::timestamptz)`])
  } catch (error) {
    if (attempt === TRIES) throw error
    await rotate(env, table, days, now, attempt + 1)
  }
}
