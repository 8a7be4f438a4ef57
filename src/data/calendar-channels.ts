import { sql } from 'drizzle-orm'
import { batch, type Database } from './batch.ts'

/** Has the calendar of a channel read now. `hash`: SHA-256 of the secret of the notification. Null if there is no such channel. */
export async function notifyChannel(
  database: Database,
  channel: string,
  hash: string,
): Promise<{ workspace_id: string; calendar_id: string } | null> {
  const [found] = await batch(database, [sql`select notify_calendar(${channel}::uuid, ${hash})`])
  return found as { workspace_id: string; calendar_id: string } | null
}
