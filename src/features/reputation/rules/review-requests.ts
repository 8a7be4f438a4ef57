import type { Transitions } from '../../../domain/transitions.ts'

export const REVIEW_CHANNELS = ['email', 'sms'] as const
export type ReviewChannel = (typeof REVIEW_CHANNELS)[number]

/** `stopped`: the contact can no longer be reached, or the time is over. Whoever has been asked can still write a review until then. */
export const REVIEW_REQUEST_STATUSES = ['queued', 'sent', 'reminded', 'reviewed', 'stopped', 'cancelled'] as const
export type ReviewRequestStatus = (typeof REVIEW_REQUEST_STATUSES)[number]

/** Only `cancel` is requested; the others follow from the message, the contact and the review. */
export const REVIEW_REQUEST_TRANSITIONS = {
  cancel: { queued: 'cancelled', sent: 'cancelled', reminded: 'cancelled' },
  send: { queued: 'sent' },
  remind: { sent: 'reminded' },
  stop: { queued: 'stopped', sent: 'stopped', reminded: 'stopped' },
  review: { queued: 'reviewed', sent: 'reviewed', reminded: 'reviewed', stopped: 'reviewed' },
} as const satisfies Transitions<ReviewRequestStatus>

/** A contact is asked once in so many days, and the link works for as long. */
export const ASK_AGAIN_DAYS = 90
export const DEFAULT_REMIND_DAYS = 5
export const MAX_REMIND_DAYS = 30
/** The most contacts that one call names, and the most of an audience. */
export const MAX_ASKED = 100
export const MAX_ASKED_AUDIENCE = 500
/** The most characters of the words before the link. */
export const MAX_WORDS = 300
