import { eventTypesIn } from '../../../domain/events.ts'
import { isAbout, type Subjects } from './about.ts'
import { type DataTest, meets } from './data-tests.ts'
import type { FeedEvent } from './triggers.ts'
import type { Step, Wait } from './types.ts'

/** What a wait for an event is sent with. */
export type AwaitedEvent = { type?: string; types?: string[]; where?: DataTest }

/** The event types that a wait names. */
export const awaitedTypes = ({ type, types = [] }: AwaitedEvent): string[] =>
  [...new Set([...(type === undefined ? [] : [type]), ...types].flatMap(eventTypesIn))].toSorted()

/** The event types that one of these steps waits for. */
export const awaitedIn = (steps: Step[]): string[] => [
  ...new Set(steps.flatMap(({ event }) => (event ? awaitedTypes(event as AwaitedEvent) : []))),
]

type Waiting = { [name in keyof Subjects]?: string | null }

/**
 * Whether an event ends the wait of a run: it is about one of its records, of a type that is awaited, and meets the condition.
 */
export const endsWait = ({ types = [], where }: Wait, run: Waiting, event: FeedEvent): boolean =>
  types.includes(event.type) && isAbout(event, run) && (where === undefined || meets(event, where))
