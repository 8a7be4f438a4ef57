import type { Listener } from './listeners.ts'

/** An approved request goes to the approvals queue. */
export const wakeApproval: Listener = async (env, { type, changes, workspace_id, entity_id }) => {
  if (type !== 'approval.updated' || changes?.status?.after !== 'approved') return
  await env.APPROVALS.send({ type: 'approval.run', workspace_id, approval_id: entity_id })
}
