import { enqueue } from '../../../wake.ts'
import type { Listener } from './listeners.ts'

/** Sends an approved request to the approvals queue. */
export const enqueueApproval: Listener = {
  types: ['approval.updated'],
  async handle(env, { changes, workspace_id, entity_id }) {
    if (changes?.status?.after === 'approved') await enqueue(env, 'approval.run', workspace_id, entity_id)
  },
}
