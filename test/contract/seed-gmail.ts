import type { Harness } from '../harness.ts'
import { comeBack } from '../routes/consenting.ts'
import type { TestWorkspace } from '../workspace.ts'
import type { Ids } from './samples.ts'

export const GMAIL_KEYS: Record<string, string> = {
  account_grants_mailbox_key: 'the grant of a mailbox is replaced',
  mailboxes_user_key: 'the mailbox of a member is connected again, or refused by its account',
}

/** The functions for the background, as in the list of all of them (roles.test.ts). */
export const ACCOUNT_JOBS = [
  'claim_token',
  'fail_account',
  'note_mailbox_watch',
  'notify_mailboxes',
  'receive_mailbox_email',
  'refresh_mailbox',
  'settle_token',
  'store_mailbox',
  'hold_account',
  'take_grant_request',
  'take_held_account',
  'wanted_emails',
]

export const GMAIL_OVER = {
  'POST /mailboxes/start': () => ({ body: { user_id: undefined } }),
  'PATCH /mailboxes/:mailbox_id': () => ({ body: { sender_email: null } }),
}

/** A mailbox that is connected. */
export async function addMailbox(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  const { body } = await ws.post('/mailboxes/start', {})
  const email = `${ws.userId}@gmail.example`
  await comeBack(app, app.google.accounts.consent(new URL(body.data.url).searchParams, { email }))
  const listed = await ws.get(`/mailboxes?user_id=${ws.userId}`)
  if (!listed.body.data?.[0]) throw new Error(JSON.stringify(listed.body))
  ids.mailbox_id = listed.body.data[0].id
}
