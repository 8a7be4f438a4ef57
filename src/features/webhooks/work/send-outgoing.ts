import type { WorkSet } from '../../../../queues/work/set.ts'
import { batch } from '../../../data/batch.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { outsideHttpOf, secretsOf } from '../../../http/deployment.ts'
import { newId } from '../../../lib/ids.ts'
import { enqueue } from '../../../wake.ts'
import { type ClaimedRequest, claimOutgoing, sendOutgoing, settleOutgoing } from '../plans/outgoing.ts'

/** Requests of a claim: a Worker has six connections. Its seconds are longer than any worker takes for it. */
const CLAIMED = 6
const LEASE = 90
/** Claims per message, after which another one continues. */
const MAX_CLAIMS = 5

/** Requests to other services. */
export const outgoingRequests: WorkSet = {
  name: 'outgoing.send',
  queue: 'WEBHOOKS',
  due: [{ table: 'outgoing_requests', due: 'due_at', where: 't.due_at <= now()' }],
  run: sendOutgoingRequests,
}

/**
 * Sends the due requests of a workspace to other services, and wakes the runs that wait for them. Repeated messages claim different ones.
 */
async function sendOutgoingRequests(env: Env, workspaceId: string): Promise<boolean> {
  const database = jobsDatabaseOf(env)
  const outside = { http: outsideHttpOf(env), secrets: secretsOf(env) }
  for (let count = 0; count < MAX_CLAIMS; count++) {
    const claimId = newId()
    const [claimed] = (await batch(database, [claimOutgoing(workspaceId, claimId, CLAIMED, LEASE)])) as [ClaimedRequest[]]
    if (claimed.length === 0) return false
    const results = await Promise.all(claimed.map((request) => sendOutgoing(workspaceId, request, outside)))
    const [woken] = (await batch(database, [settleOutgoing(workspaceId, claimId, results)])) as [number]
    if (woken > 0) await enqueue(env, 'automations.run', workspaceId)
  }
  return true
}
