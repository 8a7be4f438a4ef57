import { type SQL, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { changes, companies, contacts, opportunities } from '../../../../schema/index.ts'
import { type PageQuery, page } from '../../../data/page.ts'
import { plan } from '../../../data/plan.ts'
import { assertExists, type OwnedTable } from '../../../data/store.ts'
import type { RecordEntity } from '../../../domain/records.ts'
import { idKey, keyOf, merged, type Source } from '../../lists/plans/merged-lists.ts'
import { TIMELINE_KINDS, type TimelineEntry, type TimelineKind } from '../schemas/timeline.ts'

/** The timeline of a contact, a company or an opportunity. Each kind of entry has sources with an index in order of time. */

type Entry = v.InferOutput<typeof TimelineEntry>

/** Whether the caller has the scope: entries appear only for those who can read them elsewhere. */
const hasScope = (scope: string) => sql`(select has_scopes(array[${scope}]))`

/** The changes that the caller may read. Those of files need no further scope, as the files themselves do not. */
const READABLE = sql`(c.entity = 'attachment' or c.entity = any((select readable_entities())::text[]))`

/** The activities in which a contact takes part beside the main one, in the order of the index over `l`. */
const FURTHER_CONTACTS = sql`activity_contacts l,
  lateral (select * from activities where workspace_id = l.workspace_id and id = l.activity_id limit 1) a`
const IS_FURTHER = sql`a.contact_id is distinct from l.contact_id`

/** How the rows of a kind of record are found. */
type Kind = {
  table: OwnedTable
  /** The columns that refer to the record, of activities and of tasks and files. */
  activities: string
  others: string
  /** The stage moves `m`, with the columns by which they are in order of time. */
  moves: (id: string) => { id: SQL; at: SQL; from: SQL }
  /** The parts of the index over its tasks, each in order of time. */
  tasks: SQL[]
}

const ofPeople = (table: OwnedTable, column: string): Kind => ({
  table,
  activities: column,
  others: column,
  moves: (id) => ({
    id: sql`o.move_id`,
    at: sql`o.at`,
    from: sql`timeline_moves o, lateral (select * from stage_moves where workspace_id = o.workspace_id and id = o.move_id limit 1) m
      where o.record_id = ${id} and ${hasScope('opportunities:read')}`,
  }),
  tasks: [sql`t.archived = false`, sql`t.archived = true`],
})

const OF: Record<RecordEntity, Kind> = {
  contact: ofPeople(contacts, 'contact_id'),
  company: ofPeople(companies, 'customer_id'),
  opportunity: {
    table: opportunities,
    activities: 'deal_id',
    others: 'opportunity_id',
    moves: (id) => ({ id: sql`m.id`, at: sql`m.moved_at`, from: sql`stage_moves m where m.opportunity_id = ${id}` }),
    tasks: [sql`true`],
  },
}

/**
 * The SQL of the sources of each kind. Changes are looked up row by row: with a join, the planner would sometimes read a long history as a
 * whole.
 */
const SOURCES: Record<TimelineKind, (of: Kind, id: string) => SQL[]> = {
  change: (_, id) => [
    sql`
    select o.change_id as id, o.at, 'change' as kind, c.user_id,
      json_build_object('entity', c.entity, 'entity_id', c.entity_id, 'action', c.action, 'fields', c.fields) as data
    from timeline_changes o, lateral (select * from changes where workspace_id = o.workspace_id and id = o.change_id limit 1) c
    where o.record_id = ${id} and ${READABLE}`,
  ],
  stage_move({ moves }, recordId) {
    const { id, at, from } = moves(recordId)
    return [
      sql`
    select ${id} as id, ${at} as at, 'stage_move' as kind, m.moved_by as user_id,
      json_build_object('opportunity_id', m.opportunity_id, 'from_pipeline_id', m.from_pipeline_id, 'from_stage_id', m.from_stage_id,
        'from_stage_name', m.from_stage_name, 'to_pipeline_id', m.to_pipeline_id, 'to_stage_id', m.to_stage_id,
        'to_stage_name', m.to_stage_name, 'seconds_in_stage', m.seconds_in_stage) as data
    from ${from}`,
    ]
  },
  activity: ({ activities }, id) => {
    const rows = (at: string, from: SQL) => sql`
    select a.id, ${sql.raw(at)} as at, 'activity' as kind, a.created_by as user_id,
      json_build_object('activity_type', a.activity_type, 'contact_id', a.contact_id, 'contact_ids', a.contact_ids, 'subject', a.subject,
        'body', a.body, 'direction', a.direction, 'outcome', a.outcome, 'duration_seconds', a.duration_seconds) as data
    from ${from} and ${hasScope('activities:read')}`
    const own = rows('a.occurred_at', sql`activities a where a.${sql.identifier(activities)} = ${id}`)
    if (activities !== 'contact_id') return [own]
    return [own, rows('l.occurred_at', sql`${FURTHER_CONTACTS} where l.contact_id = ${id} and ${IS_FURTHER}`)]
  },
  task: ({ others, tasks }, id) =>
    tasks.map(
      (part) => sql`
    select t.id, t.created_at as at, 'task' as kind, t.created_by as user_id,
      json_build_object('title', t.title, 'status', t.status, 'priority', t.priority, 'due_at', iso(t.due_at),
        'completed_at', iso(t.completed_at), 'assigned_to', t.assigned_to) as data
    from tasks t where t.${sql.identifier(others)} = ${id} and ${part} and ${hasScope('tasks:read')}`,
    ),
  attachment: ({ others }, id) => [
    sql`
    select f.id, f.created_at as at, 'attachment' as kind, f.uploaded_by as user_id,
      json_build_object('name', f.name, 'content_type', f.content_type, 'size', f.size, 'state', f.state) as data
    from attachments f where f.${sql.identifier(others)} = ${id}`,
  ],
}

const plain = { mapFromDriverValue: (value: unknown) => value }
const fields = { id: plain, at: changes.at, kind: plain, user_id: plain, data: changes.fields }

type TimelineQuery = PageQuery & { kinds?: TimelineKind[] | undefined }

/** Lists timeline entries, newest first. An entry added between two page requests makes no other entry appear twice or get lost. */
export function timelineOf(entity: RecordEntity, id: string, query: TimelineQuery) {
  const kinds = query.kinds ?? TIMELINE_KINDS
  const rows = kinds.flatMap((kind) => SOURCES[kind](OF[entity], id))
  const sources = rows.map(
    (source): Source =>
      (slice) =>
        slice(source),
  )
  const result = page<Entry>({
    select: merged(fields, sources),
    id: idKey,
    where: [],
    sorts: { at: keyOf('at') },
    name: `timeline ${id}`,
    query: { ...query, sort: '-at' },
  })
  return plan([assertExists(OF[entity].table, id, entity)], result)
}
