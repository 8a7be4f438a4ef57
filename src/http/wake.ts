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
  'whatsapp.react': 'MESSAGES',
  'whatsapp.read': 'MESSAGES',
} as const satisfies Partial<Record<Wake, 'MESSAGES' | 'WEBHOOKS'>>

const isWork = (type: Wake): type is keyof typeof WORK => type in WORK

const QUEUE_OF: Record<Exclude<Wake, keyof typeof WORK>, (env: Env) => Queue<unknown>> = {
  'messages.send': ({ MESSAGES }) => MESSAGES,
  'outgoing.send': ({ WEBHOOKS }) => WEBHOOKS,
  'campaign.send': ({ CAMPAIGNS }) => CAMPAIGNS,
  'notetakers.run': ({ WEBHOOKS }) => WEBHOOKS,
  'calendars.sync': ({ WEBHOOKS }) => WEBHOOKS,
  'mailboxes.sync': ({ WEBHOOKS }) => WEBHOOKS,
}
