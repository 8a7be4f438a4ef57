import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { MAX_MEDIA_BYTES } from '../../../domain/files.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import type { WhatsAppProvider } from '../provider/port.ts'
import { MEDIA_TYPES } from '../rules/content.ts'
import { type ChatMessage, readChatMessage } from '../rules/events.ts'
import type { StoredPairing } from './connection.ts'

/** The most pages that one look compares; the next one continues. */
const MAX_PAGES = 10
/** Messages may be listed a little after their time. */
const OVERLAP_MS = 120_000

const FETCHED = `{${MEDIA_TYPES}}`

/**
 * Stores messages of chats, whose files the background then fetches; returns how many were unknown although the provider had time to report
 * them.
 */
export async function storeMessages(env: Env, workspaceId: string, messages: ChatMessage[]): Promise<number> {
  if (messages.length === 0) return 0
  const [missed] = await batch(jobsDatabaseOf(env), [
    call('receive_whatsapp_messages', workspaceId, JSON.stringify(messages), FETCHED, MAX_MEDIA_BYTES),
  ])
  return missed as number
}

/**
 * Compares the messages since the last comparison with those that the provider has stored, oldest first, and stores those that are missing.
 * Returns how many were, and notes in `stored` how far it has come.
 */
export async function compareMessages(env: Env, workspaceId: string, provider: WhatsAppProvider, stored: StoredPairing): Promise<number> {
  const now = new Date()
  const range = { from: new Date(Date.parse(stored.compared_until ?? now.toISOString()) - OVERLAP_MS), to: now }
  const newest = await provider.search(stored.instance_name, { ...range, page: 1 })
  const last = Math.max(1, newest.pages)
  const first = Math.max(1, last - MAX_PAGES + 1)
  let missed = 0
  let latest = range.from.toISOString()
  for (let page = last; page >= first; page--) {
    const { messages } = page === 1 ? newest : await provider.search(stored.instance_name, { ...range, page })
    const read = messages.flatMap((one) => readChatMessage(one, now) ?? [])
    missed += await storeMessages(env, workspaceId, read)
    for (const { at } of read) if (at > latest) latest = at
  }
  stored.compared_until = first === 1 ? now.toISOString() : latest
  return missed
}
