import { sql } from 'drizzle-orm'
import { batch } from '../src/data/batch.ts'
import type { ClaimedNotetaker } from '../src/domain/notetakers/decisions.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'
import { notetakerProviderOf } from '../src/http/deployment.ts'
import { newId } from '../src/lib/ids.ts'
import { perform } from '../src/services/notetakers/perform.ts'
import type { MessageOf } from './messages.ts'

/** Notetakers of a claim: a Worker has six connections. Its seconds are longer than any worker takes for it. */
const CLAIMED = 6
const LEASE = 120
/** Claims per message, after which another one continues. */
const MAX_CLAIMS = 10

/**
 * Makes the provider of notetakers agree with those of a workspace that are due: creates, moves and ends bots, and reads what they have recorded. The provider is
 * called between two transactions: the first notes what is about to happen, the second what has happened. Repeated messages claim different ones.
 */
export async function runNotetakers(env: Env, message: MessageOf<'notetakers.run'>): Promise<void> {
  const { workspace_id } = message
  const provider = notetakerProviderOf(env)
  if (!provider) return
  const database = jobsDatabaseOf(env)
  for (let count = 0; count < MAX_CLAIMS; count++) {
    const claimId = newId()
    const [claimed] = (await batch(database, [
      sql`select claim_notetakers(${workspace_id}::uuid, ${claimId}::uuid, ${CLAIMED}::int, ${LEASE}::int)`,
    ])) as [ClaimedNotetaker[]]
    if (claimed.length === 0) return
    const outcomes = await Promise.all(claimed.map((notetaker) => perform(provider, workspace_id, notetaker, new Date())))
    for (const [index, outcome] of outcomes.entries())
      await batch(database, [
        sql`select settle_notetaker(${workspace_id}::uuid, ${claimed[index]?.id}::uuid, ${claimId}::uuid, ${JSON.stringify(outcome)}::jsonb)`,
      ])
    await env.EVENTS.send({ type: 'events.deliver', workspace_id }).catch(() => {})
  }
  await env.WEBHOOKS.send(message)
}
