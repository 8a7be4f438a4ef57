type Exception = { most: number; why: string }

const EXPORT = 'An export reads what it writes, up to twenty-five blocks a row, and at most 250,001 rows'
const AUDIENCE = 'A fire reads its audience, which may be all members or records, in parts of at most 5,000'
const CAMPAIGN = 'A campaign has an audience, which may be all contacts: it is read in parts of at most 5,000, and sent in batches of 500'
const PREVIEW = 'At most 100,000 contacts of an audience are counted'
const TIMED = 'The times of a hundred records, twice a page, are found by up to two indexes each'
const SEARCH = 'A search by fields reads what its conditions find'
const SIMILAR = 'More records have a similar name: at most 50 by each key and 200 by their names are compared'
const WALK = 'A page walks at most 5,000 entries of an index and compares at most 250 pairs'
const USED = 'At most 1,001 records are counted for each word'
const COUNTED = 'At most 1,000 enrolments are counted in each state, by one index entry each and by their rows where these changed lately'
const CHOSEN = 'A statement over the records of a call looks up a hundred, or reads the table while it is smaller than that'
const DELIVERED = 'Its event is delivered by one message or by two, each of which looks for undelivered events in every partition'
const FACTS =
  'The facts of a message or a booking are read first, the rows that it writes are in many indexes, and the provider ' +
  'is called in the background'
const NOTIFIED = 'The attendees are notified: each notice is planned, decided about, sent and settled, and so is its message'
const LINKED = 'Each of at most 100 threads has its contacts, deals, companies and participants, each found by an index'
const GOES = 'Each row that goes with a record is some 30 blocks more, and the sample has rows of every kind'
const FEW = 'A workspace has at most 100 case studies, which are read row by row or, while their table is small, page by page'
const SPLITS =
  'Reviews have twelve indexes, whose newest pages are full at the same time: a split costs three blocks, and the call cannot be repeated'
const VECTORS = 'The vectors of at most 20,000 requests are compared exactly, three to a block, each twice at most'
const CHUNKS = 'The vectors of at most 20,000 parts of texts are compared exactly, three to a block'
const CATALOGUE = 'An entry for each active product, of at most 2,000'
const RENAMED = 'At most 2,000 records are changed in one call, each with its history, event and indexes'

const VERSIONS = 'What it publishes acts for all of its versions, some four to a block'
const CALENDARS = 'What is claimed is counted among the calendars that are due'

const each = (names: string[], exception: Exception) => Object.fromEntries(names.map((name) => [name, exception]))

/** Calls whose cost may depend on the size of the workspace, with the reason and the maximum number of blocks at any size. */
export const EXCEPTIONS: Record<string, Exception> = {
  ...each(
    ['contacts', 'companies', 'customers', 'opportunities', 'deals', 'products', 'tasks', 'activities'].flatMap((plural) => [
      `GET /${plural}/export`,
      `POST /${plural}/export`,
    ]),
    { most: 6_300_000, why: EXPORT },
  ),
  ...each(
    [
      'POST /exports/templates/:export_template_id/run',
      'GET /supplier-catalog/export',
      'GET /agency/commission/statements/:statement_id/export',
    ],
    { most: 6_300_000, why: EXPORT },
  ),
  ...each(
    [
      'POST /scheduling-bookings/check-availability',
      'POST /scheduling-bookings/available-slots',
      'POST /scheduling/voice/:event_type_id/slots',
    ],
    { most: 300, why: 'Bookings, claims, busy times, days off and waiting people of the hosts are each found by an index' },
  ),
  'POST /tasks/:task_id/restore': { most: 1_000, why: 'Automations read on from the first event that was written for them' },
  ...each(['GET /roles?created_after', 'GET /roles?created_before'], { most: 1_000, why: 'All roles of a workspace are read and sorted' }),
  'POST /imports': { most: 400, why: 'At most 50 unfinished imports are counted, beside those that have ended' },
  'GET /search': { most: 600, why: 'A misspelt word is compared with those that share some of its letters' },
  'GET /training-canvases/:training_canvas_id/progress': { most: 3_000, why: 'A canvas has at most 200 cards' },
  'GET /email/capabilities': { most: 2_500, why: 'At most 1,000 members are named, with the addresses of their mailboxes' },
  'GET /lists/:list_id/members': { most: 2_000, why: 'A static list has at most 5,000 members' },
  'POST /pipelines/:pipeline_id/stages': { most: 1_500, why: 'Each of at most 100 stages moves, with its event' },
  'POST /portals': { most: 1_600, why: FACTS },
  ...each(['POST /document-templates/:document_template_id/sections', 'POST /document-templates/:document_template_id/duplicate'], {
    most: 9_000,
    why: 'Each of at most 200 sections moves or is copied, with its event',
  }),
  ...each(
    [
      'POST /automations/:automation_id/publish',
      ...['auto-queues', 'event-queues'].flatMap((plural) => [
        `PATCH /${plural}/:auto_queue_id`,
        `POST /${plural}/:auto_queue_id/activate`,
        `POST /${plural}/:auto_queue_id/steps`,
        `POST /${plural}/:auto_queue_id/steps/reorder`,
        `PATCH /${plural}/:auto_queue_id/steps/:step_id`,
        `DELETE /${plural}/:auto_queue_id/steps/:step_id`,
      ]),
      'POST /auto-queues/:auto_queue_id/steps (beside many)',
    ],
    { most: 2_000, why: VERSIONS },
  ),
  ...each(
    [
      'POST /calendar-connections',
      'POST /calendar-connections/:connection_id/check',
      'POST /calendar-connections/:connection_id/resync',
      'PATCH /calendar-connections/:connection_id/calendars/:calendar_id',
    ],
    { most: 600, why: CALENDARS },
  ),
  'POST /webhooks/:webhook_id/deliveries/:delivery_id/replay': { most: 600, why: 'What is claimed is counted among at most 100 webhooks' },
  ...each(
    ['contacts', 'companies', 'customers', 'opportunities', 'deals'].map((plural) => `POST /${plural}/search`),
    { most: 2_000, why: SEARCH },
  ),
  ...each(
    ['contacts', 'companies', 'opportunities'].flatMap((plural) =>
      ['-last_activity_at', 'next_task_due_at'].map((sort) => `GET /${plural} (by ${sort})`),
    ),
    { most: 2_500, why: TIMED },
  ),
  ...each(
    ['POST /reputation/case-studies', 'POST /reputation/case-studies/reorder', 'POST /reputation/case-studies/:case_study_id/restore'],
    {
      most: 400,
      why: FEW,
    },
  ),
  'POST /reputation/reviews/:review_id/reject': { most: 180, why: SPLITS },
  ...each(['POST /service-requests', 'POST /service-requests/search', 'POST /memory/search'], {
    most: 12_000,
    why: VECTORS,
  }),
  'POST /knowledge-bases/query': { most: 12_000, why: CHUNKS },
  'POST /memory': { most: 1_000, why: 'It is compared with what is known about its subject and topic' },
  'POST /ai-knowledge/search': { most: 36_000, why: `${VECTORS}; and so are those of texts` },
  'POST /knowledge-bases/:kb_id/sync-products': { most: 40_000, why: CATALOGUE },
  'GET /email/threads': { most: 1_200, why: LINKED },
  ...each(
    [
      'POST /email/send',
      'POST /email/reply',
      'POST /work-orders/send-work-status',
      'POST /scheduling-bookings/:booking_id/notices/:notice_id/resend',
      'POST /scheduling/voice/reschedule-booking',
    ],
    {
      most: 1_600,
      why: FACTS,
    },
  ),
  ...each(['GET /auto-queues/:auto_queue_id/counts', 'GET /auto-queues/:auto_queue_id/counts (of many)'], { most: 1_000, why: COUNTED }),
  ...each(['POST /auto-queues/:auto_queue_id/enrolments (beside many)', 'POST /auto-queues/:auto_queue_id/list-enrolments'], {
    most: 1_500,
    why: CHOSEN,
  }),
  'POST /event-queues/:auto_queue_id/enrolments': {
    most: 5_000,
    why: 'The worker that it wakes up continues whatever is due, up to a hundred runs at once',
  },
  ...each(['POST /auto-schedules/:auto_schedule_id/fire-now', 'POST /event-schedules/:auto_schedule_id/fire-now'], {
    most: 200_000,
    why: AUDIENCE,
  }),
  ...each(
    [
      'GET /email-campaigns/:email_campaign_id/preview-audience',
      'GET /auto-schedules/:auto_schedule_id/audience-preview',
      'GET /event-schedules/:auto_schedule_id/audience-preview',
    ],
    { most: 1_000_000, why: PREVIEW },
  ),
  ...each(['POST /email-campaigns/:email_campaign_id/send', 'POST /email-campaigns/:email_campaign_id/resume'], {
    most: 40_000_000,
    why: CAMPAIGN,
  }),
  ...each(['POST /activities/search', 'POST /tasks/search'], { most: 3_000, why: SEARCH }),
  ...each(
    [
      'GET /contacts/:contact_id/duplicates',
      ...['companies', 'customers'].map((plural) => `GET /${plural}/:company_id/duplicates`),
      ...['opportunities', 'deals'].map((plural) => `GET /${plural}/:opportunity_id/duplicates`),
    ],
    { most: 2_000, why: SIMILAR },
  ),
  ...each(
    ['contacts', 'companies', 'customers', 'opportunities', 'deals'].map((plural) => `GET /${plural}/duplicates`),
    { most: 5_000, why: WALK },
  ),
  ...each(
    [
      ...['lost-reasons', 'won-reasons', 'opportunity-types', 'account-types', 'contact-types'].map(
        (list) => `GET /company/crm-settings/${list}/usage`,
      ),
    ],
    { most: 2_500, why: USED },
  ),
  'GET /company/birthday-messages/preview': {
    most: 1_500,
    why: 'A page has up to 100 contacts, for each of which suppressions and the latest message are looked up',
  },
  ...each(
    ['opportunity-types', 'account-types', 'contact-types'].map((list) => `POST /company/crm-settings/${list}/rename`),
    { most: 320_000, why: RENAMED },
  ),
  ...each(
    ['companies', 'customers'].flatMap((plural) => [
      `POST /${plural}/upsert`,
      `POST /${plural}/upsert (one that exists)`,
      `POST /${plural}/bulk-upsert`,
    ]),
    { most: 300, why: CHOSEN },
  ),
  ...each(
    ['DELETE /contacts/:contact_id (purge)', 'DELETE /companies/:company_id (purge)', 'DELETE /opportunities/:opportunity_id (purge)'],
    {
      most: 8_000,
      why: `${GOES}, and so is each that mentions it; up to 2,000 changes of counts are added up, so that none names the record`,
    },
  ),
  ...each(
    ['cancel', 'confirm', 'decline'].map((verb) => `POST /scheduling-bookings/:booking_id/${verb}`),
    { most: 2_000, why: NOTIFIED },
  ),
  'DELETE /contacts/:contact_id': { most: 3_000, why: `${GOES}; they are counted first, by an index of each table` },
  ...each(
    ['contacts', 'companies', 'customers', 'opportunities', 'deals'].map((plural) => `POST /${plural}/merge`),
    { most: 3_000, why: 'A merge looks into each of some fifty columns that refer to such records, and moves what it finds' },
  ),
  ...each(
    [
      ...['/contacts/:contact_id', '/companies/:company_id', '/customers/:company_id'],
      ...['/opportunities/:opportunity_id', '/deals/:opportunity_id'],
    ].map((record) => `DELETE ${record}/attachments/:attachment_id`),
    { most: 400, why: DELIVERED },
  ),
  'POST /contacts/bulk-link': { most: 300, why: CHOSEN },
  'GET /activities': { most: 90, why: 'Each of the 50 rows is a block of its own where they do not lie in their order' },
  'GET /contacts/:contact_id/data (of many)': { most: 1_000, why: 'A person has more or fewer related records, and mentions in logs' },
}
