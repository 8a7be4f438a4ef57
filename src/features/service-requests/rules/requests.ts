import type { Transitions } from '../../../domain/transitions.ts'

export const REQUEST_TYPES = ['bug', 'feature', 'question', 'other'] as const
export const REQUEST_STATUSES = ['open', 'in_progress', 'waiting', 'done', 'closed'] as const
export type RequestStatus = (typeof REQUEST_STATUSES)[number]
/** Who a request waits for: the agency that looks after the workspace, or the operator of this platform. */
export const REQUEST_QUEUES = ['agency', 'platform'] as const

/** A request that is done can be taken up again. A closed one can only be reopened. */
export const REQUEST_TRANSITIONS = {
  start: { open: 'in_progress', waiting: 'in_progress', done: 'in_progress' },
  wait: { open: 'waiting', in_progress: 'waiting' },
  finish: { open: 'done', in_progress: 'done', waiting: 'done' },
  close: { open: 'closed', in_progress: 'closed', waiting: 'closed', done: 'closed' },
  reopen: { in_progress: 'open', waiting: 'open', done: 'open', closed: 'open' },
} as const satisfies Transitions<RequestStatus>

/** The most characters of a note. */
export const MAX_NOTE = 20_000
/** The most notes of a request, and the most characters of all of them: a list returns the whole threads. */
export const MAX_NOTES = 200
export const MAX_THREAD = 200_000
/** The most requests that one is related to. */
export const MAX_RELATED = 50

/** The places of a message in a chat, as Slack names them: the channel, and the time that is the message's id. */
export type MessageReference = { channel: string; ts: string }

/** The seconds after each failed attempt to notify somebody. */
export const NOTICE_WAITS = [30, 120, 600, 3600, 21_600]
