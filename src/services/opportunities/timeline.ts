import { type SQL, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { changes, opportunities } from '../../../schema/index.ts'
import { type PageQuery, page } from '../../data/page.ts'
import { plan } from '../../data/plan.ts'
import { assertExists } from '../../data/store.ts'
import { TIMELINE_KINDS, type TimelineEntry, type TimelineKind } from '../../schemas/timeline.ts'
import { idKey, keyOf, merged, type Source } from '../lists/merged-lists.ts'

/** An opportunity's timeline. Each kind of entry is a source with an index in order of time. */

type Entry = v.InferOutput<typeof TimelineEntry>

/** Whether the caller has the scope: entries appear only for those who can read them elsewhere. */
const hasScope = (scope: string) => sql`(select has_scopes(array[${scope}]))`

/** Changes of billing and tasks require the scopes for these. */
const ENTITIES = sql`case when c.entity in ('invoice', 'billing_party') then ${hasScope('invoices:read')} when c.entity = 'activity' then ${hasScope('activities:read')}
  when c.entity = 'task' then ${hasScope('tasks:read')} else true end`

/** The SQL of each source. Changes are looked up row by row: with a join, the planner would sometimes read a long history as a whole. */
const SOURCES: Record<TimelineKind, (id: string) => SQL> = {
  change: (id) => sql`
    select o.change_id as id, o.at, 'change' as kind, c.user_id,
      json_build_object('entity', c.entity, 'entity_id', c.entity_id, 'action', c.action, 'fields', c.fields) as data
    from opportunity_changes o, lateral (select * from changes where workspace_id = o.workspace_id and id = o.change_id limit 1) c
    where o.opportunity_id = ${id} and ${ENTITIES}`,
  stage_move: (id) => sql`
    select m.id, m.moved_at as at, 'stage_move' as kind, m.moved_by as user_id,
      json_build_object('from_pipeline_id', m.from_pipeline_id, 'from_stage_id', m.from_stage_id, 'from_stage_name', m.from_stage_name,
        'to_pipeline_id', m.to_pipeline_id, 'to_stage_id', m.to_stage_id, 'to_stage_name', m.to_stage_name, 'seconds_in_stage', m.seconds_in_stage) as data
    from stage_moves m where m.opportunity_id = ${id}`,
  activity: (id) => sql`
    select a.id, a.occurred_at as at, 'activity' as kind, a.created_by as user_id,
      json_build_object('activity_type', a.activity_type, 'contact_id', a.contact_id, 'subject', a.subject, 'body', a.body,
        'direction', a.direction, 'outcome', a.outcome, 'duration_seconds', a.duration_seconds) as data
    from activities a where a.deal_id = ${id} and ${hasScope('activities:read')}`,
  task: (id) => sql`
    select t.id, t.created_at as at, 'task' as kind, t.created_by as user_id,
      json_build_object('title', t.title, 'status', t.status, 'priority', t.priority, 'due_at', iso(t.due_at),
        'completed_at', iso(t.completed_at), 'assigned_to', t.assigned_to) as data
    from tasks t where t.opportunity_id = ${id} and ${hasScope('tasks:read')}`,
  attachment: (id) => sql`
    select f.id, f.created_at as at, 'attachment' as kind, f.uploaded_by as user_id,
      json_build_object('name', f.name, 'content_type', f.content_type, 'size', f.size, 'state', f.state) as data
    from attachments f where f.opportunity_id = ${id}`,
}

const plain = { mapFromDriverValue: (value: unknown) => value }
const fields = { id: plain, at: changes.at, kind: plain, user_id: plain, data: changes.fields }

type TimelineQuery = PageQuery & { kinds?: TimelineKind[] | undefined }

/** Lists timeline entries, newest first. An entry added between two page requests makes no other entry appear twice or get lost. */
export function timelineOf(opportunityId: string, query: TimelineQuery) {
  const kinds = query.kinds ?? TIMELINE_KINDS
  const sources = kinds.map(
    (kind): Source =>
      (slice) =>
        slice(SOURCES[kind](opportunityId)),
  )
  const result = page<Entry>({
    select: merged(fields, sources),
    id: idKey,
    where: [],
    sorts: { at: keyOf('at') },
    name: `timeline ${opportunityId}`,
    query: { ...query, sort: '-at' },
  })
  return plan([assertExists(opportunities, opportunityId, 'opportunity')], result)
}
