import type { Transitions } from '../../../domain/transitions.ts'

export const NOTETAKER_STATES = ['requested', 'scheduled', 'joining', 'recording', 'done', 'failed', 'cancelled'] as const
export type NotetakerState = (typeof NOTETAKER_STATES)[number]

/** Reports of the provider may be late or missing, so a later state is also reached from each earlier one. */
export const NOTETAKER_TRANSITIONS = {
  schedule: { requested: 'scheduled' },
  join: { requested: 'joining', scheduled: 'joining' },
  record: { requested: 'recording', scheduled: 'recording', joining: 'recording' },
  finish: { requested: 'done', scheduled: 'done', joining: 'done', recording: 'done' },
  fail: { requested: 'failed', scheduled: 'failed', joining: 'failed', recording: 'failed' },
  cancel: { requested: 'cancelled', scheduled: 'cancelled', joining: 'cancelled' },
} as const satisfies Transitions<NotetakerState>
export type NotetakerTransition = keyof typeof NOTETAKER_TRANSITIONS

/** `none`: nothing was recorded, or the record that it belongs to is gone. */
export const TRANSCRIPT_STATUSES = ['none', 'pending', 'written', 'failed'] as const
export type TranscriptStatus = (typeof TRANSCRIPT_STATUSES)[number]

/** How long before the start of the meeting the bot joins. */
export const JOIN_SECONDS = 60
/** What a recorded minute costs. */
export const CREDITS_PER_MINUTE = 23
/** A recording ends at the latest so many minutes after the meeting should have ended, counted from when the bot joins. */
export const OVERTIME_MINUTES = 60
