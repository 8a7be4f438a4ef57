import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { Id, InstantOut } from '../../../schemas/fields.ts'
import { parse, text } from '../../../schemas/pipes.ts'

export const TIMELINE_KINDS = ['change', 'stage_move', 'activity', 'task', 'attachment'] as const
export type TimelineKind = (typeof TIMELINE_KINDS)[number]

const isKind = (name: string): name is TimelineKind => (TIMELINE_KINDS as readonly string[]).includes(name)

function kindsIn(list: string): TimelineKind[] | undefined {
  const names = list.split(',').map((name) => name.trim())
  return names.every(isKind) ? TIMELINE_KINDS.filter((kind) => names.includes(kind)) : undefined
}

const Kinds = v.pipe(
  text('a list of kinds'),
  v.metadata({ pattern: `^(${TIMELINE_KINDS.join('|')})(,(${TIMELINE_KINDS.join('|')}))*$` }),
  v.description('Only entries of these kinds, separated by commas.'),
  v.examples(['stage_move,activity']),
  parse('kinds', kindsIn, `must be a list of these, separated by commas: ${TIMELINE_KINDS.join(', ')}`),
)
export const timelineQuery = { kinds: v.optional(Kinds) }

const nullableText = v.nullable(v.string())

const base = {
  id: v.pipe(Id, v.description('The id of the change, stage move, activity, task or attachment.')),
  at: v.pipe(InstantOut, v.description('When it happened; for a task or an attachment, when it was created.')),
  user_id: v.pipe(v.nullable(Id), v.description('The user who caused the entry.')),
}
const entry = <const K extends TimelineKind, E extends v.ObjectEntries>(kind: K, data: E) =>
  v.object({ ...base, kind: v.literal(kind), data: v.object(data) })

export const TimelineEntry = named(
  'TimelineEntry',
  v.variant('kind', [
    entry('change', {
      entity: v.pipe(v.string(), v.description('`contact`, `company` or `opportunity`, or a part of it such as `opportunity_product`.')),
      entity_id: Id,
      action: v.picklist(['created', 'updated', 'deleted']),
      fields: v.pipe(
        v.record(v.string(), v.object({ before: v.optional(v.unknown()), after: v.optional(v.unknown()) })),
        v.description('The changed fields, each with its value before and after.'),
      ),
    }),
    entry('stage_move', {
      opportunity_id: v.pipe(Id, v.description('The opportunity that was moved.')),
      from_pipeline_id: v.nullable(Id),
      from_stage_id: v.nullable(Id),
      from_stage_name: nullableText,
      to_pipeline_id: v.nullable(Id),
      to_stage_id: v.nullable(Id),
      to_stage_name: nullableText,
      seconds_in_stage: v.nullable(v.number()),
    }),
    entry('activity', {
      activity_type: v.string(),
      contact_id: v.nullable(Id),
      contact_ids: v.pipe(v.array(Id), v.description('The contacts who took part, the main one first.')),
      subject: nullableText,
      body: nullableText,
      direction: nullableText,
      outcome: nullableText,
      duration_seconds: v.nullable(v.number()),
    }),
    entry('task', {
      title: v.string(),
      status: v.string(),
      priority: v.string(),
      due_at: v.nullable(InstantOut),
      completed_at: v.nullable(InstantOut),
      assigned_to: v.nullable(Id),
    }),
    entry('attachment', { name: v.string(), content_type: v.string(), size: v.number(), state: v.string() }),
  ]),
)
