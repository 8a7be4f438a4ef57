import { freeStart } from './sample-values.ts'
import type { Ids } from './samples.ts'

const ANOTHER_FORM = 'is returned in another form'
const PATHS_OWN = 'cannot be written: the field is named in the schema so that its refusal can say what to send instead'
const ALIAS = 'must be an alias of a connected mailbox'
const AT_PROVIDER = 'must be active at the provider; phone-bundles.test.ts'
const STEP = 'excludes the action of the sample'
const CLOSED = 'is only for opportunities that are won or lost; opportunity-life.test.ts'
const SCHEDULE = 'is not stored beside the cron expression of the sample; auto-schedules.test.ts'

/** Fields that a call does not return as they were sent, or that its sample record cannot take, with the reason. */
export const NOT_COMPARED: Record<string, string> = {
  answers: `${ANOTHER_FORM}: key=value is sent, an object is returned`,
  from_email: PATHS_OWN,
  mailbox_sender_alias: ALIAS,
  sender_email: ALIAS,
  'POST /agent-proposals operation_id': 'the body belongs to the operation; agent-proposals.test.ts',
  'POST /memory source_id': 'the type of the source says which record it is; memory.test.ts',
  'POST /phone/numbers/buy address_id': AT_PROVIDER,
  'POST /phone/numbers/buy bundle_id': AT_PROVIDER,
  'POST /scheduling-bookings starts_at': `${ANOTHER_FORM}: local time is sent, UTC is returned`,
  'POST /scheduling-bookings/:booking_id/reschedule starts_at': `${ANOTHER_FORM}: local time is sent, UTC is returned`,
  'POST /scheduling-bookings/:booking_id/reschedule duration_minutes': 'must be a duration that the event type offers; reschedule.test.ts',
  'POST /scheduling-waiting-list starts_at': `${ANOTHER_FORM}: local time is sent, UTC is returned`,
  'POST /scheduling-waiting-list timezone': 'an entry needs a time that is full; waiting-list.test.ts',
  'POST /scheduling-waiting-list name': 'an entry needs a time that is full; waiting-list.test.ts',
  'POST /scheduling-waiting-list email': 'an entry needs a time that is full; waiting-list.test.ts',
  'POST /scheduling-waiting-list notes': 'an entry needs a time that is full; waiting-list.test.ts',
  'PATCH /opportunities/:opportunity_id won_reasons': CLOSED,
  'PATCH /opportunities/:opportunity_id lost_reasons': CLOSED,
  'PATCH /opportunities/:opportunity_id closed_at': CLOSED,
  'PATCH /pipelines/:pipeline_id archived': 'the default pipeline cannot be archived; pipelines.test.ts',
  'PATCH /files/:file_id name': 'keeps the extension of its type; documents/files.test.ts',
  'PATCH /lists/:list_id filter': 'a static list has none; lists.test.ts',
  'PATCH /lists/:list_id search': 'a static list has none; lists.test.ts',
  'PATCH /imports/:import_id list_id': 'is for lists of the object of the import; import-lists.test.ts',
  'PATCH /imports/:import_id defaults': 'is for fields of the object of the import; import-settings.test.ts',
  'PATCH /auto-schedules/:auto_schedule_id automation_id': 'the other automation is not published; auto-schedules.test.ts',
  'PATCH /activities/:activity_id deal_id': 'follows the opportunity that the activity is about; activities.test.ts',
  'PATCH /custom-fields/:custom_field_id unique': 'a choice cannot be unique; custom-fields.test.ts',
  'PATCH /company/crm-settings custom_fields': 'sets default values of what its entries leave out; custom-fields.test.ts',
  'PATCH /company/crm-settings lead_sources': 'cannot leave out sources that are used; lead-sources.test.ts',
  'POST /tasks/:task_id/stakeholders contact_id': 'must be assignable to work orders; tasks.test.ts',
  'POST /work-orders/:work_order_id/stakeholders contact_id': 'must be assignable to work orders; work-order-parts.test.ts',
  'POST /deal-stakeholders bucket_id': 'must be a bucket of its own pipeline; stakeholders.test.ts',
  'POST /messages contact_id': 'the other contact is archived by then; messages.test.ts',
  'POST /messages channel': 'each channel has its own fields; messages.test.ts',
  'POST /messages subject': 'the sample contact is archived by then; messages.test.ts',
  'POST /sms/send conversation_id': 'excludes contact_id of the sample; sms.test.ts',
  'POST /whatsapp/send conversation_id': 'excludes to_phone of the sample; whatsapp.test.ts',
  'POST /auto-queues/:auto_queue_id/steps automation_id': `${STEP}; queues.test.ts`,
  'PATCH /auto-queues/:auto_queue_id/steps/:step_id action': `${STEP}; queues.test.ts`,
  'POST /auto-queues/:auto_queue_id/enrolments opportunity_id': 'excludes contact_id of the sample; queues.test.ts',
  'POST /lead-gen/initiatives/:initiative_id/steps automation_id': `${STEP}; lead-gen/steps.test.ts`,
  'POST /auto-schedules time_of_day': SCHEDULE,
  'POST /auto-schedules days_of_week': SCHEDULE,
  'PATCH /auto-schedules/:auto_schedule_id audience_filter': 'gets the defaults of its audience; schedule-audiences.test.ts',
  'PATCH /auto-schedules/:auto_schedule_id audience_type': 'needs its own filter; schedule-audiences.test.ts',
  'PATCH /company/users/:userId/workspace-user-profile manager_user_id': 'nobody manages themselves; members.test.ts',
}

const abTest = () => ({ ab_test: { subject_b: 'Another subject', sample_percent: 20, decide_after_minutes: 60, by: 'opens' } })
const toContacts = () => ({ audience_type: 'contacts', audience_filter: {}, deliver_at_local: '10:15' })

/** In another zone a start is another time, which must be free and within the host's hours too: on days that no other sample has. */
const elsewhere = (daysLater: number) => () => ({ timezone: 'Asia/Tokyo', starts_at: `${freeStart(daysLater).slice(0, 10)} 10:00` })

const coloured = () => ({ attributes: { colour: 'graphite' } })
/** A status that other calls do not change. */
const inProgress = ({ all_status_ids = '' }: Ids) => ({ status: undefined, status_id: all_status_ids.split(',')[2] })

/** Other fields, or the value itself, with which a field can be set. */
export const PREPARED: Record<string, (ids: Ids) => Record<string, unknown>> = {
  // A memory holds from then on, so that it must end later.
  'PATCH /memory/:memory_id valid_from': () => ({ valid_from: '2055-03-04T05:06:07.000Z', valid_until: '2065-01-01T00:00:00.000Z' }),
  'PATCH /lead-gen/initiatives/:initiative_id send_window_start': () => ({ send_window_start: '08:30' }),
  'PATCH /lead-gen/initiatives/:initiative_id send_window_end': () => ({ send_window_end: '16:30' }),
  'POST /scheduling-bookings timezone': elsewhere(2),
  'POST /scheduling-bookings/:booking_id/reschedule timezone': elsewhere(3),
  'POST /opportunities won_reasons': ({ won_stage_id }) => ({ stage_id: won_stage_id, won_reasons: ['Quality'] }),
  'POST /opportunities lost_reasons': ({ lost_stage_id }) => ({ stage_id: lost_stage_id, lost_reasons: ['Price'] }),
  'POST /opportunities closed_at': ({ won_stage_id }) => ({ stage_id: won_stage_id, closed_at: '2024-03-04T00:00:00.000Z' }),
  'PATCH /opportunities/:opportunity_id currency': () => ({ value_source: 'manual', currency: 'NZD' }),
  'POST /deal-stakeholders role': ({ other_contact_id }) => ({ contact_id: other_contact_id, role: 'Approves the plans' }),
  'PATCH /notepads/:notepad_id access': () => ({
    visibility: 'restricted',
    access: [{ user_id: null, role: 'client_admin', level: 'write' }],
  }),
  'POST /agents voice_id': () => ({ voice_id: 'openai-Nova' }),
  'POST /agents model': () => ({ model: 'gpt-5' }),
  'POST /agents tools': () => ({ transfer_number: '+61412345678', tools: ['transfer_call'] }),
  'PATCH /agents/:agent_id voice_id': () => ({ voice_id: 'openai-Nova' }),
  'PATCH /agents/:agent_id model': () => ({ model: 'gpt-5' }),
  'PATCH /agents/:agent_id tools': () => ({ transfer_number: '+61412345678', tools: ['transfer_call'] }),
  'POST /lists filter': () => ({ kind: 'live', filter: { field: 'first_name', op: 'eq', value: 'Zoe' } }),
  'POST /lists search': () => ({ kind: 'live', search: 'harbour' }),
  'POST /email/drafts sender_user_id': ({ user_id }) => ({ sender_user_id: user_id }),
  'POST /email/drafts template_id': ({ email_template_id }) => ({ template_id: email_template_id }),
  'PATCH /email/drafts/:email_draft_id sender_user_id': ({ user_id }) => ({ sender_user_id: user_id }),
  'PATCH /email/drafts/:email_draft_id template_id': ({ email_template_id }) => ({ template_id: email_template_id }),
  'PATCH /contacts/:contact_id alternate_emails': () => ({ email: 'main@example.org', alternate_emails: ['second@example.org'] }),
  'PATCH /product-components/:product_component_id attributes': coloured,
  'PATCH /component-instances/:instance_id attributes': coloured,
  'POST /work-orders status_id': inProgress,
  'PATCH /work-orders/:work_order_id status_id': inProgress,
  'PATCH /work-orders/:work_order_id status': () => ({ status: 'Done' }),
  'PATCH /activities/:activity_id activity_type': () => ({ activity_type: 'note', direction: null }),
  'PATCH /invoices/:invoice_id status': () => ({ status: 'sent', amount_paid: 0 }),
  'PATCH /invoices/:invoice_id amount_paid': () => ({ status: 'sent', amount_paid: 1 }),
  'PATCH /imports/:import_id ignored_columns': () => ({ mapping: [], ignored_columns: ['First name'] }),
  'POST /email-campaigns ab_test': abTest,
  'PATCH /email-campaigns/:email_campaign_id ab_test': abTest,
  'POST /auto-schedules deliver_at_local': toContacts,
  'PATCH /auto-schedules/:auto_schedule_id deliver_at_local': toContacts,
  'PATCH /company/users/:userId/workspace-user-roles role': () => ({ role: 'client_viewer' }),
  'PATCH /scheduling/time-off/:time_off_id starts_at': () => ({
    starts_at: '2055-03-04T05:06:07.000Z',
    ends_at: '2055-03-05T05:06:07.000Z',
  }),
}
