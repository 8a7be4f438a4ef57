import * as v from 'valibot'
import { EmailEvent } from '../src/features/email/schemas/email-events.ts'
import { CallReport } from '../src/features/phone/schemas/call-events.ts'
import { SmsEvent } from '../src/features/sms/schemas/sms-events.ts'
import { Id } from '../src/schemas/fields.ts'
import { setOf, WORK_NAMES } from './work/registry.ts'

const WorkMessage = v.pipe(
  v.object({ type: v.literal('work.run'), kind: v.picklist(WORK_NAMES), workspace_id: Id, item_id: v.optional(Id) }),
  v.check(({ kind, item_id }) => item_id !== undefined || !setOf(kind)?.hasItems, 'names no item'),
)

/**
 * Messages carry ids only; the database holds the truth. The exceptions are log entries, which an isolate sends together, and what the
 * providers of email, SMS and calls post, which is not stored before it is answered.
 */
export const Message = v.variant('type', [
  WorkMessage,
  v.object({ type: v.literal('requests.answered'), isolate: v.string(), entries: v.array(v.looseObject({ id: v.string() })) }),
  v.object({ type: v.literal('email.event'), workspace_id: Id, event: EmailEvent }),
  v.object({ type: v.literal('sms.event'), workspace_id: Id, event: SmsEvent }),
  v.object({ type: v.literal('call.event'), workspace_id: Id, report: CallReport }),
  v.object({ type: v.literal('phone.sync'), workspace_id: Id, phone_bundle_id: v.optional(Id) }),
  v.object({ type: v.literal('notetaker.event'), workspace_id: Id, notetaker_id: Id, webhook_id: v.pipe(v.string(), v.maxLength(200)) }),
])
export type Message = v.InferOutput<typeof Message>
export type MessageOf<T extends Message['type']> = Extract<Message, { type: T }>

/** The names that items had in the messages of the previous release, each of which had the name of its kind as its type. */
const FORMER_ITEMS = [
  'approval_id',
  'campaign_id',
  'email_draft_id',
  'field_id',
  'import_id',
  'inbound_email_id',
  'request_id',
  'schedule_run_id',
  'webhook_id',
  'whatsapp_event_id',
]

/** A message in its present form. Those of the previous release, and its dead letters that are replayed, come until the next one. */
export function present(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('type' in body) || !WORK_NAMES.includes(String(body.type))) return body
  const { type, workspace_id, ...rest } = body as { type: string; workspace_id?: unknown; [name: string]: unknown }
  const name = FORMER_ITEMS.find((one) => one in rest)
  return { type: 'work.run', kind: type, workspace_id, ...(name && { item_id: rest[name] }) }
}
