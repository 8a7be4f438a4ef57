import type { Env } from '../../../env.ts'
import { unsubscribePath } from '../../../lib/unsubscribe-links.ts'
import type { BatchDelivery, Tracking } from '../../email/provider/broadcast-port.ts'
import { postmarkBroadcast } from '../../email/provider/postmark-broadcast.ts'
import { senderHeader } from '../../email/rules/emails.ts'
import type { Variant } from '../rules/ab-tests.ts'
import { type Person, renderer } from './rendering.ts'

type Campaign = { env: Env; workspaceId: string; campaignId: string }
/** The recipients of one call of the provider, and what each of them gets. */
export type Batch = {
  batch_id: string
  subject: string
  subject_b: string | null
  body_html: string
  tracking: Tracking
  /** Null in a workspace that had no email config when the send began: the deployment sends. */
  sender: { from_email: string; from_name: string; reply_to: string } | null
  recipients: (Person & { id: string; variant: Variant | null })[]
}

const providerOf = ({ EMAIL_API_URL: url, EMAIL_API_TOKEN: token }: Env) => postmarkBroadcast({ url, token })

/** Hands a batch to the provider. The metadata has the batch and the recipient, by which each email can be found again. Never throws. */
export function handOver(
  { env, workspaceId, campaignId }: Campaign,
  { batch_id, recipients, tracking, sender, subject, subject_b, body_html }: Batch,
): Promise<BatchDelivery> {
  const first = renderer({ subject, body_html })
  const second = renderer({ subject: subject_b, body_html })
  const now = new Date()
  const emails = recipients.map((recipient) => {
    const unsubscribe_url = env.API_URL + unsubscribePath(env.FILE_SECRET, workspaceId, recipient.id, now)
    const metadata = { workspace_id: workspaceId, campaign_id: campaignId, recipient_id: recipient.id, batch_id }
    return {
      from: sender ? senderHeader(sender.from_name, sender.from_email) : env.EMAIL_FROM,
      reply_to: sender?.reply_to ?? null,
      to: recipient.email,
      tag: 'campaign',
      metadata,
      unsubscribe_url,
      tracking,
      ...(recipient.variant === 'b' ? second : first)(recipient, unsubscribe_url),
    }
  })
  return providerOf(env).sendBatch(emails)
}

/** Looks up a batch: the provider's ids by recipient, or why it did not answer. */
export const lookUp = (env: Env, batchId: string): Promise<Map<string, string> | { error: string }> =>
  providerOf(env)
    .findBatch('batch_id', batchId, 'recipient_id')
    .catch((error) => ({ error: String(error) }))
