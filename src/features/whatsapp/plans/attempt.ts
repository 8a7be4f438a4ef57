import { sql } from 'drizzle-orm'
import { batch } from '../../../data/batch.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import type { Files } from '../../../providers/files/port.ts'
import type { Delivery } from '../../email/provider/port.ts'
import { attemptOnce } from '../../messages/plans/attempt-once.ts'
import { filesToSend } from '../../messages/plans/files-to-send.ts'
import type { ClaimedMessage, Outcome } from '../../messages/plans/outcomes.ts'
import { withoutManagementLinks } from '../../scheduling/rules/notice-texts.ts'
import { readChatMessage } from '../rules/events.ts'
import { jidOfRecipient, keyOfMessage } from '../rules/jids.ts'
import { PAIRED } from '../rules/pairing.ts'
import { loadPairing, whatsAppOf } from './connection.ts'

type StoredFiles = Pick<Files, 'read'>

/** The provider's clock may differ from ours. */
const CLOCK_MS = 120_000
/** The most pages that are searched for a message. */
const MAX_PAGES = 5

/** Hands a claimed message to the provider, or looks up one whose outcome is unclear. Never throws: every failure is an outcome. */
export const attemptWhatsApp = (env: Env, files: StoredFiles, workspaceId: string, message: ClaimedMessage): Promise<Outcome> =>
  attemptOnce(message, {
    find: (now) => find(env, workspaceId, message, now),
    send: () => send(env, files, workspaceId, message).catch((error: unknown) => ({ outcome: 'unavailable', reason: String(error) })),
  })

async function send(env: Env, files: StoredFiles, workspaceId: string, message: ClaimedMessage): Promise<Delivery> {
  const pairing = await loadPairing(env, workspaceId)
  if (!pairing || !PAIRED.includes(pairing.status)) return { outcome: 'unavailable', reason: 'No phone is paired with WhatsApp' }
  const to = jidOfRecipient(message.recipient).replace('@s.whatsapp.net', '')
  const stored = await filesToSend(files, workspaceId, message.attachments)
  if ('outcome' in stored) return stored
  const quote = message.quote && { key: keyOfMessage(message.recipient, message.quote), text: message.quote.text }
  return whatsAppOf(env).send(pairing.instance_name, { to, text: message.body_text, file: stored.attachments[0], quote })
}

/**
 * Finds a message that may have been sent: one in its chat, from this phone, with its text, since it was reserved, that no other message is
 * known by. WhatsApp has no place for an id of ours.
 */
async function find(env: Env, workspaceId: string, message: ClaimedMessage, now: Date): Promise<string | undefined> {
  const pairing = await loadPairing(env, workspaceId)
  if (!pairing) throw new Error('No phone is paired with WhatsApp, so it is not known whether the message was sent')
  const range = { from: new Date(Date.parse(message.created_at) - CLOCK_MS), to: new Date(now.getTime() + CLOCK_MS) }
  const search = { jid: jidOfRecipient(message.recipient), from_me: true, ...range }
  const same: string[] = []
  for (let page = 1, pages = 1; page <= Math.min(pages, MAX_PAGES); page++) {
    const found = await whatsAppOf(env).search(pairing.instance_name, { ...search, page })
    pages = found.pages
    const read = found.messages.flatMap((one) => readChatMessage(one, now) ?? [])
    same.push(
      ...read
        .filter(({ from_me, type, text }) => from_me && type !== 'reaction' && text === withoutManagementLinks(message.body_text))
        .map(({ key_id }) => key_id),
    )
  }
  if (same.length === 0) return undefined
  const [unknown] = await batch(jobsDatabaseOf(env), [
    sql`select unknown_whatsapp_keys(${workspaceId}::uuid, array(select jsonb_array_elements_text(${JSON.stringify(same)}::jsonb)))`,
  ])
  return (unknown as string[]).at(-1)
}
