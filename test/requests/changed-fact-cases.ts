const BOOKINGS = ['', '/series', '/holds'].map((part) => `POST /scheduling-bookings${part}`)
const MOVES = ['reschedule', 'reassign'].map((verb) => `POST /scheduling-bookings/:booking_id/${verb}`)
const SENDS = ['send', 'schedule'].map((verb) => `POST /email-campaigns/:email_campaign_id/${verb}`)
const DRAFTS = ['send', 'schedule'].map((verb) => `POST /email/drafts/:email_draft_id/${verb}`)
const IMPORTS = ['check', 'start'].map((verb) => `POST /imports/:import_id/${verb}`)
const COPIES = ['duplicate', 'test-send'].map((verb) => `POST /email-campaigns/:email_campaign_id/${verb}`)
const AGENTS = ['publish', 'rollback'].map((verb) => `POST /agents/:agent_id/${verb}`)

/**
 * What another request changes: a column of the rows of the workspace. `code`: of a request that is refused, and can be repeated.
 * `refusal`: a part of the text by which a call of a voice agent is refused. `isCarriedOut`: a request that takes no dry run.
 */
export type Change = {
  table: string
  column: string
  value: string
  operations: string[]
  code?: string
  refusal?: string
  isCarriedOut?: boolean
}

export const CHANGES: Change[] = [
  {
    table: 'scheduled_event_types',
    column: 'is_active',
    value: 'false',
    operations: [...BOOKINGS, MOVES[0] as string],
  },
  { table: 'seat_sessions', column: 'taken', value: '0', operations: ['POST /scheduling-waiting-list'] },
  { table: 'availabilities', column: 'weekly_hours', value: "'{}'", operations: [...BOOKINGS, ...MOVES] },
  { table: 'bookings', column: 'status', value: "'cancelled'", operations: MOVES },
  { table: 'email_campaigns', column: 'body_html', value: "'<p>{{no_such}}</p>'", operations: SENDS, code: 'CONFLICT' },
  { table: 'email_campaigns', column: 'status', value: "'sent'", operations: [...SENDS, 'PATCH /email-campaigns/:email_campaign_id'] },
  { table: 'email_drafts', column: 'status', value: "'sent'", operations: DRAFTS },
  { table: 'imports', column: 'mapping', value: "'[]'", operations: IMPORTS },
  { table: 'imports', column: 'state', value: "'finished'", operations: ['PATCH /imports/:import_id', ...IMPORTS] },
  { table: 'voice_agent_configs', column: 'status', value: "'publishing'", operations: AGENTS },
  { table: 'automations', column: 'state', value: "'archived'", operations: ['POST /automations/:automation_id/publish'] },
  { table: 'tasks', column: 'status', value: "'completed'", operations: ['POST /tasks/:task_id/skip'] },
  { table: 'notepads', column: 'content', value: "'# Other'", operations: ['PATCH /notepads/:notepad_id/section'] },
  {
    table: 'lead_results',
    column: 'status',
    value: "'rejected'",
    operations: ['POST /lead-gen/results/convert', 'POST /lead-gen/initiatives/:initiative_id/enrol'],
  },
  {
    table: 'contacts',
    column: 'archived',
    value: 'true',
    operations: [
      ...['/messages', '/email/send', '/email/reply', '/portals', '/work-orders/send-work-status', '/whatsapp/send'].map(
        (path) => `POST ${path}`,
      ),
      'POST /reputation/review-requests',
    ],
  },
  { table: 'phone_numbers', column: 'status', value: "'released'", operations: ['POST /sms/send'] },
  { table: 'whatsapp_groups', column: 'is_left', value: 'true', operations: ['POST /whatsapp/groups/send'] },
  {
    table: 'whatsapp_messages',
    column: 'is_deleted',
    value: 'true',
    operations: ['POST /whatsapp/messages/:whatsapp_message_id/reaction'],
  },
  { table: 'contacts', column: 'job_title', value: "'Roofer'", operations: ['POST /contacts/merge'] },
  { table: 'companies', column: 'industry', value: "'Roofing'", operations: ['POST /companies/merge'] },
  { table: 'opportunities', column: 'notes', value: "'Other'", operations: ['POST /opportunities/merge'] },
  {
    table: 'email_templates',
    column: 'subject',
    value: "'Other'",
    operations: ['POST /email-templates/:email_template_id/duplicate'],
  },
  {
    table: 'email_campaigns',
    column: 'body_html',
    value: "'<p>{{no_such}}</p>'",
    operations: COPIES,
  },
  { table: 'imports', column: 'state', value: "'running'", operations: ['POST /imports/:import_id/undo'] },
  { table: 'automations', column: 'trigger', value: `'{"type": "nothing"}'`, operations: ['POST /automations/:automation_id/duplicate'] },
  { table: 'approvals', column: 'status', value: "'rejected'", operations: ['PATCH /approvals/:approval_id'], isCarriedOut: true },
  { table: 'auto_schedules', column: 'timezone', value: "'Europe/Oslo'", operations: ['PATCH /auto-schedules/:auto_schedule_id'] },
  { table: 'voice_agent_configs', column: 'is_external', value: 'true', operations: ['PATCH /agents/:agent_id'] },
  { table: 'skills', column: 'status', value: "'disabled'", operations: ['POST /skills/run'], isCarriedOut: true },
  { table: 'scheduled_event_types', column: 'is_active', value: 'false', operations: ['POST /scheduling/voice/:event_type_id/book'] },
  {
    table: 'bookings',
    column: 'status',
    value: "'cancelled'",
    operations: ['cancel', 'reschedule'].map((verb) => `POST /scheduling/voice/${verb}-booking`),
    refusal: 'FAILED: The booking is cancelled. Nothing has been changed.',
  },
]
