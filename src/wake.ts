import type { Env } from './env.ts'

/** The queues of the work that requests, events and other work wake (queues/work/registry.ts); cron finds the rest. */
export const WOKEN = {
  'approval.run': 'APPROVALS',
  'automations.run': 'EVENTS',
  'bookings.copy': 'WEBHOOKS',
  'calendars.end': 'WEBHOOKS',
  'calendars.sync': 'WEBHOOKS',
  'campaign.send': 'CAMPAIGNS',
  'custom-index.build': 'IMPORTS',
  'email.receive': 'MESSAGES',
  'events.deliver': 'EVENTS',
  'import.run': 'IMPORTS',
  'incoming.run': 'WEBHOOKS',
  'knowledge.copy': 'MESSAGES',
  'knowledge.index': 'IMPORTS',
  'mailboxes.end': 'WEBHOOKS',
  'mailboxes.sync': 'WEBHOOKS',
  'media.fetch': 'WEBHOOKS',
  'memory.embed': 'IMPORTS',
  'messages.send': 'MESSAGES',
  'notetakers.run': 'WEBHOOKS',
  'outgoing.send': 'WEBHOOKS',
  'phone.voice': 'MESSAGES',
  'records.delete': 'IMPORTS',
  'records.restore': 'IMPORTS',
  'reviews.ask': 'MESSAGES',
  'schedule.run': 'IMPORTS',
  'transcripts.send': 'WEBHOOKS',
  'webhook.deliver': 'WEBHOOKS',
  'whatsapp.react': 'MESSAGES',
  'whatsapp.read': 'MESSAGES',
  'whatsapp.receive': 'MESSAGES',
  'zones.resolve': 'IMPORTS',
} as const satisfies Record<string, WorkQueue>

/** The queues of background work, by their bindings. */
export type WorkQueue = 'APPROVALS' | 'CAMPAIGNS' | 'EVENTS' | 'IMPORTS' | 'MESSAGES' | 'WEBHOOKS'
/** Work that can be woken. */
export type Wake = keyof typeof WOKEN

/** The message that has work done which is due in a workspace, or the item of it that it names. */
export const workMessage = (kind: string, workspace_id: string, item_id?: string | null) =>
  ({ type: 'work.run', kind, workspace_id, ...(item_id && { item_id }) }) as const

/** Has work done now. @throws Error when its queue cannot be reached */
export async function enqueue(env: Env, kind: Wake, workspaceId: string, itemId?: string): Promise<void> {
  await env[WOKEN[kind]].send(workMessage(kind, workspaceId, itemId))
}

/** Has work done now for many workspaces or items. @throws Error when its queue cannot be reached */
export const enqueueAll = (env: Env, kind: Wake, of: { workspaceId: string; itemId?: string }[]): Promise<void> =>
  sendAll(
    env[WOKEN[kind]],
    of.map(({ workspaceId, itemId }) => ({ body: workMessage(kind, workspaceId, itemId) })),
  )

/** Has work done now. A lost wake-up costs a minute: cron finds what is due. */
export const wake = (env: Env, kind: Wake, workspaceId: string, itemId?: string): Promise<void> =>
  enqueue(env, kind, workspaceId, itemId).catch(() => {})

/** The messages that a queue takes at once. */
const TOGETHER = 100

/** Sends any number of messages. @throws Error when the queue cannot be reached */
export async function sendAll(queue: Queue<unknown>, messages: MessageSendRequest<unknown>[]): Promise<void> {
  for (let from = 0; from < messages.length; from += TOGETHER) await queue.sendBatch(messages.slice(from, from + TOGETHER))
}
