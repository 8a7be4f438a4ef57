import { zoneOfContact } from '../../contacts/rules/local-zone.ts'
import { canReach, type Recipient } from '../../messages/rules/reachability.ts'
import type { ReviewChannel, ReviewRequestStatus } from './review-requests.ts'

/** A request that a worker has claimed (read_review_requests). */
export type DueRequest = {
  id: string
  contact_id: string
  channel: ReviewChannel
  message: string | null
  status: ReviewRequestStatus
  remind_after_days: number | null
  expires_at: string
  token_seed: string
  name: string
  is_published: boolean
  /** Why another request stands for it, of people who were merged. */
  asked_otherwise: string | null
  first_name: string | null
  workspace_zone: string
  balance: number
  sender: { from_email: string; from_name: string | null } | null
  recipient: Omit<Recipient, 'zone'> & { timezone: string | null; state: string | null; country: string | null }
}

/** `send` the request or its reminder now, look again after `seconds`, or `stop`; `end`: nothing is left to do. */
export type ReviewDecision =
  | { action: 'send' }
  | { action: 'wait'; reason: string; seconds: number }
  | { action: 'stop'; reason: string }
  | { action: 'end' }

const HOUR = 3600
const wait = (reason: string, seconds = HOUR): ReviewDecision => ({ action: 'wait', reason, seconds })

/** What happens to a request that is due. `credits`: what its message costs. */
export function decideRequest(request: DueRequest, credits: number, now: Date): ReviewDecision {
  const { status, channel, expires_at, recipient, sender, is_published, balance } = request
  if (status !== 'queued' && status !== 'sent') return { action: 'end' }
  if (request.asked_otherwise !== null) return { action: 'stop', reason: request.asked_otherwise }
  if (Date.parse(expires_at) <= now.getTime()) return { action: 'stop', reason: 'expired' }
  const reach = canReach({ ...recipient, zone: zoneOfContact(recipient, request.workspace_zone).timezone }, channel, now)
  if (!reach.reachable && reach.reason === 'quiet_hours')
    return wait('quiet_hours', Math.ceil(((reach.next_allowed_at?.getTime() ?? 0) - now.getTime()) / 1000))
  if (!reach.reachable && reach.reason !== 'channel_not_configured') return { action: 'stop', reason: reach.reason }
  if (!reach.reachable || (channel === 'email' && !sender)) return wait('channel_not_configured')
  if (!is_published) return wait('profile_not_published')
  return credits > balance ? wait('insufficient_credits') : { action: 'send' }
}
