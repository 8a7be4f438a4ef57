import type { Wake } from '../data/plan.ts'
import type { Env } from '../env.ts'

/** Wakes the queue that continues what a request has reserved. A lost wake-up costs a minute: the cron job finds what is due. */
export const enqueueWake = (env: Env, workspace_id: string, type: Wake): Promise<unknown> =>
  QUEUE_OF[type](env)
    .send({ type, workspace_id })
    .catch(() => {})

const QUEUE_OF: Record<Wake, (env: Env) => Queue<unknown>> = {
  'messages.send': ({ MESSAGES }) => MESSAGES,
  'outgoing.send': ({ WEBHOOKS }) => WEBHOOKS,
  'campaign.send': ({ CAMPAIGNS }) => CAMPAIGNS,
  'notetakers.run': ({ WEBHOOKS }) => WEBHOOKS,
  'calendars.sync': ({ WEBHOOKS }) => WEBHOOKS,
  'mailboxes.sync': ({ WEBHOOKS }) => WEBHOOKS,
  'whatsapp.mark': ({ MESSAGES }) => MESSAGES,
}
