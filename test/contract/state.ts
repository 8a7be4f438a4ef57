import type pg from 'pg'

let tables: string[] | undefined

/** They log every request, including refused ones, and what the background has delivered. */
const LOGS = ['requests', 'api_key_uses', 'webhook_deliveries', 'webhook_states']

/** Returns a digest of the rows and their versions in all tables that a request could change, of all workspaces. */
export async function stateOf(owner: pg.Pool): Promise<Record<string, string>> {
  tables ??= await tenantTables(owner)
  const digests = [...tables.filter((table) => !LOGS.includes(table)), 'workspaces', 'users'].map(
    (table) =>
      `select '${table}' as name, md5(coalesce(string_agg(xmin::text || ctid::text, ' ' order by ctid), '')) as digest from ${table}`,
  )
  const { rows } = await owner.query<{ name: string; digest: string }>(digests.join(' union all '))
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]))
}

/** Every table whose rows belong to a workspace; `isPartition` recognises the partitions of one. */
export async function tenantTables(owner: pg.Pool, isPartition = false): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and a.attname = 'workspace_id' and not a.attisdropped
     and c.relispartition = $1 order by 1`,
    [isPartition],
  )
  return rows.map(({ name }) => name)
}
