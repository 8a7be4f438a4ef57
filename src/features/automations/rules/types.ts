import type { DataTest } from './data-tests.ts'

/** What a run knows: the records that it is about, `trigger`, what started it, and `steps`, what the steps before have led to. */
export const FACTS = ['contact', 'company', 'opportunity', 'trigger', 'steps'] as const
export type Fact = (typeof FACTS)[number]
/** Whether what a condition is about is data that the run has, and no record of the database. */
export const isData = (on: Fact): on is 'trigger' | 'steps' => on === 'trigger' || on === 'steps'
/**
 * A condition: for a record a filter in the language of searches, for the trigger and for steps a test of their data (see data-tests.ts).
 */
export type Test = { on: Fact; filter: Record<string, unknown> }
/** A condition of the start of a run, before which there are no steps. */
export type StartTest = Test & { on: Exclude<Fact, 'steps'> }

export type Trigger = { type: string; [setting: string]: unknown }
/** A step, with the settings of its type. The id stays the same in later versions; the key names it in templates. */
export type Step = { id: string; type: string; key?: string; [setting: string]: unknown }
export type Enrolment = {
  mode: 'always' | 'once' | 'again_after'
  days?: number
  concurrency: 'parallel' | 'queue' | 'skip' | 'replace'
}
export type Definition = { trigger: Trigger; conditions: StartTest[]; steps: Step[]; enrolment: Enrolment }

/** A list of steps that a run is in: the root (`in` is null), or a part of a step. A loop also has its items. */
export type Frame = { in: null | { step: string; part: number }; index: number; items?: unknown[]; item?: number }
/**
 * What a run waits for: a time, or until then an event of one of the types that meets a condition, and whose id is behind `since`.
 * `looked`: the events from before the wait was stored, from the id `from` on, have been looked at. `found`: the ids of those that have
 * come since.
 */
export type Wait = { until: string; types?: string[]; where?: DataTest; since?: string; from?: string; looked?: boolean; found?: string[] }

/**
 * Where a run is, innermost frame last; what its steps have returned, by id; the steps to leave out; what ended the last wait, and the
 * approval that holds the last step. Of an enrolment in an auto queue: the step of the queue that is next.
 */
export type RunPlace = {
  frames: Frame[]
  outputs: Record<string, unknown>
  skip?: string[]
  waits?: boolean
  ended?: 'event'
  event?: unknown
  wait?: Wait
  /** Of a run that was queued: when it begins at the earliest. */
  begins_at?: string
  /** The id of the event, or the lowest id of the time, that ended the last wait. */
  since?: string
  approval_id?: string
  step?: string | null
}
