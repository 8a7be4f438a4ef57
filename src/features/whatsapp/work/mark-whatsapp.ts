import type { Kind } from '../../../../queues/work/kind.ts'
import { type ClaimedReaction, type ClaimedReads, sendReaction, sendReceipts } from '../plans/marks.ts'

/** How a workspace's phone is called: one after the other. */
const ONE_PHONE = { queue: 'MESSAGES', lease: 300, atOnce: 5, inTurn: true, claims: 10 } as const

/** Reactions are states: sending one again changes nothing, so that an attempt without an answer is repeated. */
export const whatsappReact: Kind<ClaimedReaction> = {
  ...ONE_PHONE,
  name: 'whatsapp.react',
  table: 'whatsapp_reactions',
  writes: ['status', 'error'],
  read: 'read_whatsapp_reactions',
  settle: 'settle_whatsapp_reaction',
  emits: true,
  call: ({ env, workspaceId, item, attempts }) => sendReaction(env, workspaceId, item, attempts),
}

/** So are receipts that messages were read, of which up to 100 go in one call. */
export const whatsappRead: Kind<ClaimedReads> = {
  ...ONE_PHONE,
  name: 'whatsapp.read',
  table: 'whatsapp_reads',
  writes: ['unread', 'until_at', 'until_id', 'error'],
  read: 'read_whatsapp_reads',
  call: ({ env, workspaceId, item, attempts }) => sendReceipts(env, workspaceId, item, attempts),
}
