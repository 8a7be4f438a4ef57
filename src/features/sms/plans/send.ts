import { eq, sql } from 'drizzle-orm'
import { smsMessages } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { plan, waking } from '../../../data/plan.ts'
import { oneOrThrow, plainRows } from '../../../data/query.ts'
import { isPremium } from '../../../domain/premium-numbers.ts'
import { AppError, invalid } from '../../../errors.ts'
import { assertReadable, attachedFacts, type StoredFile } from '../../email/plans/attached.ts'
import { attachFiles, filesToAttach } from '../../message-media/plans/attached.ts'
import { MAX_MMS_BYTES } from '../../message-media/rules/message-media.ts'
import { sendMessage } from '../../messages/plans/send-message.ts'
import type { UnreachableReason } from '../../messages/rules/messages.ts'
import type { SmsToSend } from '../schemas/sms.ts'
import { messageColumns } from './conversations.ts'

type Contact = { id: string; phone: string | null; archived: boolean; sms_unsubscribed: boolean }
type Facts = {
  is_configured: boolean
  missing: ('contact_id' | 'conversation_id' | 'phone_number_id')[]
  /** The number that the request names, or that of the conversation. */
  sender: string | null
  recipient: string | null
  contact: Contact | null
  suppressed: boolean
  files: StoredFile[]
}

/** Planned with until the facts are read, in a round trip that a repeated request does not take. */
const ANYONE: Facts = {
  is_configured: true,
  missing: [],
  sender: null,
  recipient: '+61290000000',
  contact: null,
  suppressed: false,
  files: [],
}

/**
 * Who is written to, from which number, and what is in the way. `offset 0` makes each part a column: a condition with an expression in its
 * place would read all contacts, or all suppressions.
 */
function factsOf(body: SmsToSend) {
  const [contact_id, to_phone, conversation_id, phone_number_id] = [
    body.contact_id,
    body.to_phone,
    body.conversation_id,
    body.phone_number_id,
  ].map((sent) => sent ?? null)
  const number = sql`(select n.phone_number from phone_numbers n where n.id = ${phone_number_id}::uuid and n.status = 'active')`
  const contact = sql`(select c from contacts c
    where c.id = (select coalesce(${contact_id}::uuid, (s.conversation).contact_id,
      contact_of_phone(coalesce((s.conversation).external_phone_number, ${to_phone}::text)))))`
  const facts = sql`select jsonb_build_object('is_configured', 'sms' = any(configured_channels(current_workspace())),
      'missing', array_remove(array[case when ${contact_id}::uuid is not null and (k.contact).id is null then 'contact_id' end,
        case when ${conversation_id}::uuid is not null and (s.conversation).id is null then 'conversation_id' end,
        case when ${phone_number_id}::uuid is not null and s.number is null then 'phone_number_id' end], null),
      'files', ${attachedFacts(body)}, 'sender', coalesce((s.conversation).phone_number, s.number), 'recipient', r.recipient,
      'contact', case when (k.contact).id is not null then jsonb_build_object('id', (k.contact).id, 'phone', (k.contact).phone,
        'archived', (k.contact).archived, 'sms_unsubscribed', (k.contact).sms_unsubscribed) end,
      'suppressed', exists (select from suppressions x where x.channel = 'sms' and x.address = r.recipient))
    from (select (select c from sms_conversations c where c.id = ${conversation_id}::uuid) as conversation, ${number} as number offset 0) s
      cross join lateral (select ${contact} as contact offset 0) k
      cross join lateral (select coalesce((s.conversation).external_phone_number,
        ${to_phone}::text, (k.contact).phone) as recipient offset 0) r`
  return plainRows<{ facts: Facts }>(facts, ['facts'])
}

/**
 * Sends an SMS: it is written to the send ledger and its conversation, with the credits that it costs, and handed to the provider after the
 * commit. A person who writes decides about the time, so quiet hours do not count. @throws RECIPIENT_UNREACHABLE, CHANNEL_NOT_CONFIGURED,
 * INSUFFICIENT_CREDITS.
 */
export async function sendSms(ctx: Ctx, body: SmsToSend) {
  const [{ facts } = { facts: ANYONE }] = await ctx.assume(factsOf(body), [{ facts: ANYONE }], sql`false`)
  const { missing, sender, recipient, contact } = facts
  if (missing.length > 0) throw invalid(missing.map((path) => ({ path, message: `${path} does not exist in this workspace` })))
  assertReachable(facts)
  const files = filesToAttach(body.attachment_ids ?? [], facts.files, MAX_MMS_BYTES)
  const message = sendMessage({
    channel: 'sms',
    purpose: 'sms',
    contact_id: contact?.id ?? null,
    recipient: recipient ?? '',
    subject: null,
    text: body.text,
    html: null,
    dedupe_key: ctx.effectKey,
    sender_phone: sender,
    has_files: files.length > 0,
  })
  if ('code' in message) throw new AppError(message.code, message.message, { channel: 'sms' })
  const stored = db
    .select(messageColumns)
    .from(smsMessages)
    .where(eq(smsMessages.message_id, sql`(select m.id from messages m where m.dedupe_key = ${ctx.effectKey})`))
  return waking(
    'messages.send',
    plan([assertReadable(files), message.statement, attachFiles(ctx.effectKey, files)], oneOrThrow(stored, 'SMS message')),
  )
}

function assertReachable({ is_configured, recipient, contact, suppressed }: Facts): void {
  if (contact?.archived) throw unreachable('archived')
  if (!is_configured)
    throw new AppError('CHANNEL_NOT_CONFIGURED', 'This workspace has no phone number: buy one with POST /phone/numbers/buy', {
      channel: 'sms',
    })
  if (!recipient) throw unreachable('no_address')
  if (isPremium(recipient)) throw unreachable('premium_number')
  if (contact?.sms_unsubscribed) throw unreachable('unsubscribed')
  if (suppressed) throw unreachable('suppressed')
}

const unreachable = (reason: UnreachableReason): AppError =>
  new AppError('RECIPIENT_UNREACHABLE', `The recipient cannot be reached: ${reason.replaceAll('_', ' ')}`, {
    reason,
    next_allowed_at: null,
  })
