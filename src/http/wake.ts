import type { Wake } from '../data/plan.ts'
import type { Env } from '../env.ts'

/** Wakes the queue that continues what a request has reserved. A lost wake-up costs a minute: the cron job finds what is due. */
export const enqueueWake = (env: Env, workspace_id: string, type: Wake): Promise<unknown> =>
  (type === 'messages.send' ? env.MESSAGES : env.WEBHOOKS).send({ type, workspace_id }).catch(() => {})
