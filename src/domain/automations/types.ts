/** Records that a run is about; `trigger` is what started it. */
export const FACTS = ['contact', 'company', 'opportunity', 'trigger'] as const
export type Fact = (typeof FACTS)[number]
/** A condition over one of the records in the language of searches, or over the trigger. */
export type Test = { on: Fact; filter: Record<string, unknown> }

export type Trigger = { type: string; [setting: string]: unknown }
/** A step, with the settings of its type. The id stays the same in later versions. */
export type Step = { id: string; type: string; name?: string; [setting: string]: unknown }
export type Enrolment = {
  mode: 'always' | 'once' | 'again_after'
  days?: number
  concurrency: 'parallel' | 'queue' | 'skip' | 'replace'
}
export type Definition = { trigger: Trigger; conditions: Test[]; steps: Step[]; enrolment: Enrolment }

/** A list of steps that a run is in: the root (`in` is null), or a part of a step. A loop also has its items. */
export type Frame = { in: null | { step: string; part: number }; index: number; items?: unknown[]; item?: number }
/** Where a run is, innermost frame last; what its steps have returned, by step id; and what the last wait ended with. */
export type RunPlace = { frames: Frame[]; outputs: Record<string, unknown>; skip?: string[]; ended?: 'event' | 'timeout'; event?: unknown }
