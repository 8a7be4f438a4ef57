import type { Ids } from './samples.ts'

/** Written by hand and not signed, because the sample workspace has no signature. */
const PLAIN = { template_id: undefined, append_signature: undefined, attachment_ids: undefined }
const draft = ({ contact_id }: Ids) => ({ body: { ...PLAIN, contact_id, to: undefined, thread_id: undefined, config_id: undefined } })

export const MAILBOX_SAMPLES: Record<string, (ids: Ids) => { body: Record<string, unknown> }> = {
  'POST /email/drafts': draft,
  'PATCH /email/drafts/:email_draft_id': draft,
  'POST /email/drafts/:email_draft_id/schedule': () => ({ body: { send_at: new Date(Date.now() + 86_400_000).toISOString() } }),
}
