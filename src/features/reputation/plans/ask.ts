import { reviewToken } from '../../../lib/portal-secrets.ts'
import { chargeFor } from '../../billing/rules/credits.ts'
import { toReservation } from '../../messages/plans/send-message.ts'
import { smsSize } from '../../sms/rules/sms.ts'
import { type DueRequest, decideRequest } from '../rules/review-decisions.ts'
import { fillReview, reviewMessage } from '../rules/review-messages.ts'

/** An outcome of background work (queues/work/kind.ts), with the message that is reserved with it. */
type Done = { results?: Record<string, unknown>; wait?: number | null; messages?: object[] }

/** The page at which the contact writes the review. */
export const reviewUrl = (appUrl: string, secret: string, seed: string): string => `${appUrl}/review/${reviewToken(secret, seed)}`

/** What is done about a request that is due: its message or its one reminder is reserved, or it waits, or it is stopped. */
export function askForReview(request: DueRequest, links: { appUrl: string; secret: string }, now: Date): Done {
  const { id, channel, contact_id, sender, status, remind_after_days, recipient } = request
  const isReminder = status === 'sent'
  const content = reviewMessage(channel, { ...request, is_reminder: isReminder })
  // The link is longer than its tag, and an SMS is charged by its length.
  const length = smsSize(fillReview(content.text, reviewUrl(links.appUrl, links.secret, request.token_seed))).segments
  const charge = chargeFor(channel, length)
  const decision = decideRequest(request, charge.credits, now)
  if (decision.action === 'end') return {}
  if (decision.action === 'wait') return { results: { reason: decision.reason }, wait: decision.seconds }
  if (decision.action === 'stop') return { results: { status: 'stopped', reason: decision.reason } }
  const message = toReservation({
    channel,
    contact_id,
    ...content,
    purpose: 'review',
    dedupe_key: `review:${id}:${isReminder ? 2 : 1}`,
    recipient: (channel === 'email' ? recipient.email : recipient.phone) ?? '',
    ...(channel === 'email' && sender && { sender_email: sender.from_email, sender_name: sender.from_name ?? undefined }),
  })
  const messages = [{ ...message, ...charge }]
  if (isReminder) return { results: { status: 'reminded', reason: null, reminded_at: now.toISOString() }, messages }
  const results = { status: 'sent', reason: null, sent_at: now.toISOString() }
  return { results, messages, wait: remind_after_days === null ? null : remind_after_days * 86_400 }
}
