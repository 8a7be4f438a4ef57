import { type SQL, sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { type Plan, plan, waking } from '../../../data/plan.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import { MAX_MEDIA_BYTES } from '../../../domain/files.ts'
import { AppError, invalid } from '../../../errors.ts'
import { assertReadable, attachedFacts, type StoredFile } from '../../email/plans/attached.ts'
import { attachFiles, filesToAttach } from '../../message-media/plans/attached.ts'
import { sendMessage } from '../../messages/plans/send-message.ts'
import { mediaTypeIn } from '../rules/content.ts'
import type { WhatsAppSent, WhatsAppToGroup, WhatsAppToSend } from '../schemas/whatsapp.ts'

/** Who is written to. `recipient` is a number, a hidden id or a group, and null when the conversation or group does not exist. */
export type Reach = {
  configured: string[]
  recipient: string | null
  contact: { id: string; archived: boolean; unsubscribed: boolean } | null
  suppressed: boolean
}
/** `quoted`: the message that is replied to; null for one that is not of the conversation or group. */
type Facts = Reach & { files: StoredFile[]; quoted: QuotedFacts | null }
type QuotedFacts = { has_key: boolean; is_deleted: boolean; type: string }
/** Planned with until the facts are read, in a round trip that a repeated request does not take. */
const ANYONE: Facts = { configured: ['whatsapp'], recipient: '+61290000000', contact: null, suppressed: false, files: [], quoted: null }

/** What is known of the recipient of a row `t` with recipient and contact_id. */
export const reachOf = sql`jsonb_build_object('configured', configured_channels(current_workspace()), 'recipient', t.recipient,
  'contact', (select jsonb_build_object('id', c.id, 'archived', c.archived, 'unsubscribed', c.whatsapp_unsubscribed) from contacts c
    where c.id = t.contact_id),
  'suppressed', exists (select from suppressions s where s.channel = 'whatsapp' and s.address = t.recipient))`

/** `chat`: the column of a message with the id of its chat, and this id. */
type Target = { recipient: SQL; contact: SQL; chat: [column: 'conversation_id' | 'group_id', id: SQL] }

function readFacts(ctx: Ctx, { recipient, contact, chat: [column, id] }: Target, { attachment_id, reply_to }: Worded): Promise<Facts> {
  const quoted = sql`(select jsonb_build_object('has_key', q.key_id is not null, 'is_deleted', q.is_deleted, 'type', q.type)
    from whatsapp_messages q
    where q.id = ${reply_to ?? null}::uuid and q.${sql.identifier(column)} = ${id})`
  const facts = plainRows<{ facts: Facts }>(
    sql`with t as materialized (select ${recipient} as recipient, ${contact} as contact_id)
      select ${reachOf} || jsonb_build_object('files', ${attachedFacts({ attachment_ids: idsOf(attachment_id) })}, 'quoted', ${quoted})
        from t`,
    ['facts'],
  )
  return ctx.assume(facts, [{ facts: ANYONE }], sql`false`).then(([found]) => found?.facts ?? ANYONE)
}

/** The contact of a conversation `v`, also one who was added after it began. */
export const CONTACT = 'coalesce(v.contact_id, contact_of_phone(v.external_phone_number))'

const conversationIs = (id: string, column: string) =>
  sql`(select ${sql.raw(column)} from whatsapp_conversations v where v.id = ${id}::uuid)`

function targetOf({ to_phone, conversation_id }: WhatsAppToSend): Target {
  if (conversation_id !== undefined)
    return {
      recipient: conversationIs(conversation_id, 'coalesce(v.external_phone_number, v.lid)'),
      contact: conversationIs(conversation_id, CONTACT),
      chat: ['conversation_id', sql`${conversation_id}::uuid`],
    }
  const known = sql`(select v.id from whatsapp_conversations v where v.external_phone_number = ${to_phone}::text)`
  return { recipient: sql`${to_phone}::text`, contact: sql`contact_of_phone(${to_phone}::text)`, chat: ['conversation_id', known] }
}

/**
 * Sends a text to a person. It is reserved with its credits; the queue hands it to the provider. @throws CHANNEL_NOT_CONFIGURED,
 * RECIPIENT_UNREACHABLE, INSUFFICIENT_CREDITS.
 */
export async function sendWhatsApp(ctx: Ctx, body: WhatsAppToSend): Promise<Plan<WhatsAppSent>> {
  const facts = await readFacts(ctx, targetOf(body), body)
  if (facts.recipient === null) throw invalid([{ path: 'conversation_id', message: 'conversation_id does not exist in this workspace' }])
  return reserve(ctx, facts, facts.recipient, body)
}

/** Sends a text to a group that the paired phone belongs to. @throws as sendWhatsApp. */
export async function sendToGroup(ctx: Ctx, { group_id, ...worded }: WhatsAppToGroup): Promise<Plan<WhatsAppSent>> {
  const recipient = sql`(select g.jid from whatsapp_groups g where g.id = ${group_id}::uuid and not g.is_left)`
  const target: Target = { recipient, contact: sql`null::uuid`, chat: ['group_id', sql`${group_id}::uuid`] }
  const facts = await readFacts(ctx, target, worded)
  if (facts.recipient === null) throw invalid([{ path: 'group_id', message: 'The paired phone belongs to no such group' }])
  return reserve(ctx, facts, facts.recipient, worded)
}

type Worded = Pick<WhatsAppToGroup, 'text' | 'attachment_id' | 'reply_to'>
const idsOf = (attachment: string | undefined) => (attachment === undefined ? [] : [attachment])

/** @throws CHANNEL_NOT_CONFIGURED, RECIPIENT_UNREACHABLE */
export function assertReach({ configured, contact, suppressed }: Reach): void {
  if (!configured.includes('whatsapp'))
    throw new AppError('CHANNEL_NOT_CONFIGURED', 'No phone is paired with WhatsApp: see POST /whatsapp/pair', { channel: 'whatsapp' })
  const reason = contact?.archived ? 'archived' : contact?.unsubscribed ? 'unsubscribed' : suppressed ? 'suppressed' : undefined
  if (reason)
    throw new AppError('RECIPIENT_UNREACHABLE', `The recipient cannot be written to: ${reason}`, { reason, next_allowed_at: null })
}

/** Why a message cannot be replied to. */
function quoteFault(quoted: QuotedFacts | null): string | undefined {
  if (quoted === null) return 'reply_to is not a message of this conversation or group'
  if (quoted.is_deleted) return 'reply_to was deleted in its chat'
  if (quoted.type === 'reaction') return 'reply_to is a reaction: reply to a message'
  if (!quoted.has_key) return 'reply_to has not been sent by WhatsApp: reply to a message whose status is sent, delivered or read'
}

function reserve(ctx: Ctx, facts: Facts, recipient: string, worded: Worded): Plan<WhatsAppSent> {
  assertReach(facts)
  const { contact, files: found, quoted } = facts
  const fault = worded.reply_to === undefined || facts === ANYONE ? undefined : quoteFault(quoted)
  if (fault) throw invalid([{ path: 'reply_to', message: fault }])
  const files = filesOf(worded, found)
  const message = sendMessage({
    channel: 'whatsapp',
    purpose: 'request',
    contact_id: contact?.id ?? null,
    recipient,
    subject: null,
    text: worded.text,
    html: null,
    dedupe_key: ctx.effectKey,
  })
  if ('code' in message) throw new AppError(message.code, message.message, { channel: 'whatsapp' })
  return waking(
    'messages.send',
    plan(
      [
        assertReadable(files),
        message.statement,
        attachFiles(ctx.effectKey, files, files[0] && mediaTypeIn(files[0].content_type)),
        worded.reply_to !== undefined && call('quote_whatsapp_message', ctx.effectKey, worded.reply_to),
      ],
      sent(ctx.effectKey),
    ),
  )
}

/** @throws as filesToAttach, which names a field that is a list here. */
function filesOf({ attachment_id }: Pick<Worded, 'attachment_id'>, found: StoredFile[]): StoredFile[] {
  if (attachment_id !== undefined && found.length === 0)
    throw invalid([{ path: 'attachment_id', message: 'attachment_id does not exist in this workspace' }])
  return filesToAttach(idsOf(attachment_id), found, MAX_MEDIA_BYTES)
}

const SENT = ['id', 'whatsapp_message_id', 'conversation_id', 'group_id', 'status', 'recipient', 'body_text', 'credits', 'created_at']
const sent = (key: string) =>
  mapResult(
    plainRows<WhatsAppSent>(
      sql`select m.id, w.id, w.conversation_id, w.group_id, m.status, m.recipient, m.body_text, m.credits, iso(m.created_at)
        from messages m join whatsapp_messages w on w.message_id = m.id where m.dedupe_key = ${key}`,
      SENT,
    ),
    ([row]) => row as WhatsAppSent,
  )
