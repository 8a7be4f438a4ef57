import { EVENT_TYPES, eventTypesIn } from '../../../domain/events.ts'
import { type DataTest, type Failure, failureIn, meets } from './data-tests.ts'
import { valueAt } from './templates.ts'
import type { Trigger } from './types.ts'

/** An event of the feed, as far as triggers look at it. */
export type FeedEvent = {
  id: string
  type: string
  entity: string
  entity_id: string
  at: string
  payload: Record<string, unknown>
  changes: Record<string, { before?: unknown; after?: unknown }> | null
  skip_automations: boolean
  cause_type: string | null
  depth: number
}

type Kind = {
  description: string
  /** The event types that may start a run. */
  events: (trigger: Trigger) => string[]
  /** Whether an event of these types starts one; otherwise why not. */
  refuses?: (trigger: Trigger, event: FeedEvent) => string | undefined
}

const RECORDS = ['contact', 'company', 'opportunity'] as const
const ofRecord = (action: string) => (trigger: Trigger) => [`${trigger.record}.${action}`]
const tagNames = (value: unknown): string[] =>
  Array.isArray(value) ? value.map((tag) => String((tag as { name?: unknown }).name).toLowerCase()) : []
const isOther = (wanted: unknown, found: unknown) => typeof wanted === 'string' && wanted !== found

function tagMove(trigger: Trigger, { changes, payload, type }: FeedEvent, added: boolean): string | undefined {
  const change = changes?.tags ?? (type.endsWith('.created') ? { before: [], after: payload.tags } : undefined)
  const [from, to] = [tagNames(change?.before), tagNames(change?.after)]
  const moved = added ? to.filter((name) => !from.includes(name)) : from.filter((name) => !to.includes(name))
  const wanted = trigger.tag === undefined ? moved : moved.filter((name) => name === String(trigger.tag).toLowerCase())
  return wanted.length > 0 ? undefined : `No such tag was ${added ? 'added' : 'removed'}`
}

/** The stage that an opportunity came to or left: by a move, or by its creation. */
function stageMove(trigger: Trigger, { type, payload }: FeedEvent, side: 'to' | 'from'): string | undefined {
  const created = type === 'opportunity.created'
  const stage = created ? payload.stage_id : payload[`${side}_stage_id`]
  const pipeline = created ? payload.pipeline_id : payload[`${side}_pipeline_id`]
  if (!stage) return 'The opportunity came to no stage'
  if (isOther(trigger.stage_id, stage)) return 'It is another stage'
  return isOther(trigger.pipeline_id, pipeline) ? 'It is another pipeline' : undefined
}

/** The triggers that can be chosen. The last four are started by something else than an event. */
export const TRIGGERS: Record<string, Kind> = {
  contact_created: { description: 'A contact was created.', events: () => ['contact.created'] },
  record_created: { description: 'A contact, company or opportunity was created.', events: ofRecord('created') },
  record_updated: { description: 'A contact, company or opportunity was changed.', events: ofRecord('updated') },
  field_changed: {
    description: 'A field of a contact, company or opportunity was changed: to any value, or from one or to one.',
    events: ofRecord('updated'),
    refuses({ field, from, to }, { changes }) {
      const path = String(field).split('.')
      const change = changes?.[path[0] as string]
      const of = (side: 'before' | 'after') =>
        path.length > 1 ? (change?.[side] as Record<string, unknown> | null)?.[path[1] as string] : change?.[side]
      if (!change || JSON.stringify(of('before') ?? null) === JSON.stringify(of('after') ?? null)) return `${field} was not changed`
      if (from !== undefined && String(of('before') ?? '') !== String(from ?? '')) return `${field} had another value`
      return to !== undefined && String(of('after') ?? '') !== String(to ?? '') ? `${field} has another value` : undefined
    },
  },
  record_archived: {
    description: 'A contact, company or opportunity was archived.',
    events: ofRecord('updated'),
    refuses: (_, { changes }) => (changes?.archived?.after === true ? undefined : 'It was not archived'),
  },
  stage_entered: {
    description: 'An opportunity came to a stage, from the same or another pipeline, or was created there.',
    events: () => ['opportunity.created', 'opportunity.moved'],
    refuses: (trigger, event) => stageMove(trigger, event, 'to'),
  },
  stage_left: {
    description: 'An opportunity left a stage.',
    events: () => ['opportunity.moved'],
    refuses: (trigger, event) => stageMove(trigger, event, 'from'),
  },
  opportunity_won: { description: 'An opportunity was won.', events: () => ['opportunity.won'] },
  opportunity_lost: { description: 'An opportunity was lost.', events: () => ['opportunity.lost'] },
  tag_added: {
    description: 'A tag was added to a contact, company or opportunity.',
    events: ({ record }) => [`${record}.created`, `${record}.updated`],
    refuses: (trigger, event) => tagMove(trigger, event, true),
  },
  tag_removed: {
    description: 'A tag was removed from a contact, company or opportunity.',
    events: ofRecord('updated'),
    refuses: (trigger, event) => tagMove(trigger, event, false),
  },
  list_entered: {
    description: 'A record became a member of a list that tracks its membership.',
    events: () => ['list.entered'],
    refuses: ({ list_id }, { entity_id }) => (isOther(list_id, entity_id) ? 'It is another list' : undefined),
  },
  list_left: {
    description: 'A record is no longer a member of a list that tracks its membership.',
    events: () => ['list.left'],
    refuses: ({ list_id }, { entity_id }) => (isOther(list_id, entity_id) ? 'It is another list' : undefined),
  },
  event: {
    description: 'Any event of these types, optionally with a condition over its data.',
    events: ({ event_types }) => (event_types as string[]).flatMap(eventTypesIn),
    refuses: ({ where }, event) =>
      where && !meets(event, where as DataTest) ? 'The event does not meet the condition of the trigger' : undefined,
  },
  manual: { description: 'Only a request starts it.', events: () => [] },
  schedule: {
    description: 'The schedules that name it start it: at the times of a cron expression, or so many days before or after a date.',
    events: () => [],
  },
  incoming_webhook: { description: 'The incoming webhooks that name it start it.', events: () => [] },
}
export const TRIGGER_TYPES = Object.keys(TRIGGERS)
export const TRIGGER_RECORDS = RECORDS

/** Event types that start nothing, because automations cause them. */
export const isOwnEvent = (type: string): boolean => type.startsWith('automation.')

/** The event types that a trigger reacts to. */
export const eventsOf = (trigger: Trigger): string[] =>
  [...new Set((TRIGGERS[trigger.type]?.events(trigger) ?? []).filter((type) => EVENT_TYPES.includes(type) && !isOwnEvent(type)))].toSorted()

/** Causes whose events start nothing: what an undo brings back has happened before. */
const SILENT = ['undo', 'restore']

/** Why an event starts no run of an automation with this trigger; undefined if it does. */
export function refusalOf(trigger: Trigger, event: FeedEvent): string | undefined {
  if (!eventsOf(trigger).includes(event.type)) return 'The trigger waits for other events'
  if (event.skip_automations) return 'The change was made with skip_automations'
  if (event.cause_type !== null && SILENT.includes(event.cause_type)) return 'The change was an undo or a restore'
  return TRIGGERS[trigger.type]?.refuses?.(trigger, event)
}

/** The setting of a trigger that an event of its types does not meet, with what it expects and what the event has. */
export function failureOf(trigger: Trigger, { type, entity_id, payload, changes, ...event }: FeedEvent): Failure | undefined {
  if (!eventsOf(trigger).includes(type)) return { path: 'trigger', expected: eventsOf(trigger), actual: type }
  if (trigger.where) return failureIn({ type, entity_id, payload, changes, ...event }, trigger.where as DataTest, 'trigger.where')
  const field = String(trigger.field).split('.')
  const side = (name: string) => valueAt(changes, [field[0] as string, name, ...field.slice(1)]) ?? null
  const moved = (name: string) => payload[name] ?? payload[trigger.type === 'stage_left' ? `from_${name}` : `to_${name}`] ?? null
  const found: Record<string, unknown> = {
    ...(trigger.field !== undefined && { field: Object.keys(changes ?? {}), from: side('before'), to: side('after') }),
    stage_id: moved('stage_id'),
    pipeline_id: moved('pipeline_id'),
    list_id: entity_id,
    tag: changes?.tags ?? null,
  }
  const isMet = (name: string) =>
    name === 'field' ? (found.field as string[]).includes(field[0] as string) : String(found[name] ?? '') === String(trigger[name] ?? '')
  const name = Object.keys(found).find((one) => trigger[one] !== undefined && !isMet(one))
  return name === undefined ? undefined : { path: `trigger.${name}`, expected: trigger[name], actual: found[name] }
}

/** An event without what it says of its record, if that is of one of these kinds. */
export const readableBy = <Event extends { entity?: unknown }>(event: Event, unreadable: string[]): Event =>
  unreadable.includes(String(event.entity)) ? { ...event, payload: {}, changes: null } : event

/** An event as a run keeps it: as GET /events shows it. */
export const eventOf = ({ id, type, entity, entity_id, at, payload, changes }: FeedEvent) => ({
  id,
  type,
  entity,
  entity_id,
  at,
  payload,
  changes,
})
