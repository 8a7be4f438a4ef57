import type { Transitions } from '../../../domain/transitions.ts'

export const CAMPAIGN_STATUSES = ['draft', 'scheduled', 'sending', 'paused', 'sent', 'failed'] as const
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number]

/** The life of a campaign. It ends as `sent` when nobody is queued any more, and as `failed` when nothing could be sent. */
export const CAMPAIGN_TRANSITIONS = {
  schedule: { draft: 'scheduled', scheduled: 'scheduled' },
  unschedule: { scheduled: 'draft' },
  send: { draft: 'sending', scheduled: 'sending' },
  pause: { sending: 'paused' },
  resume: { paused: 'sending' },
  finish: { sending: 'sent' },
  fail: { scheduled: 'failed', sending: 'failed' },
} as const satisfies Transitions<CampaignStatus>

export const RECIPIENT_STATUSES = ['queued', 'sent', 'delivered', 'opened', 'clicked', 'bounced', 'failed'] as const
export type RecipientStatus = (typeof RECIPIENT_STATUSES)[number]

/**
 * How far a recipient has come. A status changes only to one of a higher rank, so events lead to the same status in any order and however
 * often they are repeated. Whoever opened an email has received it, so an open counts for more than a bounce.
 */
export const RECIPIENT_RANK: Record<RecipientStatus, number> = {
  queued: 0,
  failed: 1,
  sent: 2,
  delivered: 3,
  bounced: 4,
  opened: 5,
  clicked: 6,
}

export const UNSUBSCRIBE_REASONS = ['link_click', 'hard_bounce', 'complaint', 'unsubscribe_header'] as const
export type UnsubscribeReason = (typeof UNSUBSCRIBE_REASONS)[number]

/**
 * Why someone in the audience is not a recipient. `address_changed` and `contact_deleted` happen after the audience was read; the others
 * are checked again before the email is sent.
 */
export const SKIP_REASONS = [
  'no_address',
  'unsubscribed',
  'hard_bounce',
  'complaint',
  'suppressed',
  'duplicate_address',
  'archived',
  'address_changed',
  'contact_deleted',
] as const
export type SkipReason = (typeof SKIP_REASONS)[number]
