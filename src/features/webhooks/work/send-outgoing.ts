import type { MessageOf } from '../../../../queues/messages.ts'
import { batch } from '../../../data/batch.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { outsideHttpOf, secretsOf } from '../../../http/deployment.ts'
import { newId } from '../../../lib/ids.ts'
import { type ClaimedRequest, claimOutgoing, sendOutgoing, settleOutgoing } from '../plans/outgoing.ts'

/** Requests of a claim: a Worker has six connections. Its seconds are longer than any worker takes for it. */
const CLAIMED = 6
const LEASE = 90
/** Claims per message, after which another one continues. */
const MAX_CLAIMS = 5

/**
 * Sends the due requests of a workspace to other services, and wakes the runs that wait for them. Repeated messages claim different ones.
 */
export async function sendOutgoingRequests(env: Env, message: MessageOf<'outgoing.send'>): Promise<void> {
  const { workspace_id } = message
  const database = jobsDatabaseOf(env)
  const outside = { http: outsideHttpOf(env), secrets: secretsOf(env) }
  for (let count = 0; count < MAX_CLAIMS; count++) {
    const claimId = newId()
    const [claimed] = (await batch(database, [claimOutgoing(workspace_id, claimId, CLAIMED, LEASE)])) as [ClaimedRequest[]]
    if (claimed.length === 0) return
    const results = await Promise.all(claimed.map((request) => sendOutgoing(workspace_id, request, outside)))
    const [woken] = (await batch(database, [settleOutgoing(workspace_id, claimId, results)])) as [number]
    if (woken > 0) await env.EVENTS.send({ type: 'automations.run', workspace_id })
  }
  await env.WEBHOOKS.send(message)
}
