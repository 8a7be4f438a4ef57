import * as v from 'valibot'
import { entityOf, hasSnapshot, isChange } from '../../../domain/events.ts'
import type { Issue } from '../../../errors.ts'
import { nearest } from '../../../lib/nearest.ts'
import { partsOf } from '../../../schemas/pipes.ts'
import { payloadOf } from '../../events/plans/event-types.ts'
import { SNAPSHOTS } from '../../events/schemas/snapshots.ts'
import { SCHEDULE_DATA } from '../../schedules/plans/trigger-data.ts'
import type { DataTest } from '../rules/data-tests.ts'
import { eventsOf } from '../rules/triggers.ts'
import type { Trigger } from '../rules/types.ts'

/** What is found at a place of some data: one of these schemas. */
export type Shape = v.GenericSchema[]
export const ANY: Shape = [v.unknown()]

type Node = v.GenericSchema & { wrapped?: v.GenericSchema; entries?: v.ObjectEntries; item?: v.GenericSchema; options?: unknown[] }
const OPEN = ['unknown', 'any', 'record', 'custom', 'variant', 'union', 'intersect', 'lazy']

/**
 * The fields of a value; `any` where they are not known, and none for a value that has no fields. An entry of a list is named by its index.
 */
function fieldsOf(schema: v.GenericSchema): v.ObjectEntries | 'any' {
  const { type, wrapped, entries, item } = partsOf<Node>(schema)
  if (wrapped) return fieldsOf(wrapped)
  if (type === 'array') return item ? { '0': item } : 'any'
  if (OPEN.includes(type)) return 'any'
  return (entries as v.ObjectEntries | undefined) ?? {}
}

/** The fields of records that a change announces. The others follow from it. */
const UNCHANGED = ['id', 'version', 'created_at', 'updated_at']
export const changeable = (entity: string): string[] =>
  Object.keys(SNAPSHOTS[entity]?.entries ?? {}).filter((name) => !UNCHANGED.includes(name))

function changesOf(type: string): v.GenericSchema {
  const { entries = {} } = SNAPSHOTS[entityOf(type)] ?? {}
  const fields = changeable(entityOf(type)).map((name) => {
    const value = entries[name] as v.GenericSchema
    return [name, v.object({ before: value, after: value })] as const
  })
  return v.object(isChange(type) && !type.endsWith('.deleted') ? Object.fromEntries(fields) : {})
}

const scalar = v.string()
/** The shape of an event of one of these types, as GET /events shows it. */
export const eventShape = (types: string[], more: v.ObjectEntries = {}): Shape =>
  types.map((type) =>
    v.object({
      id: scalar,
      type: scalar,
      entity: scalar,
      entity_id: scalar,
      at: scalar,
      ...more,
      payload: isChange(type) && !hasSnapshot(type) ? v.object({}) : payloadOf(type),
      changes: changesOf(type),
    }),
  )

/** A run that a request has started, whatever the trigger of the automation. */
const REQUESTED = v.object({ type: scalar, at: scalar, data: v.unknown() })
/** What starts the enrolments of a queue. */
const OF_QUEUE = v.object({ type: scalar, record: scalar, list_id: scalar })

/** The shape of the data of a trigger. */
export function triggerShape(trigger: Trigger): Shape {
  if (trigger.type === 'incoming_webhook') return ANY
  if (trigger.type === 'schedule') return [REQUESTED, ...SCHEDULE_DATA]
  if (trigger.type === 'auto_queue') return [OF_QUEUE]
  return [REQUESTED, ...eventShape(eventsOf(trigger))]
}

/**
 * The shape at a path; otherwise what is wrong with the first name that nothing has, and the known one that is nearest. `root` names the
 * data.
 */
export function follow(shape: Shape, path: string[], root: string): Shape | string {
  let at = shape
  for (const [index, name] of path.entries()) {
    const fields = at.map(fieldsOf)
    if (fields.includes('any')) return ANY
    const known = fields as v.ObjectEntries[]
    const found = known.flatMap((entries) => {
      const key = Object.hasOwn(entries, '0') && /^\d+$/.test(name) ? '0' : name
      return Object.hasOwn(entries, key) ? [entries[key] as v.GenericSchema] : []
    })
    if (found.length === 0) return missing([root, ...path.slice(0, index)].join('.'), name, [...new Set(known.flatMap(Object.keys))])
    at = found
  }
  return at
}

function missing(owner: string, name: string, known: string[]): string {
  const meant = nearest(name, known)
  return (
    `${owner} has no field ` +
    `${name.slice(0, 80)}${meant ? `: did you mean ${meant}?` : known.length > 0 && known.length <= 12 ? `: use ${known.join(', ')}` : ''}`
  )
}

const CHANGES = ['changed', 'changed_from', 'changed_to']
/** The paths of a condition over data whose shape is known that lead nowhere. The condition has the right form. */
export const faultsInPaths = (test: DataTest, shape: Shape, root: string, at: string): Issue[] =>
  faultsWhere(test, (path) => faultIn(shape, path, root), at)

/** Why a path leads nowhere. */
export function faultIn(shape: Shape, path: string[], root: string): string | undefined {
  const found = follow(shape, path, root)
  return typeof found === 'string' ? found : undefined
}

/** The same where `faultOf` says what is wrong with a path. */
export function faultsWhere(test: DataTest, faultOf: (path: string[]) => string | undefined, at: string): Issue[] {
  if ('all' in test) return test.all.flatMap((member, index) => faultsWhere(member, faultOf, `${at}.all.${index}`))
  if ('any' in test) return test.any.flatMap((member, index) => faultsWhere(member, faultOf, `${at}.any.${index}`))
  if ('not' in test) return faultsWhere(test.not, faultOf, `${at}.not`)
  const path = test.field.split('.')
  const fault = faultOf(CHANGES.includes(test.op) ? ['changes', ...(path[0] === 'payload' ? path.slice(1) : path)] : path)
  return fault === undefined ? [] : [{ path: `${at}.field`, message: fault }]
}

/** The names in the settings of a trigger, or of an exit of a queue, that no event can have. */
export function faultsInTrigger(trigger: Trigger, at: string): Issue[] {
  if (trigger.type === 'field_changed') {
    const { record, field } = trigger as Trigger & { record: string; field: string }
    const entries = SNAPSHOTS[record]?.entries ?? {}
    const known = Object.fromEntries(changeable(record).map((name) => [name, entries[name] as v.GenericSchema]))
    const found = follow([v.object(known)], field.split('.'), record)
    return typeof found === 'string' ? [{ path: `${at}.field`, message: found }] : []
  }
  if (trigger.type === 'event' && trigger.where)
    return faultsInPaths(trigger.where as DataTest, eventShape(eventsOf(trigger)), 'The event', `${at}.where`)
  return []
}
