import * as v from 'valibot'
import { APPROVAL_STATUSES } from '../../../domain/access.ts'
import { RECORD_PLURALS } from '../../../domain/records.ts'
import { Id, InstantOut } from '../../../schemas/fields.ts'
import { moneyOut } from '../../../schemas/pipes.ts'
import { CONNECTION_ERRORS } from '../../accounts/rules/accounts.ts'
import { FLAGS } from '../../calendars/rules/copies.ts'
import { CALENDAR_PROVIDERS } from '../../calendars/rules/states.ts'
import { INBOX_CHANNELS, INBOX_STATUSES } from '../../conversations/rules/conversations.ts'
import { QUEUE_NAMES } from '../../dead-letters/rules/dead-letters.ts'
import { END_REASONS } from '../../lead-gen/rules/initiatives.ts'
import { MAILBOX_PROVIDERS } from '../../mailboxes/rules/mailboxes.ts'
import { CHANNELS, MESSAGE_PURPOSES } from '../../messages/rules/messages.ts'
import { CALL_DIRECTIONS, CALL_STATUSES } from '../../phone/rules/calls.ts'
import { SCHEDULE_RUN_STATUSES } from '../../schedules/rules/limits.ts'
import { SMS_KEYWORDS } from '../../sms/rules/sms.ts'
import { DISABLED_REASONS } from '../../webhooks/rules/states.ts'
import { WHATSAPP_MESSAGE_TYPES } from '../../whatsapp/rules/content.ts'

const whole = v.pipe(v.number(), v.integer())
const id = v.nullable(Id)
const none = v.object({})
const counts = v.object(
  Object.fromEntries(
    ['total', 'done', 'created', 'updated', 'skipped', 'failed', 'removed', 'restored', 'kept'].map((name) => [name, v.nullable(whole)]),
  ),
)
const email = v.object({ email_message_id: Id, contact_id: id, from_email: v.string(), subject: v.string() })
const closed = v.object({ stage_id: id, value: moneyOut })
const approval = v.object({
  status: v.picklist(APPROVAL_STATUSES),
  resource: v.string(),
  method: v.string(),
  path: v.pipe(v.string(), v.description('The path of the endpoint, with :name for its parameters.')),
  requested_by: Id,
  key_id: Id,
  policy_ids: v.pipe(v.array(Id), v.description('The approval policies that hold the request.')),
  required_scopes: v.nullable(v.array(v.string())),
  requires_admin: v.boolean(),
  expires_at: InstantOut,
  edited_by: id,
  decided_by: id,
})
const fire = v.object({
  schedule_run_id: Id,
  due_at: v.nullable(InstantOut),
  status: v.picklist(SCHEDULE_RUN_STATUSES),
  audience_size: whole,
  runs_triggered: whole,
  runs_skipped: whole,
  runs_failed: whole,
  error: v.nullable(v.object({ code: v.string(), message: v.string() })),
})
const member = v.object({ object: v.picklist(RECORD_PLURALS), record_id: Id })
const message = v.object({
  channel: v.picklist(CHANNELS),
  purpose: v.picklist(MESSAGE_PURPOSES),
  contact_id: id,
  recipient: v.string(),
  error: v.nullable(v.string()),
})
const conversation = { channel: v.picklist(INBOX_CHANNELS), contact_id: id, assigned_to: id }
const call = v.object({
  direction: v.picklist(CALL_DIRECTIONS),
  status: v.picklist(CALL_STATUSES),
  contact_id: id,
  phone_number: v.string(),
  external_phone_number: v.nullable(v.string()),
  duration_seconds: v.nullable(whole),
})
const booking = v.object({
  event_type_id: Id,
  starts_at: InstantOut,
  ends_at: InstantOut,
  host_id: Id,
  contact_id: id,
  deal_id: id,
  rescheduled_from_id: v.pipe(id, v.description('The booking that this one replaces.')),
  moved_to_id: v.pipe(id, v.description('The booking that has replaced this one.')),
})
const account = { user_id: Id, provider: v.picklist(CALENDAR_PROVIDERS), account_email: v.string() }
const reaction = { whatsapp_message_id: Id, emoji: v.pipe(v.nullable(v.string()), v.description('Null: it was taken away.')) }
const leadEnrolment = { lead_enrolment_id: Id, lead_result_id: Id, contact_id: Id }
const enrolment = { enrolment_id: Id, contact_id: id, opportunity_id: id }
const related = v.object({ assigned_to: id, contact_id: id, customer_id: id, opportunity_id: id })

/**
 * The payloads of the events that are more than a change of a record, with what happened. `merged`, `unmerged` and `purged` are of several
 * kinds.
 */
export const SPECIAL_PAYLOADS: Record<string, { description: string; payload: v.GenericSchema }> = {
  merged: { description: 'Other records were merged into it.', payload: v.object({ merge_id: Id, loser_ids: v.array(Id) }) },
  unmerged: { description: 'A merge into it was undone.', payload: v.object({ merge_id: Id, restored_ids: v.array(Id) }) },
  purged: { description: 'It was erased with all that was stored about it.', payload: none },
  'approval.approved': { description: 'A request was approved. It is executed next.', payload: approval },
  'approval.edited': { description: 'A pending request was edited.', payload: approval },
  'approval.executed': { description: 'An approved request was executed.', payload: approval },
  'approval.expired': { description: 'Nobody decided about a request in time.', payload: approval },
  'approval.failed': { description: 'An approved request could not be executed.', payload: approval },
  'approval.rejected': { description: 'A request was rejected.', payload: approval },
  'approval.requested': { description: 'A request waits for approval.', payload: approval },
  'approval.stale': { description: 'Another request has changed what a pending one changes.', payload: approval },
  'booking.notice_requested': { description: 'A notice of a booking is to be sent again.', payload: v.object({ notice_id: Id }) },
  'auto_schedule.fire_requested': { description: 'A schedule was fired by hand.', payload: v.object({ schedule_run_id: Id }) },
  'auto_schedule.fired': { description: 'A fire of a schedule has ended.', payload: fire },
  'auto_schedule.missed': {
    description: 'A schedule has passed over times at which it was due, because they were noticed too late.',
    payload: v.object({
      due_at: v.pipe(InstantOut, v.description('The first of these times.')),
      fired: v.pipe(v.array(v.string()), v.description('Those for which it has fired.')),
    }),
  },
  'auto_queue.enrolled': {
    description: 'A contact or an opportunity was enrolled in an auto queue.',
    payload: v.object(enrolment),
  },
  'auto_queue.enrolment_ended': {
    description: 'An enrolment in an auto queue is complete, has failed, or was ended by an exit or a person.',
    payload: v.object({ ...enrolment, state: v.picklist(['completed', 'failed', 'exited', 'removed']) }),
  },
  'auto_queue.list_enrolment_ended': {
    description: 'The members of a list were enrolled in an auto queue, or could not be.',
    payload: v.object({ list_enrolment_id: Id, list_id: id, state: v.picklist(['completed', 'failed']), enrolled: whole }),
  },
  'auto_queue.list_enrolment_started': {
    description: 'The members of a list are enrolled in an auto queue in the background.',
    payload: v.object({ list_enrolment_id: Id, list_id: Id }),
  },
  'automation.loop_stopped': {
    description: 'An automation did not start again, because it would have run in a loop.',
    payload: v.object({ reasons: v.array(v.picklist(['too_deep', 'too_often'])) }),
  },
  'automation.paused': { description: 'The system has paused an automation.', payload: v.object({ reason: v.string() }) },
  'automation.run_failed': {
    description: 'A run of an automation failed.',
    payload: v.object({ run_id: Id, step_id: id, code: v.string(), message: v.string() }),
  },
  'booking.attended': { description: 'The booker attended.', payload: booking },
  'booking.cancelled': { description: 'A booking was cancelled, declined or moved to another time.', payload: booking },
  'booking.changed_outside': {
    description: 'The event of a booking was moved or deleted in the calendar of a host, and the booking did not follow.',
    payload: v.object({
      host_id: Id,
      change: v.picklist(['moved', 'deleted']),
      reason: v.pipe(
        v.picklist(FLAGS),
        v.description(
          '`setting`: on_external_change of the event type. `not_lead`: another host leads the booking. ' +
            '`time`: a booking cannot have this time. `conflict`: a host has another booking then, or a cap is reached. ' +
            '`state`: the booking can no longer be changed.',
        ),
      ),
      starts_at: v.pipe(v.nullable(InstantOut), v.description('When the event now starts. Null if it was deleted or lasts whole days.')),
      ends_at: v.nullable(InstantOut),
    }),
  },
  'booking.confirmed': { description: 'A booking was made, or confirmed.', payload: booking },
  'booking.late': { description: 'The booker was late.', payload: booking },
  'booking.no_show': { description: 'The booker did not attend.', payload: booking },
  'booking.reassigned': { description: 'A booking was given to another host.', payload: booking },
  'booking.requested': { description: 'A booking was made that waits to be confirmed.', payload: booking },
  'booking.rescheduled': { description: 'A booking was made in place of another one.', payload: booking },
  'dead_letter.replayed': {
    description: 'A message that had failed was handed to its queue again.',
    payload: v.object({ queue: v.picklist(QUEUE_NAMES), message: v.record(v.string(), v.unknown()) }),
  },
  'email.automatic_received': {
    description:
      'A message that no person has sent was received in an email thread, such as an out-of-office reply, a notification or a bounce ' +
      '(RFC 3834). It is no email.received, so that two systems do not answer each other.',
    payload: email,
  },
  'email.received': { description: 'A message was received in an email thread, from a person.', payload: email },
  'import.checked': { description: 'The check of an import has ended.', payload: counts },
  'import.finished': { description: 'An import has ended.', payload: counts },
  'import.undone': { description: 'The undo of an import has ended.', payload: counts },
  'import.failed': {
    description: 'An import, its check or its undo stopped with an error.',
    payload: v.object({ reason: v.string(), phase: v.nullable(v.string()) }),
  },
  'lead_initiative.enrolled': {
    description: 'A person was enrolled in an initiative.',
    payload: v.object(leadEnrolment),
  },
  'lead_initiative.enrolment_ended': {
    description: 'An enrolment in an initiative is complete, or was ended before its last step.',
    payload: v.object({ ...leadEnrolment, status: v.picklist(['completed', 'ended']), end_reason: v.nullable(v.picklist(END_REASONS)) }),
  },
  'list.entered': { description: 'A record became a member of a list that tracks its membership.', payload: member },
  'list.left': { description: 'A record is no longer a member of a list that tracks its membership.', payload: member },
  'member.invited': { description: 'A person was invited, or their invitation was renewed.', payload: v.object({ invitation_id: Id }) },
  'role.mailboxes_opened': {
    description: 'Members with the role can read the mailboxes of others from now on. Those who have a mailbox get an email.',
    payload: v.object({ user_id: v.pipe(v.nullable(Id), v.description('The member who got the role; null: all who have it.')) }),
  },
  'member.joined': { description: 'A person accepted their invitation.', payload: none },
  'member.removed': { description: 'A member was removed from the workspace.', payload: none },
  'message.delivered': { description: 'The provider has delivered a message.', payload: message },
  'message.failed': { description: 'A message was not sent, and will not be.', payload: message },
  'message.queued': { description: 'A message waits to be sent.', payload: message },
  'message.sent': { description: 'The provider has accepted a message.', payload: message },
  'message.undelivered': { description: 'The provider could not deliver a message that it had accepted.', payload: message },
  'opportunity.lost': { description: 'An opportunity was lost.', payload: closed },
  'opportunity.moved': {
    description: 'An opportunity moved to another stage.',
    payload: v.object({
      from_stage_id: id,
      to_stage_id: id,
      from_pipeline_id: id,
      to_pipeline_id: id,
      skip_action_ids: v.array(v.string()),
    }),
  },
  'opportunity.won': { description: 'An opportunity was won.', payload: closed },
  'calendar_connection.errored': {
    description: 'The calendars of a member can no longer be read: the member cannot be booked until the account is connected again.',
    payload: v.object({ ...account, error: v.picklist(CONNECTION_ERRORS) }),
  },
  'calendar_connection.stale': {
    description: 'A calendar was not read for 15 minutes: its member cannot be booked until it is.',
    payload: v.object({ ...account, calendar_id: Id, synced_at: v.nullable(InstantOut), error: v.nullable(v.string()) }),
  },
  'mailbox.errored': {
    description: 'Nothing is sent from or received in the mailbox of a member until the account is connected again.',
    payload: v.object({ ...account, provider: v.picklist(MAILBOX_PROVIDERS), error: v.picklist(CONNECTION_ERRORS) }),
  },
  'call.analyzed': { description: 'The voice provider has analysed what was said in a call.', payload: call },
  'call.ended': { description: 'A call from or to a number of the workspace has ended.', payload: call },
  'call.started': { description: 'A call from or to a number of the workspace was reported for the first time.', payload: call },
  'conversation.assigned': {
    description: 'A conversation was assigned to a member.',
    payload: v.object({ ...conversation, previously_assigned_to: id }),
  },
  'conversation.closed': { description: 'A conversation was closed.', payload: v.object(conversation) },
  'conversation.reopened': {
    description:
      'A conversation that was snoozed or closed is open again: by a member, by a message that was received, ' +
      'or because the snooze has ended.',
    payload: v.object({ ...conversation, previous_status: v.picklist(INBOX_STATUSES) }),
  },
  'sms.received': {
    description: 'A message was received in an SMS conversation.',
    payload: v.object({
      sms_message_id: Id,
      contact_id: id,
      from_phone: v.string(),
      to_phone: v.string(),
      keyword: v.pipe(v.nullable(v.picklist(SMS_KEYWORDS)), v.description('The keyword that the message consists of.')),
    }),
  },
  'task.completed': { description: 'A task was completed.', payload: related },
  'task.reminder': {
    description: 'The time of the reminder of a task has come.',
    payload: v.object({ ...related.entries, due_at: v.nullable(InstantOut), reminder_at: InstantOut }),
  },
  'task.reopened': { description: 'A completed task was reopened.', payload: related },
  'whatsapp.reaction_failed': {
    description: 'WhatsApp has not accepted a reaction from here, in several attempts.',
    payload: v.object({ ...reaction, error: v.string() }),
  },
  'whatsapp.reaction_sent': {
    description: 'WhatsApp has accepted a reaction from here, or that it was taken away.',
    payload: v.object({ ...reaction, error: v.null() }),
  },
  'whatsapp.received': {
    description: 'A message was received in a WhatsApp conversation or group. What is not known is left out.',
    payload: v.object({
      whatsapp_message_id: Id,
      contact_id: v.optional(Id),
      sender_phone: v.optional(v.string()),
      type: v.picklist(WHATSAPP_MESSAGE_TYPES),
    }),
  },
  'work_order.status_changed': {
    description: 'A work order got another status.',
    payload: v.object({
      deal_id: Id,
      deal_product_id: Id,
      from_status_id: Id,
      from_status: v.pipe(v.nullable(v.string()), v.description('The label of the former status.')),
      to_status_id: Id,
      to_status: v.pipe(v.string(), v.description('The label of the new status.')),
      is_done: v.pipe(v.boolean(), v.description('Whether the work is done with it.')),
      assigned_to: id,
    }),
  },
  'webhook.disabled': {
    description: 'The system has disabled a webhook.',
    payload: v.object({ reason: v.picklist(DISABLED_REASONS) }),
  },
}
