/** The writes of two round trips without a case in changed-fact-cases.ts, by the reason. */
export const NOT_CHANGED: Record<string, string[]> = {
  'it reads the workspace of the caller, which never changes': [
    'POST /webhooks',
    'POST /webhooks/subscribe',
    'POST /webhooks/:webhook_id/rotate-secret',
    'PATCH /company/payment-settings',
    'POST /voice-agent-templates/:slug/create-agent',
    'POST /calendar-connections',
    'POST /calendar-connections/start',
    'POST /mailboxes/start',
    'PUT /scheduling/voice-providers/:provider',
  ],
  'it reads the root entity of a template, which never changes': [
    'PATCH /exports/templates/:export_template_id',
    'POST /exports/templates/:export_template_id/views',
    'PATCH /exports/templates/:export_template_id/views/:view_id',
  ],
  'the first round trip reserves the bytes of the file, and the second asserts again that its record is there': [
    'POST /contacts/:contact_id/attachments',
    'POST /companies/:company_id/attachments',
    'POST /opportunities/:opportunity_id/attachments',
    'POST /imports',
    'POST /files',
    'POST /public-image-upload',
    'POST /knowledge-bases/:kb_id/ingest-file',
  ],
  'it copies what it has read, as if the other request had come later': ['POST /knowledge-bases/:kb_id/sync-products'],
  'nothing is due in the sample; the function that carries a decision out asks again for the task, and for the version of its initiative': [
    'POST /lead-gen/initiatives/dispatcher/run',
  ],
  'what it proposes is tried again when it is accepted': ['POST /agent-proposals'],
  'the sample reads nothing that the answer shows; its query is confirmed as those of the cases are': [
    'POST /auto-responders/:auto_responder_id/test',
    'POST /messages/notify',
  ],
  'it has a test of its own in changed-facts.test.ts': [
    'PATCH /automations/:automation_id',
    'PATCH /agency/team-commission/plans/:user_id',
  ],
}
