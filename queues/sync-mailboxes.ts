import { sql } from 'drizzle-orm'
import { batch } from '../src/data/batch.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'
import { endAccounts } from '../src/services/accounts/end-accounts.ts'
import { calendarAccessOf } from '../src/services/calendars/access.ts'
import { calendarEnder } from '../src/services/calendars/connector.ts'
import { mailboxAccessOf } from '../src/services/mailboxes/access.ts'
import { mailboxEnder } from '../src/services/mailboxes/connector.ts'
import { syncMailbox } from '../src/services/mailboxes/sync.ts'
import type { MessageOf } from './messages.ts'

/** The mailboxes of a workspace for which one message enqueues others, and how many go to the queue together. */
const MOST_DUE = 1_000
const TOGETHER = 100

/** Ends the accounts of a workspace that were disconnected. */
export const endDisconnected = (env: Env, workspaceId: string): Promise<void> => {
  const [calendars, mailboxes] = [calendarAccessOf(env), mailboxAccessOf(env)]
  return endAccounts(calendars, { calendars: calendarEnder(calendars), mailbox: mailboxEnder(mailboxes) }, workspaceId)
}

/**
 * Reads what has arrived in a mailbox. A message without one ends the accounts of the workspace that were disconnected, and enqueues those of its mailboxes that are due. Repeated messages find nothing
 * that is due.
 */
export async function syncMailboxes(env: Env, message: MessageOf<'mailboxes.sync'>): Promise<void> {
  const { workspace_id, mailbox_id } = message
  if (mailbox_id) {
    const deliverEvents = (id: string) => env.EVENTS.send({ type: 'events.deliver', workspace_id: id }).catch(() => {})
    const outcome = await syncMailbox({ ...mailboxAccessOf(env), files: env.FILES, deliverEvents }, workspace_id, mailbox_id)
    if (outcome === 'again') await env.WEBHOOKS.send(message)
    return
  }
  await endDisconnected(env, workspace_id)
  const [due] = (await batch(jobsDatabaseOf(env), [sql`select due_mailboxes(${workspace_id}::uuid, ${MOST_DUE}::int)`])) as [string[]]
  const messages = due.map((id) => ({ body: { type: message.type, workspace_id, mailbox_id: id } }))
  for (let from = 0; from < messages.length; from += TOGETHER) await env.WEBHOOKS.sendBatch(messages.slice(from, from + TOGETHER))
}
