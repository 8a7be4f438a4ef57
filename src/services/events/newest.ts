import { sql } from 'drizzle-orm'
import { batch, type Database } from '../../data/batch.ts'

/** The position of a workspace's last event that readers of the feed can see; 0 without any. One round trip, as a role that names the workspace. */
export async function newestPosition(database: Database, workspaceId: string): Promise<bigint> {
  const [, newest] = await batch(database, [
    sql`select set_config('app.workspace_id', ${workspaceId}, true)`,
    sql`select xid::text from outbox where xid < pg_snapshot_xmin(pg_current_snapshot()) order by xid desc, id desc limit 1`,
  ])
  return BigInt((newest as string | undefined) ?? 0)
}
