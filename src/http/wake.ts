import type { Wake } from '../data/plan.ts'
import type { Env } from '../env.ts'

/** Wakes the queue that continues what a request has reserved. A lost wake-up costs a minute: the cron job finds what is due. */
export const enqueueWake = (env: Env, workspace_id: string, type: Wake): Promise<unknown> =>
  (isWork(type)
    ? env[WORK[type]].send({ type: 'work.run', kind: type, workspace_id })
    : QUEUE_OF[type](env).send({ type, workspace_id })
  ).catch(() => {})

/** The queues of the kinds of work that requests wake (queues/work/registry.ts). */
export const WORK = {
  'notetakers.run': 'WEBHOOKS',
  'records.delete': 'IMPORTS',
  'records.restore': 'IMPORTS',
  'phone.voice': 'MESSAGES',
  'reviews.ask': 'MESSAGES',
  'transcripts.send': 'WEBHOOKS',
  'calendars.sync': 'WEBHOOKS',
  'calendars.end': 'WEBHOOKS',
  'mailboxes.sync': 'WEBHOOKS',
  'mailboxes.end': 'WEBHOOKS',
  'knowledge.index': 'IMPORTS',
  'knowledge.copy': 'MESSAGES',
  'memory.embed': 'IMPORTS',
  'whatsapp.react': 'MESSAGES',
  'whatsapp.read': 'MESSAGES',
} as const satisfies Partial<Record<Wake, 'IMPORTS' | 'MESSAGES' | 'WEBHOOKS'>>

const isWork = (type: Wake): type is keyof typeof WORK => type in WORK

const QUEUE_OF: Record<Exclude<Wake, keyof typeof WORK>, (env: Env) => Queue<unknown>> = {
  'messages.send': ({ MESSAGES }) => MESSAGES,
  'outgoing.send': ({ WEBHOOKS }) => WEBHOOKS,
  'campaign.send': ({ CAMPAIGNS }) => CAMPAIGNS,
}

/** Has what is due of a kind in these workspaces done now. @throws Error when its queue cannot be reached */
export const wakeAll = (env: Env, kind: keyof typeof WORK, workspaceIds: string[]): Promise<unknown> =>
  env[WORK[kind]].sendBatch([...new Set(workspaceIds)].map((workspace_id) => ({ body: { type: 'work.run', kind, workspace_id } })))
