import type { ObjectName } from '../../../domain/filters/types.ts'

/**
 * What an event says about the records whose membership it may change. `references`: fields with the ids of related records, before and
 * after.
 */
export type TrackedEvent = { type: string; entity: string; entity_id: string; origin: string; references: [string, string][] }
/** A record that entered or left a static list. */
export type Touch = { id: string; object: ObjectName; record_id: string; origin: string }

const OBJECT_OF: Record<string, ObjectName> = {
  contact: 'contacts',
  company: 'companies',
  opportunity: 'opportunities',
  activity: 'activities',
  task: 'tasks',
}
const REFERRED: Record<string, ObjectName> = {
  customer_id: 'companies',
  parent_company_id: 'companies',
  contact_id: 'contacts',
  contact_ids: 'contacts',
  deal_id: 'opportunities',
  opportunity_id: 'opportunities',
}
const LINKS = ['activity', 'task', 'employer', 'opportunity_contact']

/**
 * The records of each object that changes name, with the number of the last change; `origins` has the origin of each number, which begin at
 * 1.
 */
export type Touched = { ids: Record<ObjectName, Map<string, number>>; origins: string[] }

export function touchedBy(events: TrackedEvent[], touches: Touch[]): Touched {
  const ids: Touched['ids'] = {
    contacts: new Map(),
    companies: new Map(),
    opportunities: new Map(),
    activities: new Map(),
    tasks: new Map(),
  }
  const origins: string[] = []
  const numbered = (origin: string) => (origins.at(-1) === origin ? origins.length : origins.push(origin))
  for (const { entity, entity_id, origin, references } of events) {
    const number = numbered(origin)
    const own = OBJECT_OF[entity]
    if (own) ids[own].set(entity_id, number)
    for (const [field, id] of references) if (REFERRED[field]) ids[REFERRED[field]].set(id, number)
  }
  for (const { object, record_id, origin } of touches) ids[object].set(record_id, numbered(origin))
  return { ids, origins }
}

/** Whether the event is the deletion of a link whose ends are unknown, because a purge has erased them. */
export const hasLostEnds = ({ type, entity, references }: TrackedEvent): boolean =>
  LINKS.includes(entity) && type.endsWith('.deleted') && references.length === 0
