import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { jobsDatabaseOf } from '../../../env.ts'
import { type OpenedMailboxes, openedMailboxesEmail } from '../../mailboxes/rules/opened-mailboxes.ts'
import type { Listener } from './listeners.ts'

/** Tells the members who have a mailbox that others can read it from now on. The cron job of messages sends the emails. */
export const notifyMailboxOwners: Listener = {
  types: ['role.mailboxes_opened'],
  async handle(env, { workspace_id, id, entity_id, payload }) {
    const reader = (payload.user_id ?? null) as string | null
    const [opened] = (await batch(jobsDatabaseOf(env), [call('opened_mailboxes', workspace_id, entity_id, reader)])) as [
      OpenedMailboxes | null,
    ]
    if (!opened) return
    const email = JSON.stringify(openedMailboxesEmail(opened))
    await batch(jobsDatabaseOf(env), [call('notify_mailbox_owners', workspace_id, id, reader, email)])
  },
}
