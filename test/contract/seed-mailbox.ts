import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import type { Ids } from './samples.ts'

/** A draft that can be sent, and one that is scheduled for a time that no test reaches. */
export async function addDrafts(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  for (const state of ['ready', 'scheduled']) {
    const made = await ws.post('/email/drafts', { to: 'ana@example.com', subject: 'Your offer', text: 'Hello Ana' })
    if (made.status !== 201) throw new Error(JSON.stringify(made.body))
    ids[`${state}_email_draft_id`] = made.body.data.id
  }
  await app.owner.query(
    "update email_drafts set status = 'scheduled', send_at = now() + interval '1 year', scheduled_by = $2 where id = $1",
    [ids.scheduled_email_draft_id, ws.userId],
  )
}

/** The drafts that these calls are about. */
export const DRAFTS_OF_CALLS: Record<string, Ids> = {
  'POST /email/drafts/:email_draft_id/send': { email_draft_id: 'ready_email_draft_id' },
  'POST /email/drafts/:email_draft_id/schedule': { email_draft_id: 'scheduled_email_draft_id' },
  'POST /email/drafts/:email_draft_id/cancel': { email_draft_id: 'scheduled_email_draft_id' },
}
