import type { Env } from '../../../env.ts'
import { loggable } from '../../../lib/text.ts'
import { MAX_MESSAGE_ATTEMPTS } from '../../messages/rules/messages.ts'
import type { WhatsAppProvider } from '../provider/port.ts'
import { keyOfMessage } from '../rules/jids.ts'
import { PAIRED } from '../rules/pairing.ts'
import { type CallOutcome, followUp } from '../rules/reactions.ts'
import { loadPairing, whatsAppOf } from './connection.ts'

/** A reaction that was claimed (read_whatsapp_reactions), with the message that it is about. An empty emoji takes it away. */
export type ClaimedReaction = {
  recipient: string
  emoji: string
  key_id: string
  from_me: boolean
  sender_jid: string | null
  sender_phone: string | null
  is_deleted: boolean
}
/** The next messages of a conversation that were read (read_whatsapp_reads). */
export type ClaimedReads = {
  recipient: string
  is_allowed: boolean
  unread: number
  key_ids: string[]
  taken: number
  seen: number
  until_at: string | null
  until_id: string | null
}

/** Sends a reaction to the provider, and returns what has come of it. */
export async function sendReaction(env: Env, workspaceId: string, claimed: ClaimedReaction, attempts: number) {
  const { recipient, is_deleted, emoji } = claimed
  const called: CallOutcome = is_deleted
    ? { outcome: 'refused', reason: 'The message was deleted in its chat' }
    : await calling(env, workspaceId, attempts, (to, name) => to.react(name, keyOfMessage(recipient, claimed), emoji))
  const next = followUp(called, attempts)
  if (next.ok) return { results: { status: 'sent', error: null } }
  const status = next.wait === null ? 'failed' : 'queued'
  return { results: { status, error: loggable(next.reason, 300) }, wait: next.wait, failed: true }
}

/** Sends the receipts of messages that were read, unless the workspace has decided otherwise since, and returns what has come of it. */
export async function sendReceipts(env: Env, workspaceId: string, claimed: ClaimedReads, attempts: number) {
  const { recipient, is_allowed, unread, key_ids, taken, until_at, until_id } = claimed
  const keys = key_ids.map((key_id) => keyOfMessage(recipient, { key_id, from_me: false, sender_jid: null, sender_phone: null }))
  const called = keys.length > 0 && is_allowed ? await calling(env, workspaceId, attempts, (to, name) => to.markRead(name, keys)) : DONE
  const next = followUp(called, attempts)
  if (next.ok) {
    const left = is_allowed && claimed.seen > 0 ? Math.max(unread - taken, 0) : 0
    const place = until_at === null ? {} : { until_at, until_id }
    return { results: { ...place, unread: left, error: null }, wait: left > 0 ? 0 : null }
  }
  const error = loggable(next.reason, 300)
  // Nothing depends on it: what has failed in the last attempt is only logged.
  if (next.wait === null) console.warn(JSON.stringify({ level: 'warn', message: 'whatsapp.read', read_receipts: keys.length, error }))
  return { results: { unread: next.wait === null ? 0 : unread, error }, wait: next.wait, failed: true }
}

const DONE: CallOutcome = { outcome: 'done' }

async function calling(
  env: Env,
  workspaceId: string,
  attempts: number,
  call: (provider: WhatsAppProvider, name: string) => Promise<CallOutcome>,
): Promise<CallOutcome> {
  const pairing = await loadPairing(env, workspaceId)
  if (!pairing || !PAIRED.includes(pairing.status)) return { outcome: 'unavailable', reason: 'No phone is paired with WhatsApp' }
  // The attempts of workers that have crashed count too.
  if (attempts > MAX_MESSAGE_ATTEMPTS) return { outcome: 'refused', reason: 'WhatsApp did not accept it in several attempts' }
  try {
    return await call(whatsAppOf(env), pairing.instance_name)
  } catch (error) {
    return { outcome: 'unavailable', reason: String(error) }
  }
}
