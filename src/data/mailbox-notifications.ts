import { batch, type Database } from './batch.ts'
import { call } from './call.ts'

/** The members, of all workspaces, who have connected the same account. */
const MOST_MAILBOXES = 100

/** Has the mailboxes of an account at Gmail read now, and returns those that there are. */
export async function notifyMailboxes(database: Database, email: string): Promise<{ workspace_id: string; mailbox_id: string }[]> {
  const [found] = await batch(database, [call('notify_mailboxes', 'gmail', email, MOST_MAILBOXES)])
  return found as { workspace_id: string; mailbox_id: string }[]
}
