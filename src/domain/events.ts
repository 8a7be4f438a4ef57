import { nearest } from '../lib/nearest.ts'
import { RECORD_ENTITIES } from './records.ts'

/** After this many deliveries an event has failed. */
export const MAX_DELIVERY_ATTEMPTS = 20

/** Kinds of records whose changes are events. A test compares this list with the database. */
const TRACKED = [
  'activity',
  'api_key',
  'approval',
  'approval_policy',
  'attachment',
  'auto_queue',
  'auto_queue_step',
  'auto_responder',
  'auto_schedule',
  'automation',
  'availability',
  'billing_party',
  'booking',
  'calendar_connection',
  'company',
  'component_instance',
  'contact',
  'conversation',
  'crm_settings',
  'custom_field',
  'deal_stakeholder',
  'dismissed_duplicate',
  'document',
  'document_template',
  'document_template_section',
  'email_campaign',
  'email_config',
  'email_draft',
  'email_template',
  'email_thread',
  'employer',
  'exchange_rate',
  'export_template',
  'export_view',
  'file',
  'follower',
  'holiday_calendar',
  'import',
  'incoming_webhook',
  'invoice',
  'knowledge_base',
  'knowledge_entry',
  'lead_initiative',
  'lead_initiative_step',
  'lead_result',
  'lead_source',
  'list',
  'mailbox',
  'member',
  'memory',
  'message',
  'notepad',
  'notetaker',
  'opportunity',
  'opportunity_bucket',
  'opportunity_contact',
  'opportunity_product',
  'opportunity_user',
  'order_form',
  'payment_setting',
  'phone_address',
  'phone_bundle',
  'phone_number',
  'pipeline',
  'portal',
  'product',
  'product_component',
  'product_cost',
  'reputation_case_study',
  'reputation_profile',
  'reputation_review',
  'review_request',
  'role',
  'scheduled_event_type',
  'service_request',
  'service_request_note',
  'skill',
  'stage',
  'stakeholder_member',
  'stakeholder_type',
  'supplier_catalog_entry',
  'suppression',
  'task',
  'task_stakeholder',
  'time_off',
  'training_canvas',
  'training_card',
  'transcript',
  'voice_agent_config',
  'waiting_list_entry',
  'webhook',
  'whatsapp_conversation',
  'whatsapp_group',
  'whatsapp_pairing',
  'whiteboard',
  'work_order',
  'work_order_stakeholder',
  'work_order_status',
  'workspace',
] as const

/** Events that are more than a change of a record. */
const SPECIAL = [
  'approval.approved',
  'approval.edited',
  'approval.executed',
  'approval.expired',
  'approval.failed',
  'approval.rejected',
  'approval.requested',
  'approval.stale',
  'auto_queue.enrolled',
  'auto_queue.enrolment_ended',
  'auto_queue.list_enrolment_ended',
  'auto_queue.list_enrolment_started',
  'auto_schedule.fire_requested',
  'auto_schedule.fired',
  'auto_schedule.missed',
  'automation.loop_stopped',
  'automation.paused',
  'automation.run_failed',
  'booking.attended',
  'booking.cancelled',
  'booking.changed_outside',
  'booking.confirmed',
  'booking.late',
  'booking.no_show',
  'booking.notice_requested',
  'booking.reassigned',
  'booking.requested',
  'booking.rescheduled',
  'calendar_connection.errored',
  'calendar_connection.stale',
  'call.analyzed',
  'call.ended',
  'call.started',
  'conversation.assigned',
  'conversation.closed',
  'conversation.reopened',
  'dead_letter.replayed',
  'email.automatic_received',
  'email.received',
  'import.checked',
  'import.failed',
  'import.finished',
  'import.undone',
  'lead_initiative.enrolled',
  'lead_initiative.enrolment_ended',
  'list.entered',
  'list.left',
  'mailbox.errored',
  'member.invited',
  'member.joined',
  'member.removed',
  'message.delivered',
  'message.failed',
  'message.queued',
  'message.sent',
  'message.undelivered',
  'opportunity.lost',
  'opportunity.moved',
  'opportunity.won',
  'role.mailboxes_opened',
  'sms.received',
  'task.completed',
  'task.reminder',
  'task.reopened',
  'webhook.disabled',
  'whatsapp.reaction_failed',
  'whatsapp.reaction_sent',
  'whatsapp.received',
  'work_order.status_changed',
] as const

export const TRACKED_RECORDS: readonly string[] = TRACKED
/** How long events can be read, in days. */
export const EVENT_DAYS = 30
/** What reads a workspace's feed in the background: tracked lists, automations, and outgoing webhooks. */
export const FOLLOWERS = ['lists', 'automations', 'webhooks'] as const
export type Follower = (typeof FOLLOWERS)[number]
/** The longest that a request for a page of the feed waits for an event, in seconds. */
export const MOST_WAIT_SECONDS = 25
/** The number of requests and streams of a workspace that wait for events at a time. */
export const MOST_READERS = 20

const CHANGES = ['created', 'updated', 'deleted']

/** Every event type, such as `contact.created`. */
export const EVENT_TYPES: readonly string[] = [
  ...new Set([
    ...TRACKED.flatMap((record) => CHANGES.map((action) => `${record}.${action}`)),
    ...RECORD_ENTITIES.toSorted().flatMap((record) => ['merged', 'unmerged', 'purged'].map((action) => `${record}.${action}`)),
    ...SPECIAL,
  ]),
]

/** The kind of record of an event: `contact` of `contact.created`. */
export const entityOf = (type: string): string => type.slice(0, type.indexOf('.'))

/** Whether the event has a snapshot of its record. */
export const hasSnapshot = (type: string): boolean => type.endsWith('.created') || type.endsWith('.updated')

/** Whether the event announces the change of a record. */
export const isChange = (type: string): boolean => CHANGES.includes(type.slice(type.indexOf('.') + 1))

const namesIn = (list: string): string[] => list.split(',').map((name) => name.trim())
const matching = (name: string): string[] =>
  name.endsWith('.*') ? EVENT_TYPES.filter((type) => entityOf(type) === name.slice(0, -2)) : EVENT_TYPES.filter((type) => type === name)

/** The event types of a list of names and prefixes: `contact.*, task.completed`. */
export const eventTypesIn = (list: string): string[] => [...new Set(namesIn(list).flatMap(matching))].toSorted()

/** What is wrong with such a list: its first unknown name, and the one that was probably meant. Undefined when every name is known. */
export function faultInEventTypes(list: string): string | undefined {
  const unknown = namesIn(list).find((name) => matching(name).length === 0)
  if (unknown === undefined) return undefined
  const known = [...EVENT_TYPES, ...TRACKED.map((record) => `${record}.*`)]
  const meant = nearest(unknown, known)
  return `has no event type ${JSON.stringify(unknown.slice(0, 80))}${meant ? `: did you mean ${meant}?` : ': see GET /event-types'}`
}
