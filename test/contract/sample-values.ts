import { randomUUID } from 'node:crypto'
import { DELIVERY_OVER } from './delivery-values.ts'
import { MAILBOX_SAMPLES } from './sample-mailbox.ts'
import type { Ids } from './samples.ts'
import { AGENCY_OVER } from './seed-agency.ts'
import { CALENDAR_OVER } from './seed-calendars.ts'
import { GMAIL_OVER } from './seed-gmail.ts'
import { GROWTH_OVER } from './seed-growth.ts'
import { INBOX_OVER } from './seed-inbox.ts'
import { KNOWLEDGE_OVER } from './seed-knowledge.ts'
import { PHONE_OVER } from './seed-phone.ts'
import { numberForSale } from './seed-sms.ts'
import { SKILL_OVER } from './skill-values.ts'
import { WAITING_OVER } from './waiting-values.ts'

export const unique = () => randomUUID().slice(0, 8)

const TODAY = new Date()
let usedStarts = 0
/** A start that no other sample has: half an hour of a Monday, from ten weeks on, or of so many days later. */
export function freeStart(daysLater = 0): string {
  const n = usedStarts++
  const monday = 70 + ((8 - TODAY.getUTCDay()) % 7) + 7 * Math.floor(n / 16)
  const day = new Date(TODAY.getTime() + (monday + daysLater) * 86_400_000)
  return `${day.toISOString().slice(0, 10)} ${String(9 + Math.floor((n % 16) / 2)).padStart(2, '0')}:${n % 2 ? '30' : '00'}`
}
const eventType = ({ event_type_id }: Ids) => ({
  event_type: event_type_id,
  duration_minutes: undefined,
  timezone: undefined,
  phone: undefined,
})
/** Rules that do not come into each other's way. */
const OPEN_RULES = Object.fromEntries(
  [
    'assignment',
    'other_durations',
    'seats',
    'max_per_day',
    'max_per_week',
    'max_per_month',
    'locked_timezone',
    'minimum_notice_minutes',
  ].map((rule) => [rule, undefined]),
)

/** Sent by the workspace, with its oldest sender. */
const COMPANY_MODE = {
  sender_user_id: undefined,
  config_id: undefined,
  template_id: undefined,
  append_signature: undefined,
  attachment_ids: undefined,
}

const twoOf = (winner_id: string | undefined, loser: string | undefined) => ({ body: { winner_id, loser_ids: [loser] } })

/** An automation that only a request starts, so that nothing happens in the background. */
const manual = () => ({ body: { trigger: { type: 'manual' }, steps: [] } })

/** A campaign to every contact. */
const everybody = () => ({ body: { segment_filter: {} } })

/** A step has an action or an automation, and an enrolment a contact or an opportunity. */
function ofQueues() {
  const action = () => ({ body: { automation_id: undefined } })
  const contact = ({ contact_id, queue_contact_id }: Ids) => ({
    body: { contact_id: queue_contact_id ?? contact_id, opportunity_id: undefined },
  })
  return Object.fromEntries(
    ['/auto-queues', '/event-queues'].flatMap((path) => [
      [`POST ${path}/:auto_queue_id/steps`, action],
      [`PATCH ${path}/:auto_queue_id/steps/:step_id`, action],
      [`POST ${path}/:auto_queue_id/enrolments`, contact],
      [`POST ${path}/:auto_queue_id/steps/reorder`, ({ draft_step_id }: Ids) => ({ body: { step_ids: [draft_step_id] } })],
    ]),
  )
}

/** Values that replace those of a documented example that is not accepted. An undefined value removes the field. */
export const OVER: Record<string, (ids: Ids) => { query?: Record<string, string | undefined>; body?: Record<string, unknown> }> = {
  'POST /activities': ({ contact_id }) => ({ body: { contact_id } }),
  'POST /activities/bulk-create': ({ contact_id }) => ({ body: { records: [{ activity_type: 'call', contact_id }] } }),
  'POST /documents': ({ file_id }) => ({ body: { file_id } }),
  'POST /deal-stakeholders': ({ type_id, deal_stakeholder_id }) => ({ body: { bucket_id: deal_stakeholder_id ? null : type_id } }),
  'POST /automations': manual,
  'POST /automations/import': manual,
  'POST /automations/validate': manual,
  'PATCH /automations/:automation_id': manual,
  'GET /automations/:automation_id/explain': ({ contact_id }) => ({ query: { contact_id } }),
  'POST /automation-runs/:run_id/replay': ({ taken_step_id }) => ({ body: { step_id: taken_step_id } }),
  'POST /messages/notify': ({ user_id }) => ({
    body: { user_ids: [user_id], role: undefined, assignee_of: undefined, followers_of: undefined },
  }),
  'POST /email/configs': () => ({
    body: { from_email_handle: `hello-${unique()}`, mailbox_sender_alias: undefined },
  }),
  'PATCH /email/configs/:config_id': () => ({
    body: { from_email_handle: `hello-${unique()}`, mailbox_sender_alias: undefined },
  }),
  'POST /email/send': (ids) => ({
    body: { to: undefined, contact_id: ids.contact_id, ...COMPANY_MODE },
  }),
  'POST /email/inbound/:inbox_token': () => ({ body: { MessageID: unique(), From: 'ana@example.com' } }),
  'POST /whatsapp/send': () => ({ body: { conversation_id: undefined, reply_to: undefined } }),
  'POST /whatsapp/groups/send': () => ({ body: { reply_to: undefined } }),
  'POST /whatsapp/groups/:group_id/link': ({ opportunity_id, company_id }) => ({
    body: { deal_id: opportunity_id, customer_id: company_id },
  }),
  'POST /whatsapp/inbound/:whatsapp_token': () => ({ body: { event: 'connection.update', data: { state: 'open' } } }),
  'POST /email/reply': () => ({ body: COMPANY_MODE }),
  'POST /email/threads/mark-read': ({ thread_id }) => ({ body: { thread_ids: [thread_id], all: undefined } }),
  'POST /sms/send': () => ({
    body: { to_phone: '+61412000000', contact_id: undefined, conversation_id: undefined, phone_number_id: undefined },
  }),
  'POST /sms/conversations/mark-read': ({ sms_conversation_id }) => ({ body: { conversation_ids: [sms_conversation_id] } }),
  ...INBOX_OVER,
  ...DELIVERY_OVER,
  ...AGENCY_OVER,
  ...GROWTH_OVER,
  ...KNOWLEDGE_OVER,
  ...PHONE_OVER,
  ...SKILL_OVER,
  ...WAITING_OVER,
  ...CALENDAR_OVER,
  ...GMAIL_OVER,
  'POST /phone/numbers/buy': () => ({ body: { phone_number: numberForSale() } }),
  'POST /lists': () => ({ body: { kind: 'static', filter: undefined, search: undefined } }),
  'PATCH /lists/:list_id': () => ({ body: { filter: undefined, search: undefined } }),
  'POST /lists/:list_id/members': ({ contact_id }) => ({ body: { ids: [contact_id] } }),
  'POST /lists/:list_id/members/remove': ({ contact_id }) => ({ body: { ids: [contact_id] } }),
  'POST /email-campaigns': everybody,
  'PATCH /email-campaigns/:email_campaign_id': everybody,
  'POST /email-campaigns/:email_campaign_id/schedule': () => ({ body: { scheduled_at: new Date(Date.now() + 86_400_000).toISOString() } }),
  'POST /email-campaigns/:email_campaign_id/test-send': () => ({ body: { contact_id: undefined } }),
  'POST /suppressions': () => ({ body: { channel: 'email', address: `${unique()}@example.com` } }),
  // Events that are rare, so that other calls have no deliveries.
  'POST /webhooks': () => ({ body: { event_types: ['exchange_rate.deleted'], filter: { field: 'entity_id', op: 'is_not_empty' } } }),
  'PATCH /webhooks/:webhook_id': () => ({
    body: { event_types: ['exchange_rate.deleted'], filter: { field: 'entity_id', op: 'is_not_empty' } },
  }),
  'POST /webhooks/subscribe': () => ({ body: { event: 'exchange_rate.deleted' } }),
  'POST /incoming-webhooks': () => ({ body: { automation_id: undefined } }),
  'PATCH /incoming-webhooks/:incoming_webhook_id': () => ({ body: { automation_id: undefined } }),
  'POST /scheduled-event-types': () => ({
    body: { ...OPEN_RULES, buffer_after_minutes: 0, horizon_days: 730, requires_confirmation: true },
  }),
  'PATCH /scheduled-event-types/:event_type_id': () => ({ body: { ...OPEN_RULES, horizon_days: 730, requires_confirmation: true } }),
  'POST /scheduling-bookings': (ids) => ({ body: { ...eventType(ids), starts_at: freeStart(), phone: '+61412345000' } }),
  // Its second occurrence is on a Tuesday, where no other sample is.
  'POST /scheduling-bookings/series': (ids) => ({
    body: { ...eventType(ids), starts_at: freeStart(), phone: '+61412345000', frequency: 'daily', interval: 1, count: 2 },
  }),
  'POST /scheduling-bookings/check-availability': (ids) => ({ body: eventType(ids) }),
  'POST /scheduling-bookings/available-slots': (ids) => ({ body: eventType(ids) }),
  'POST /scheduled-event-types/:event_type_id/notices/preview': () => ({ body: { booking_id: undefined } }),
  'POST /scheduling-bookings/holds': (ids) => ({ body: { ...eventType(ids), starts_at: freeStart(), owner: unique() } }),
  'POST /scheduling-bookings/:booking_id/reschedule': () => ({ body: { starts_at: freeStart(), duration_minutes: undefined } }),
  'POST /scheduling/voice/:event_type_id/book': () => ({ body: { args: { slot: freeStart(), name: 'Ana Lee', phone: '+61412345000' } } }),
  'POST /scheduling/voice/cancel-booking': () => ({ body: { args: { phone: '+61412345000', booking_selector: 1 } } }),
  'POST /scheduling/voice/reschedule-booking': () => ({
    body: { args: { slot: freeStart(), phone: '+61412345000', booking_selector: 1 } },
  }),
  ...MAILBOX_SAMPLES,
  ...ofQueues(),
  'POST /roles': () => ({ body: { key: `key_${unique()}` } }),
  'POST /contacts/merge': (ids) => twoOf(ids.contact_id, ids.other_contact_id),
  'POST /companies/merge': (ids) => twoOf(ids.company_id, ids.other_company_id),
  'POST /customers/merge': (ids) => twoOf(ids.company_id, ids.other_company_id),
  'POST /opportunities/merge': (ids) => twoOf(ids.opportunity_id, ids.other_opportunity_id),
  'POST /deals/merge': (ids) => twoOf(ids.opportunity_id, ids.other_opportunity_id),
  'POST /custom-fields': () => ({ body: { key: `key_${unique()}` } }),
  'POST /contacts': ({ company_id }) => ({ body: { customer_id: company_id } }),
  'POST /opportunities': ({ stage_id, user_id }) => ({ body: { stage_id, assigned_to: user_id } }),
  'POST /contacts/bulk-upsert': () => ({ body: { records: [{ first_name: 'Ana', external_id: unique() }] } }),
  'POST /companies/bulk-upsert': () => ({ body: { records: [{ name: 'Acme', external_id: unique() }] } }),
  'POST /customers/bulk-upsert': () => ({ body: { records: [{ name: 'Acme', external_id: unique() }] } }),
  ...Object.fromEntries(
    [
      ['contacts', 'contact'],
      ['companies', 'company'],
      ['customers', 'company'],
      ['opportunities', 'opportunity'],
      ['deals', 'opportunity'],
    ].map(([plural, one]) => [
      `POST /${plural}/duplicates/dismiss`,
      (ids: Ids) => ({ body: { ids: [ids[`${one}_id`], ids[`other_${one}_id`]] } }),
    ]),
  ),
  'DELETE /pipelines/:pipeline_id': ({ move_to_stage_id }) => ({ query: { move_to_stage_id } }),
  'DELETE /pipelines/:pipeline_id/stages/:stage_id': ({ move_to_stage_id }) => ({ query: { move_to_stage_id } }),
  'POST /pipelines/:pipeline_id/stages/reorder': ({ all_stage_ids = '' }) => ({ body: { stage_ids: all_stage_ids.split(',') } }),
}
