import type { DataTest } from './data-tests.ts'

/** What a run knows: the records that it is about, and `trigger`, what started it. */
export const FACTS = ['contact', 'company', 'opportunity', 'trigger'] as const
export type Fact = (typeof FACTS)[number]
/** A condition: for a record a filter in the language of searches, for the trigger a test of its data (see data-tests.ts). */
export type Test = { on: Fact; filter: Record<string, unknown> }

export type Trigger = { type: string; [setting: string]: unknown }
/** A step, with the settings of its type. The id stays the same in later versions; the key names it in templates. */
export type Step = { id: string; type: string; key?: string; [setting: string]: unknown }
export type Enrolment = {
  mode: 'always' | 'once' | 'again_after'
  days?: number
  concurrency: 'parallel' | 'queue' | 'skip' | 'replace'
}
export type Definition = { trigger: Trigger; conditions: Test[]; steps: Step[]; enrolment: Enrolment }

/** A list of steps that a run is in: the root (`in` is null), or a part of a step. A loop also has its items. */
export type Frame = { in: null | { step: string; part: number }; index: number; items?: unknown[]; item?: number }
/**
 * What a run waits for: a time, or until then an event of one of the types that meets a condition, and whose id is behind `since`. `looked`: the
 * events from before the wait was stored, from the id `from` on, have been looked at. `found`: the ids of those that have come since.
 */
export type Wait = { until: string; types?: string[]; where?: DataTest; since?: string; from?: string; looked?: boolean; found?: string[] }

/**
 * Where a run is, innermost frame last; what its steps have returned, by id; the steps to leave out; what ended the last wait, and the approval
 * that holds the last step. Of an enrolment in an auto queue: the step of the queue that is next.
 */
export type RunPlace = {
  frames: Frame[]
  outputs: Record<string, unknown>
  skip?: string[]
  waits?: boolean
  ended?: 'event'
  event?: unknown
  wait?: Wait
  /** The id of the event, or the lowest id of the time, that ended the last wait. */
  since?: string
  approval_id?: string
  step?: string | null
}
