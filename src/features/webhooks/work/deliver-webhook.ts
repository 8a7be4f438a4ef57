import type { WorkSet } from '../../../../queues/work/set.ts'
import { batch } from '../../../data/batch.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { outsideHttpOf, secretsOf } from '../../../http/deployment.ts'
import { newId } from '../../../lib/ids.ts'
import { disableForKey } from '../plans/follow.ts'
import { type Claim, claimStatements, readEvents, reasonToDisable, sendClaim, settleStatements } from '../plans/send.ts'
import { wakeWebhooks } from './follow-webhooks.ts'

/** Webhooks with deliveries that are due. */
export const webhookDeliveries: WorkSet = {
  name: 'webhook.deliver',
  queue: 'WEBHOOKS',
  hasItems: true,
  due: [{ table: 'webhook_states', due: 'due_at', where: 't.due_at <= now()', item: 'webhook_id' }],
  run: deliverWebhook,
}

/**
 * Sends what is due to one webhook. The claim counts the attempts before the requests are made: after a crash the lease ends, cron enqueues
 * the webhook again, and the deliveries are repeated with the same webhook-id.
 */
async function deliverWebhook(env: Env, workspaceId: string, webhookId: string): Promise<void> {
  const database = jobsDatabaseOf(env)
  const claimId = newId()
  const [claim, found] = (await batch(database, claimStatements(workspaceId, webhookId, claimId))) as [Claim | null, unknown]
  if (!claim || claim.busy) return
  if (claim.invalid) {
    await batch(database, [disableForKey(workspaceId, webhookId)])
    return
  }
  const outside = { http: outsideHttpOf(env), secrets: secretsOf(env) }
  const results = await sendClaim(workspaceId, claim, readEvents(claimId, found), outside)
  const settling = settleStatements(workspaceId, webhookId, claimId, results, reasonToDisable(claim, results))
  const [{ more, others }] = (await batch(database, settling)) as [{ more: boolean; others: string[] }]
  await wakeWebhooks(env, workspaceId, [...others, ...(more ? [webhookId] : [])])
}
