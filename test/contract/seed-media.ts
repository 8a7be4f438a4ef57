import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import type { Ids } from './samples.ts'

/** A file of an SMS and one of a WhatsApp message. */
export async function addMedia(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  for (const channel of ['sms', 'whatsapp']) {
    const { rows } = await app.owner.query(
      `insert into message_media (workspace_id, ${channel}_message_id, source, status, name, content_type, size, due_at)
        select workspace_id, id, 'source ' || gen_random_uuid(), 'stored', 'media-1.jpg', 'image/jpeg', 20480, null from ${channel}_messages
          where workspace_id = $1 limit 1
        returning id`,
      [ws.id],
    )
    ids[`${channel}_media_id`] = rows[0].id
  }
}

/** The files that these calls are about. */
export const MEDIA_OF_CALLS: Record<string, Ids> = {
  'GET /sms/media/:media_id/download': { media_id: 'sms_media_id' },
  'GET /whatsapp/media/:media_id/download': { media_id: 'whatsapp_media_id' },
}

/** The functions for the queues that fetch files and send campaigns. */
export const CHANNEL_JOBS = [
  'report_transcript',
  'notify_mailbox_owners',
  'opened_mailboxes',
  ...['media_files_after', 'claim_work', 'due_work', 'end_work', 'extend_work'],
  ...['decide_ab_test', 'fail_campaign', 'next_campaign_step', 'settle_campaign_batch'],
]
