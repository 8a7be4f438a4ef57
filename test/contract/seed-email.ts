import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import type { Ids } from './samples.ts'
import { addDrafts } from './seed-mailbox.ts'

/** A thread with an attachment, and the token of an inbox. */
export async function addEmails(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  const sent = { contact_id: ids.contact_id, deal_id: ids.opportunity_id, customer_id: ids.company_id }
  const made = await ws.post('/email/send', { ...sent, subject: 'Your offer', text: 'Hello Ana' })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  ids.thread_id = made.body.data.thread_id
  const { rows } = await app.owner.query(
    `insert into email_attachments (workspace_id, email_message_id, name, content_type, size, rank, source_id)
      select workspace_id, id, 'offer.pdf', 'application/pdf', 20480, 0, (select a.id from attachments a where a.workspace_id = $1 limit 1)
        from email_messages where workspace_id = $1 limit 1 returning id`,
    [ws.id],
  )
  ids.email_attachment_id = rows[0].id
  const { path } = (await ws.post('/email/inbox/rotate-token')).body.data
  ids.inbox_token = path.slice(path.lastIndexOf('/') + 1)
  await addDrafts(app, ws, ids)
}
