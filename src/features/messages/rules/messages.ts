import type { Transitions } from '../../../domain/transitions.ts'

export const CHANNELS = ['email', 'sms', 'whatsapp'] as const
export type Channel = (typeof CHANNELS)[number]

/** Why a contact cannot be reached through a channel; the first that applies. */
export const UNREACHABLE_REASONS = [
  'archived',
  'channel_not_configured',
  'no_address',
  'premium_number',
  'unsubscribed',
  'suppressed',
  'quiet_hours',
] as const
export type UnreachableReason = (typeof UNREACHABLE_REASONS)[number]

/**
 * What messages are sent for: a step of an automation, a birthday, a booking, a request, a notice to members, the failure of an automation,
 * or a conversation by email, which an `email` begins and a `reply` continues, or by `sms`, or the address or the PIN of a `portal`, or the
 * request for a `review`.
 */
export const MESSAGE_PURPOSES = [
  'automation',
  'birthday',
  'booking',
  'request',
  'notice',
  'automation_error',
  'email',
  'reply',
  'sms',
  'portal',
  'review',
] as const

export const MESSAGE_STATUSES = ['queued', 'sending', 'sent', 'failed', 'unclear'] as const
export type MessageStatus = (typeof MESSAGE_STATUSES)[number]

/** What a provider reports about a message that it has accepted, in this order: a later report never takes an earlier state back. */
export const DELIVERY_STATUSES = ['sent', 'undelivered', 'failed', 'delivered', 'read'] as const

/**
 * The life of a message. An attempt whose outcome is unknown makes it `unclear`: the provider is asked whether it has accepted the message
 * before it is sent again.
 */
export const MESSAGE_TRANSITIONS = {
  claim: { queued: 'sending' },
  settle: { queued: 'sent', sending: 'sent', unclear: 'sent' },
  doubt: { sending: 'unclear' },
  retry: { sending: 'queued', unclear: 'queued' },
  fail: { queued: 'failed', sending: 'failed', unclear: 'failed' },
} as const satisfies Transitions<MessageStatus>

/** After so many attempts a message has failed. */
export const MAX_MESSAGE_ATTEMPTS = 6

/** The channels through which this service can send. */
const CONFIGURED: readonly Channel[] = ['email', 'sms', 'whatsapp']
export const isConfigured = (channel: Channel): boolean => CONFIGURED.includes(channel)

/** The seconds to wait before the attempt after this one: 1, 2, 4 … minutes, at most an hour. */
export const secondsUntilRetry = (attempts: number): number => Math.min(60 * 2 ** (attempts - 1), 3600)

export const SUPPRESSION_REASONS = ['unsubscribed', 'hard_bounce', 'complaint', 'manual'] as const
