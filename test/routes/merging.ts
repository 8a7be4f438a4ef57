import type { Crm, Row } from './crm.ts'
import { found } from './crm.ts'

/** Tables of past events, which are not part of the state. */
const LOG_TABLES = [
  'api_key_uses',
  'changes',
  'outbox',
  'record_time_checks',
  // Entries that no longer hold may be left over; readers skip them.
  'record_times',
  'timeline_changes',
  'timeline_moves',
  'merges',
  'merge_entries',
  'idempotency',
  'approvals',
  'requests',
  'search_words',
  // Changes of the counts in opportunity_totals, opportunity_periods and record_counts, until they are added to them.
  'opportunity_deltas',
  'record_count_deltas',
  'zone_work',
]
/** What counts changes, and what follows from other columns in the background. */
const COUNTERS = ['version', 'updated_at', 'local_zone', 'zone_basis']

/** Every row of the workspace as it is, by table, but for what counts changes. */
export async function everythingOf(crm: Crm): Promise<Record<string, Row[]>> {
  const { rows: tables } = await crm.app.owner.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relkind = 'r' and not c.relispartition and c.relnamespace = 'public'::regnamespace and a.attname = 'workspace_id'
     and c.relname <> all($1) order by 1`,
    [LOG_TABLES],
  )
  const all: Record<string, Row[]> = {}
  for (const { name } of tables) {
    const { rows } = await crm.app.owner.query(
      `select to_jsonb(t) - $2::text[] as row from ${name} t where workspace_id = $1 order by (to_jsonb(t) - $2::text[])::text`,
      [crm.ws.id, COUNTERS],
    )
    all[name] = rows.map(({ row }) => row)
  }
  return all
}

/** Merges and answers what the merge did. */
export async function merge(crm: Crm, plural: string, winner_id: string, loser_ids: string[], how: Row = {}): Promise<Row> {
  return found(await crm.ws.post(`/${plural}/merge`, { winner_id, loser_ids, ...how }))
}

export const undo = async (crm: Crm, plural: string, mergeId: string): Promise<Row> =>
  found(await crm.ws.post(`/${plural}/merges/${mergeId}/undo`))

/** A merge's answer without what only a real one has. */
export const asPreview = ({ merge_id: _, winner, ...rest }: Row): Row => ({ ...rest, winner: { ...winner, updated_at: null } })

/** Gives a record a file, without its content. `column` refers to the record. */
export const addFile = (crm: Crm, column: 'contact_id' | 'customer_id', id: string) =>
  crm.app.owner.query(
    `insert into attachments (workspace_id, ${column}, name, content_type, size, sha256)
      values ($1, $2, 'plan.pdf', 'application/pdf', 8, 'x')`,
    [crm.ws.id, id],
  )
