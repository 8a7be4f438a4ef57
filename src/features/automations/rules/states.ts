import type { Transitions } from '../../../domain/transitions.ts'

export const AUTOMATION_STATES = ['draft', 'published', 'paused'] as const
export const AUTOMATION_TRANSITIONS = {
  publish: { draft: 'published', published: 'published', paused: 'published' },
  pause: { published: 'paused' },
  resume: { paused: 'published' },
} as const satisfies Transitions<(typeof AUTOMATION_STATES)[number]>
/**
 * `queued`: behind another run of the same record. `waiting`: for the time, an event, or an approval. `paused`: an enrolment in an auto
 * queue, by request. The last four have ended, and `stopped` is the end by a step of that type, or by an exit of an auto queue.
 */
export const RUN_STATES = ['queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'cancelled', 'stopped'] as const
export type RunState = (typeof RUN_STATES)[number]
/** What else than a step has ended a run; `no_rights` is why one waits. */
export const RUN_REASONS = {
  cancelled: 'a request cancelled it',
  replaced: 'a later run of the same record replaced it',
  exited: 'an exit of the auto queue ended it',
  merged: 'its record was merged with one that has a run of the same automation, which goes on',
  record_deleted: 'the record that it was about was deleted',
  record_purged: 'the record that it was about was purged',
  record_merged: 'the record that it was about was merged into another one, without its runs',
  no_rights: 'it waits, because the key or the member that published its version may no longer act: it is tried again every day',
} as const
export type RunReason = keyof typeof RUN_REASONS
export const RUN_SOURCES = ['event', 'schedule', 'manual', 'webhook', 'automation', 'queue', 'replay', 'initiative'] as const
export type RunSource = (typeof RUN_SOURCES)[number]
export const STEP_STATES = ['done', 'skipped', 'waiting', 'held', 'failed'] as const
