import { nearest } from '../lib/nearest.ts'
import { RECORD_ENTITIES } from './records.ts'
import { SPECIAL, TRACKED } from './registered.ts'

/** After this many deliveries an event has failed. */
export const MAX_DELIVERY_ATTEMPTS = 20

export const TRACKED_RECORDS: readonly string[] = TRACKED
/** How long events can be read, in days. */
export const EVENT_DAYS = 30
/** What reads a workspace's feed in the background: tracked lists, automations, and outgoing webhooks. */
export const FOLLOWERS = ['lists', 'automations', 'webhooks'] as const
export type Follower = (typeof FOLLOWERS)[number]
/** The longest that a request for a page of the feed waits for an event, in seconds. */
export const MOST_WAIT_SECONDS = 25
/** The number of requests and streams of a workspace that wait for events at a time. */
export const MOST_READERS = 20

const CHANGES = ['created', 'updated', 'deleted']

/** Every event type, such as `contact.created`. */
export const EVENT_TYPES: readonly string[] = [
  ...new Set([
    ...TRACKED.flatMap((record) => CHANGES.map((action) => `${record}.${action}`)),
    ...RECORD_ENTITIES.toSorted().flatMap((record) => ['merged', 'unmerged', 'purged'].map((action) => `${record}.${action}`)),
    ...SPECIAL,
  ]),
]

/** The kind of record of an event: `contact` of `contact.created`. */
export const entityOf = (type: string): string => type.slice(0, type.indexOf('.'))

/** Whether the event has a snapshot of its record. */
export const hasSnapshot = (type: string): boolean => type.endsWith('.created') || type.endsWith('.updated')

/** Whether the event announces the change of a record. */
export const isChange = (type: string): boolean => CHANGES.includes(type.slice(type.indexOf('.') + 1))

const namesIn = (list: string): string[] => list.split(',').map((name) => name.trim())
const matching = (name: string): string[] =>
  name.endsWith('.*') ? EVENT_TYPES.filter((type) => entityOf(type) === name.slice(0, -2)) : EVENT_TYPES.filter((type) => type === name)

/** The event types of a list of names and prefixes: `contact.*, task.completed`. */
export const eventTypesIn = (list: string): string[] => [...new Set(namesIn(list).flatMap(matching))].toSorted()

/** What is wrong with such a list: its first unknown name, and the one that was probably meant. Undefined when every name is known. */
export function faultInEventTypes(list: string): string | undefined {
  const unknown = namesIn(list).find((name) => matching(name).length === 0)
  if (unknown === undefined) return undefined
  const known = [...EVENT_TYPES, ...TRACKED.map((record) => `${record}.*`)]
  const meant = nearest(unknown, known)
  return `has no event type ${JSON.stringify(unknown.slice(0, 80))}${meant ? `: did you mean ${meant}?` : ': see GET /event-types'}`
}
