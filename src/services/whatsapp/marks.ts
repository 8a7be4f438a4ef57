import { MAX_MESSAGE_ATTEMPTS } from '../../domain/messages.ts'
import { keyOfMessage } from '../../domain/whatsapp/jids.ts'
import { PAIRED } from '../../domain/whatsapp/pairing.ts'
import { type CallOutcome, followUp } from '../../domain/whatsapp/reactions.ts'
import type { Env } from '../../env.ts'
import { loggable } from '../../lib/text.ts'
import type { WhatsAppProvider } from '../../providers/whatsapp/port.ts'
import { type StoredPairing, whatsAppOf } from './connection.ts'

type Claim = { id: string; claim_id: string; turn: number; attempts: number; recipient: string }
/** A reaction that was claimed (claim_whatsapp_marks), with the message that it is about. An empty emoji takes it away. */
export type ClaimedReaction = Claim & {
  emoji: string
  key_id: string
  from_me: boolean
  sender_jid: string | null
  sender_phone: string | null
  is_deleted: boolean
}
/** The next messages of a conversation that were read. */
export type ClaimedReads = Claim & {
  is_allowed: boolean
  key_ids: string[]
  taken: number
  seen: number
  until_at: string
  until_id: string
}

type Outcome = Pick<Claim, 'id' | 'claim_id' | 'turn'> & { error: string | null; wait: number | null }

/** Sends a reaction to the provider, and returns what has come of it. */
export async function sendReaction(env: Env, pairing: StoredPairing | null, claim: ClaimedReaction): Promise<Outcome> {
  const { recipient, is_deleted, emoji } = claim
  if (is_deleted) return outcomeOf(claim, { outcome: 'refused', reason: 'The message was deleted in its chat' })
  return outcomeOf(claim, await calling(env, pairing, claim, (to, name) => to.react(name, keyOfMessage(recipient, claim), emoji)))
}

/** Sends the receipts of messages that were read, unless the workspace has decided otherwise since, and returns what has come of it. */
export async function sendReceipts(env: Env, pairing: StoredPairing | null, claim: ClaimedReads): Promise<Outcome & Partial<ClaimedReads>> {
  const { recipient, is_allowed, key_ids, taken, seen, until_at, until_id } = claim
  const keys = key_ids.map((key_id) => keyOfMessage(recipient, { key_id, from_me: false, sender_jid: null, sender_phone: null }))
  const called = keys.length > 0 && is_allowed ? await calling(env, pairing, claim, (to, name) => to.markRead(name, keys)) : DONE
  const outcome = outcomeOf(claim, called)
  // Nothing depends on it: what has failed in the last attempt is only logged.
  if (outcome.error !== null && outcome.wait === null)
    console.warn(JSON.stringify({ level: 'warn', message: 'whatsapp.mark', read_receipts: keys.length, error: outcome.error }))
  return { ...outcome, taken, seen: is_allowed ? seen : 0, until_at, until_id }
}

const DONE: CallOutcome = { outcome: 'done' }

async function calling(
  env: Env,
  pairing: StoredPairing | null,
  { attempts }: Claim,
  call: (provider: WhatsAppProvider, name: string) => Promise<CallOutcome>,
): Promise<CallOutcome> {
  if (!pairing || !PAIRED.includes(pairing.status)) return { outcome: 'unavailable', reason: 'No phone is paired with WhatsApp' }
  // The attempts of workers that have crashed count too.
  if (attempts > MAX_MESSAGE_ATTEMPTS) return { outcome: 'refused', reason: 'WhatsApp did not accept it in several attempts' }
  try {
    return await call(whatsAppOf(env), pairing.instance_name)
  } catch (error) {
    return { outcome: 'unavailable', reason: String(error) }
  }
}

function outcomeOf({ id, claim_id, turn, attempts }: Claim, called: CallOutcome): Outcome {
  const next = followUp(called, attempts)
  return { id, claim_id, turn, ...(next.ok ? { error: null, wait: null } : { error: loggable(next.reason, 300), wait: next.wait }) }
}
