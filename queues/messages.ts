import * as v from 'valibot'
import { EmailEvent } from '../src/features/email/schemas/email-events.ts'
import { CallReport } from '../src/features/phone/schemas/call-events.ts'
import { SmsEvent } from '../src/features/sms/schemas/sms-events.ts'
import { Id } from '../src/schemas/fields.ts'
import { KIND_NAMES } from './work/registry.ts'

/**
 * Messages carry ids only; the database holds the truth. The exceptions are log entries, which an isolate sends together, and what the
 * providers of email, SMS and calls post, which is not stored before it is answered.
 */
export const Message = v.variant('type', [
  v.object({ type: v.literal('work.run'), kind: v.picklist(KIND_NAMES), workspace_id: Id, item_id: v.optional(Id) }),
  v.object({ type: v.literal('events.deliver'), workspace_id: v.nullable(Id) }),
  v.object({ type: v.literal('approval.run'), workspace_id: Id, approval_id: Id }),
  v.object({ type: v.literal('requests.answered'), isolate: v.string(), entries: v.array(v.looseObject({ id: v.string() })) }),
  v.object({ type: v.literal('import.run'), workspace_id: Id, import_id: Id }),
  v.object({ type: v.literal('custom-index.build'), workspace_id: Id, field_id: Id }),
  v.object({ type: v.literal('zones.resolve'), workspace_id: Id }),
  v.object({ type: v.literal('schedule.run'), workspace_id: Id, schedule_run_id: Id }),
  v.object({ type: v.literal('lists.track'), workspace_id: Id }),
  v.object({ type: v.literal('automations.run'), workspace_id: Id }),
  v.object({ type: v.literal('messages.send'), workspace_id: Id }),
  v.object({ type: v.literal('campaign.send'), workspace_id: Id, campaign_id: v.optional(Id) }),
  v.object({ type: v.literal('email.event'), workspace_id: Id, event: EmailEvent }),
  v.object({ type: v.literal('sms.event'), workspace_id: Id, event: SmsEvent }),
  v.object({ type: v.literal('call.event'), workspace_id: Id, report: CallReport }),
  v.object({ type: v.literal('phone.sync'), workspace_id: Id, phone_bundle_id: v.optional(Id) }),
  v.object({ type: v.literal('email.receive'), workspace_id: Id, inbound_email_id: Id }),
  v.object({ type: v.literal('email.scheduled'), workspace_id: Id, email_draft_id: Id }),
  v.object({ type: v.literal('whatsapp.receive'), workspace_id: Id, whatsapp_event_id: Id }),
  v.object({ type: v.literal('whatsapp.watch'), workspace_id: Id }),
  v.object({ type: v.literal('webhook.deliver'), workspace_id: Id, webhook_id: Id }),
  v.object({ type: v.literal('outgoing.send'), workspace_id: Id }),
  v.object({ type: v.literal('notetaker.event'), workspace_id: Id, notetaker_id: Id, webhook_id: v.pipe(v.string(), v.maxLength(200)) }),
  v.object({ type: v.literal('incoming.run'), workspace_id: Id, request_id: Id }),
])
export type Message = v.InferOutput<typeof Message>
export type MessageOf<T extends Message['type']> = Extract<Message, { type: T }>
