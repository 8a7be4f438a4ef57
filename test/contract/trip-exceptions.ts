/** Whether a call has one of these names, in which `*` stands for a part of the path. */
const among = (names: string[]) => {
  const pattern = new RegExp(`^(?:${names.map((name) => name.replaceAll('*', '[^/]+')).join('|')})$`)
  return (name: string) => pattern.test(name)
}
const each = (base: string, parts: string[]) => parts.map((part) => `${base}${part}`)

const PUBLISHES_AGENT = [...each('POST /agents/:agent_id/', ['publish', 'rollback']), 'POST /voice-agent-templates/:slug/create-agent']

const LEADS = each('POST /lead-gen/', ['results/convert', 'initiatives/dispatcher/run', 'initiatives/:initiative_id/enrol'])
const CHECKED_DEFINITIONS = [
  'PATCH /automations/:automation_id',
  'PATCH /agents/:agent_id',
  ...each('POST /automations/:automation_id/', ['publish', 'duplicate']),
  'PATCH /email-campaigns/:email_campaign_id',
  ...each('PATCH /exports/templates/:export_template_id', ['', '/views/:view_id']),
  'POST /exports/templates/:export_template_id/views',
  'POST /email-templates/:email_template_id/duplicate',
  ...each('POST /email-campaigns/:email_campaign_id/', ['send', 'schedule', 'duplicate', 'test-send']),
]

/**
 * TypeScript decides these from stored records: the first round trip reads them, the second confirms that they are unchanged and writes. A
 * repeated request returns its stored response in the first.
 */
export const isDecidedFromRecords = among([
  ...CHECKED_DEFINITIONS,
  'POST /*/merge',
  ...PUBLISHES_AGENT,
  'POST /tasks/:task_id/skip',
  ...each('POST /knowledge-bases/:kb_id/', ['sync-products', 'ingest-file']),
  ...LEADS,
  'PATCH /notepads/:notepad_id/section',
  ...each('POST /messages', ['', '/notify']),
  ...each('POST /email/', ['send', 'reply']),
  'POST /sms/send',
  'POST /work-orders/send-work-status',
  'POST /portals',
  'POST /reputation/review-requests',
  ...each('POST /whatsapp/', ['send', 'groups/send', 'messages/:whatsapp_message_id/reaction']),
  ...each('POST /webhooks', ['', '/subscribe', '/:webhook_id/rotate-secret']),
  'PATCH /imports/:import_id',
  ...each('POST /imports/:import_id/', ['check', 'start', 'undo']),
  'PATCH /*-schedules/:auto_schedule_id',
  'POST /scheduling-waiting-list',
  ...each('POST /scheduling-bookings', ['', '/holds', '/series', '/:booking_id/reschedule', '/:booking_id/reassign']),
  'PUT /scheduling/voice-providers/:provider',
  ...each('PATCH /', ['company/payment-settings', 'agency/team-commission/plans/:user_id']),
  ...each('POST /calendar-connections', ['', '/start']),
  'POST /mailboxes/start',
  ...each('POST /scheduling/voice/', ['*/book', 'cancel-booking']),
])

/** Checks the stored definition, the proposed write, or the calendar at an address, before anything else, also when it is repeated. */
export const isReadBefore = among([
  ...CHECKED_DEFINITIONS,
  'PATCH /agency/team-commission/plans/:user_id',
  'POST /calendar-connections',
  'POST /skills/run',
  'POST /agent-proposals',
  'POST /reputation/review-requests',
  ...each('POST /knowledge-bases/:kb_id/', ['sync-products', 'ingest-file']),
  ...LEADS,
  'POST /auto-responders/*/test',
])

/** Finds the caller's booking first, and then decides about the new time as above. */
export const isFoundFirst = among([
  'POST /scheduling/voice/reschedule-booking',
  ...each('POST /email/drafts/:email_draft_id/', ['send', 'schedule']),
])

/** Makes a call outside after its commit, and stores the outcome; a repeated request reads it. */
export const callsOutside = among([
  ...each('POST /email/', ['send', 'reply', 'drafts/:email_draft_id/send']),
  ...PUBLISHES_AGENT,
  ...each('POST /phone/', ['numbers/buy', 'numbers/:phone_number_id/release', 'addresses', 'bundles', 'bundles/:phone_bundle_id/submit']),
  ...each('POST /whatsapp/', ['pair', 'disconnect']),
  ...each('DELETE /phone/', ['addresses/:phone_address_id', 'bundles/:phone_bundle_id']),
  'POST /calendar-connections/:connection_id/check',
  'POST /mailboxes/:mailbox_id/check',
  'POST /skills/run',
  'POST /service-requests',
  ...each('POST /knowledge-bases/', ['adopt', ':kb_id/ingest-text', ':kb_id/ingest-url', ':kb_id/ingest-file', ':kb_id/sync-help-center']),
  'POST /agent-knowledge-bases',
  'POST /auto-responders/*/test',
  'PATCH /knowledge-entries/:knowledge_entry_id',
])

/** Reads the stored request, tries the new one as a dry run, and stores it. */
export const isRehearsed = among(['PATCH /approvals/:approval_id'])

/**
 * A read that reads something first: the filter and the object of a list decide the statement; or that sends another request; or that
 * stores what it returns.
 */
export const isReadInTwo = among([
  'GET /lists/:list_id/members',
  'GET /agency/commission/statements/:statement_id/export',
  'GET /*/*/lists',
  'GET /*-schedules/*/audience-preview',
  'GET /email-templates/:email_template_id/preview',
  ...each('GET /email-campaigns/:email_campaign_id/', ['preflight', 'preview-audience']),
  ...each('POST /scheduling/voice/', ['find-booking', 'simulate']),
  'POST /service-requests/search',
  ...each('POST /exports/templates/:export_template_id/', ['preview', 'run']),
  'POST /knowledge-bases/query',
  'POST /memory/search',
])

/** Reads the caller's rights, and then the passages and the memories, both at once. */
export const isReadAtOnce = among(['POST /ai-knowledge/search'])
