import type { Kind } from '../../../../queues/work/kind.ts'
import { dispatchInitiative } from '../plans/dispatch.ts'

/** What is due of initiatives is fired: at the time that the gap after the last email allows, and not only at the next tick. */
export const leadsDispatch: Kind<unknown> = {
  name: 'leads.dispatch',
  queue: 'MESSAGES',
  table: 'lead_dispatches',
  key: 'initiative_id',
  writes: [],
  emits: true,
  lease: 60,
  atOnce: 1,
  claims: 10,
  call: async ({ env, workspaceId, id }) => ({ wait: await dispatchInitiative(env, workspaceId, id, new Date()) }),
}
