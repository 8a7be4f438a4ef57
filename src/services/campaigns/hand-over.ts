import type { Env } from '../../env.ts'
import { unsubscribePath } from '../../lib/unsubscribe-links.ts'
import type { BatchDelivery, Tracking } from '../../providers/email/broadcast-port.ts'
import { postmarkBroadcast } from '../../providers/email/postmark-broadcast.ts'
import { type Person, renderer } from './rendering.ts'

type Campaign = { env: Env; workspaceId: string; campaignId: string }
/** The recipients of one call of the provider, and what each of them gets. */
export type Batch = { batch_id: string; subject: string; body_html: string; tracking: Tracking; recipients: (Person & { id: string })[] }

const providerOf = ({ EMAIL_API_URL: url, EMAIL_API_TOKEN: token }: Env) => postmarkBroadcast({ url, token })

/** Hands a batch to the provider. The metadata has the batch and the recipient, by which each email can be found again. Never throws. */
export function handOver(
  { env, workspaceId, campaignId }: Campaign,
  { batch_id, recipients, tracking, ...template }: Batch,
): Promise<BatchDelivery> {
  const render = renderer(template)
  const now = new Date()
  const emails = recipients.map((recipient) => {
    const unsubscribe_url = env.API_URL + unsubscribePath(env.FILE_SECRET, workspaceId, recipient.id, now)
    const metadata = { workspace_id: workspaceId, campaign_id: campaignId, recipient_id: recipient.id, batch_id }
    return {
      from: env.EMAIL_FROM,
      to: recipient.email,
      tag: 'campaign',
      metadata,
      unsubscribe_url,
      tracking,
      ...render(recipient, unsubscribe_url),
    }
  })
  return providerOf(env).sendBatch(emails)
}

/** Looks up a batch: the provider's ids by recipient, or why it did not answer. */
export const lookUp = (env: Env, batchId: string): Promise<Map<string, string> | { error: string }> =>
  providerOf(env)
    .findBatch('batch_id', batchId, 'recipient_id')
    .catch((error) => ({ error: String(error) }))
