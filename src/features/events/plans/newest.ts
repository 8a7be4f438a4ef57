import { sql } from 'drizzle-orm'
import { batch, type Database } from '../../../data/batch.ts'

/** The position of the session's workspace's last event that readers of the feed can see. */
export const NEWEST =
  'select o.xid::text from outbox o where o.xid < pg_snapshot_xmin(pg_current_snapshot()) order by o.xid desc, o.id desc limit 1'

/** The same of a workspace, as a role that names it; 0 without any event. One round trip. */
export async function newestPosition(database: Database, workspaceId: string): Promise<bigint> {
  const [, newest] = await batch(database, [sql`select set_config('app.workspace_id', ${workspaceId}, true)`, sql.raw(NEWEST)])
  return BigInt((newest as string | undefined) ?? 0)
}
