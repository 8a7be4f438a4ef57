import type { Kind } from '../../../../queues/work/kind.ts'
import { wake } from '../../../wake.ts'
import { mailboxAccessOf } from '../plans/access.ts'
import { type ClaimedMailbox, syncMailbox } from '../plans/sync.ts'

/** Reads what has arrived in the mailboxes of members: every five minutes, and when their provider has reported a change. */
export const mailboxesSync: Kind<ClaimedMailbox> = {
  name: 'mailboxes.sync',
  queue: 'WEBHOOKS',
  table: 'mailboxes',
  where: "t.status = 'connected'",
  writes: ['cursor', 'synced_at', 'sync_error'],
  read: 'read_mailboxes',
  lease: 180,
  atOnce: 1,
  claims: 3,
  workers: 10,
  call({ env, workspaceId, claimId, attempts, item, extend }) {
    const deliverEvents = (id: string) => wake(env, 'events.deliver', id)
    const held = { ...item, workspace_id: workspaceId, claim: claimId, attempts, extend }
    return syncMailbox({ ...mailboxAccessOf(env), files: env.FILES, deliverEvents }, held)
  },
}
