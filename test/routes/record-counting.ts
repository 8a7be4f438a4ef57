import type pg from 'pg'
import type { Row } from './crm.ts'

/** What the counters of a workspace say. */
const KEPT = `select object, counted_by, value, archived, sum(n)::int as count from (
    select object, counted_by, value, archived, count as n from record_counts where workspace_id = $1
    union all select d.object, k.counted_by, k.value, d.archived, d.count from record_count_deltas d, lateral (
      values ('all', ''), ('assigned_to', d.assigned_to::text), ('source_id', d.source_id::text), ('source', d.source)
      union all select 'tag', unnest(d.tags)) k(counted_by, value) where workspace_id = $1 and k.value is not null) all_counts
  group by 1, 2, 3, 4 having sum(n) <> 0`

/** What a recount says. */
const COUNTED = `select object, counted_by, value, archived, count(*)::int as count from (
    select 'contacts' as object, archived, assigned_to, source_id, source, tags from contacts where workspace_id = $1
    union all select 'companies', archived, assigned_to, null, null, tags from companies where workspace_id = $1
    union all select 'opportunities', archived, assigned_to, null, lead_source, tags from opportunities where workspace_id = $1
    union all select 'tasks', archived, assigned_to, null, null, '[]' from tasks where workspace_id = $1) r, lateral (
      values ('all', ''), ('assigned_to', assigned_to::text), ('source_id', source_id::text), ('source', source)
      union all select distinct 'tag', lower(t ->> 'name') from jsonb_array_elements(tags) t) k(counted_by, value) where k.value is not null
  group by 1, 2, 3, 4`

/** The counts of a workspace that are not those of its records, of one moment. */
export async function miscounts(owner: pg.Pool, workspaceId: string): Promise<Row[]> {
  const { rows } = await owner.query(
    `with kept as (${KEPT}), counted as (${COUNTED}) select 'kept' as by, k.* from (table kept except table counted) k
     union all select 'recounted', c.* from (table counted except table kept) c`,
    [workspaceId],
  )
  return rows
}
