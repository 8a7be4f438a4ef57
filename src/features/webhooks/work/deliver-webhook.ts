import type { MessageOf } from '../../../../queues/messages.ts'
import { batch } from '../../../data/batch.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { outsideHttpOf, secretsOf } from '../../../http/deployment.ts'
import { newId } from '../../../lib/ids.ts'
import { disableForKey } from '../plans/follow.ts'
import { type Claim, claimStatements, readEvents, reasonToDisable, sendClaim, settleStatements } from '../plans/send.ts'
import { wakeWebhooks } from './follow-webhooks.ts'

/**
 * Sends what is due to one webhook. The claim counts the attempts before the requests are made: after a crash the lease ends, cron enqueues
 * the webhook again, and the deliveries are repeated with the same webhook-id.
 */
export async function deliverWebhook(env: Env, { workspace_id, webhook_id }: MessageOf<'webhook.deliver'>): Promise<void> {
  const database = jobsDatabaseOf(env)
  const claimId = newId()
  const [claim, found] = (await batch(database, claimStatements(workspace_id, webhook_id, claimId))) as [Claim | null, unknown]
  if (!claim || claim.busy) return
  if (claim.invalid) {
    await batch(database, [disableForKey(workspace_id, webhook_id)])
    return
  }
  const outside = { http: outsideHttpOf(env), secrets: secretsOf(env) }
  const results = await sendClaim(workspace_id, claim, readEvents(claimId, found), outside)
  const settling = settleStatements(workspace_id, webhook_id, claimId, results, reasonToDisable(claim, results))
  const [{ more, others }] = (await batch(database, settling)) as [{ more: boolean; others: string[] }]
  await wakeWebhooks(env, workspace_id, [...others, ...(more ? [webhook_id] : [])])
}
