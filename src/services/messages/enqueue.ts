import type { Env } from '../../env.ts'

/** Wakes the queue for a workspace that has reserved messages. A lost wake-up costs a minute: the cron job finds what is due. */
export const enqueueMessages = (env: Env, workspaceId: string): Promise<unknown> =>
  env.MESSAGES.send({ type: 'messages.send', workspace_id: workspaceId }).catch(() => {})
