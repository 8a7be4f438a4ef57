import type { Transitions } from '../../../domain/transitions.ts'

export const DRAFT_STATUSES = ['draft', 'scheduled', 'sent', 'failed'] as const
export type DraftStatus = (typeof DRAFT_STATUSES)[number]

/** The life of a draft. One whose email could not be sent can be sent again. */
export const DRAFT_TRANSITIONS = {
  schedule: { draft: 'scheduled', scheduled: 'scheduled', failed: 'scheduled' },
  cancel: { scheduled: 'draft' },
  send: { draft: 'sent', scheduled: 'sent', failed: 'sent' },
  fail: { scheduled: 'failed', sent: 'failed' },
} as const satisfies Transitions<DraftStatus>

/** How far ahead an email can be scheduled, in milliseconds. */
export const FARTHEST_SEND = 366 * 86_400_000
