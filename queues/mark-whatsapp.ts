import { sql } from 'drizzle-orm'
import { batch } from '../src/data/batch.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'
import { loadPairing } from '../src/services/whatsapp/connection.ts'
import { type ClaimedReaction, type ClaimedReads, sendReaction, sendReceipts } from '../src/services/whatsapp/marks.ts'
import type { MessageOf } from './messages.ts'

/** What is claimed together of each kind, for so many seconds, and how often in a message; then another one continues. */
const CLAIMED = 5
const LEASE = 300
const MAX_CLAIMS = 10

type Claimed = { reactions: ClaimedReaction[]; reads: ClaimedReads[] }

/** Sends the reactions and the read receipts of a workspace to WhatsApp, one after the other. Repeated and concurrent wake-ups do no harm: each row is claimed by one of them. */
export async function markWhatsApp(env: Env, message: MessageOf<'whatsapp.mark'>): Promise<void> {
  const { workspace_id } = message
  const database = jobsDatabaseOf(env)
  for (let claims = 0; claims < MAX_CLAIMS; claims++) {
    const claim = sql`select claim_whatsapp_marks(${workspace_id}::uuid, ${CLAIMED}::int, ${LEASE}::int)`
    const [{ reactions, reads }] = (await batch(database, [claim])) as [Claimed]
    if (reactions.length + reads.length === 0) return
    const pairing = await loadPairing(env, workspace_id)
    for (const one of reactions) await settle([await sendReaction(env, pairing, one)], [])
    for (const one of reads) await settle([], [await sendReceipts(env, pairing, one)])
  }
  await env.MESSAGES.send(message)

  async function settle(reacted: object[], read: object[]): Promise<void> {
    const outcomes = sql`${JSON.stringify(reacted)}::jsonb, ${JSON.stringify(read)}::jsonb`
    await batch(database, [sql`select settle_whatsapp_marks(${workspace_id}::uuid, ${outcomes})`])
    if (reacted.length > 0) await env.EVENTS.send({ type: 'events.deliver', workspace_id }).catch(() => {})
  }
}
