import type { Kind } from '../../../../queues/work/kind.ts'
import { workMessage } from '../../../wake.ts'
import { askForReview } from '../plans/ask.ts'
import type { DueRequest } from '../rules/review-decisions.ts'

/** Sends requests for reviews to contacts when they can be reached, and one reminder. */
export const reviewsAsk: Kind<DueRequest> = {
  name: 'reviews.ask',
  queue: 'MESSAGES',
  table: 'review_requests',
  writes: ['status', 'reason', 'sent_at', 'reminded_at'],
  read: 'read_review_requests',
  settle: 'settle_review_request',
  emits: true,
  lease: 60,
  atOnce: 6,
  claims: 10,
  async call({ env, workspaceId, item }) {
    const outcome = askForReview(item, { appUrl: env.APP_URL, secret: env.FILE_SECRET }, new Date())
    // A wake-up that is lost, or comes before the message is stored, costs a minute.
    if (outcome.messages) await env.MESSAGES.send(workMessage('messages.send', workspaceId), { delaySeconds: 1 }).catch(() => {})
    return outcome
  },
}
