import type { Transitions } from '../transitions.ts'

export const AUTOMATION_STATES = ['draft', 'published', 'paused'] as const
export const AUTOMATION_TRANSITIONS = {
  publish: { draft: 'published', published: 'published', paused: 'published' },
  pause: { published: 'paused' },
  resume: { paused: 'published' },
} as const satisfies Transitions<(typeof AUTOMATION_STATES)[number]>
/**
 * `queued`: behind another run of the same record. `waiting`: for the time, an event, or an approval. `paused`: an enrolment in an auto queue,
 * by request. The last four have ended, and `stopped` is the end by a step of that type, or by an exit of an auto queue.
 */
export const RUN_STATES = ['queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'cancelled', 'stopped'] as const
export type RunState = (typeof RUN_STATES)[number]
export const RUN_SOURCES = ['event', 'schedule', 'manual', 'webhook', 'automation', 'queue', 'replay'] as const
export type RunSource = (typeof RUN_SOURCES)[number]
export const STEP_STATES = ['done', 'skipped', 'waiting', 'held', 'failed'] as const
