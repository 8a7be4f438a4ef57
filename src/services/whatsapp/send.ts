import { type SQL, sql } from 'drizzle-orm'
import type { Ctx } from '../../context.ts'
import { type Plan, plan, waking } from '../../data/plan.ts'
import { mapResult, plainRows } from '../../data/query.ts'
import { MAX_MEDIA_BYTES } from '../../domain/message-media.ts'
import { mediaTypeIn } from '../../domain/whatsapp/events.ts'
import { AppError, invalid } from '../../errors.ts'
import type { WhatsAppSent, WhatsAppToGroup, WhatsAppToSend } from '../../schemas/whatsapp.ts'
import { assertReadable, attachedFacts, type StoredFile } from '../email/attached.ts'
import { attachFiles, filesToAttach } from '../media/attached.ts'
import { sendMessage } from '../messages/send-message.ts'

/** Who is written to. `recipient` is a number, a hidden id or a group, and null when the conversation or group does not exist. */
type Facts = {
  configured: string[]
  recipient: string | null
  contact: { id: string; archived: boolean; unsubscribed: boolean } | null
  suppressed: boolean
  files: StoredFile[]
}
/** Planned with until the facts are read, in a round trip that a repeated request does not take. */
const ANYONE: Facts = { configured: ['whatsapp'], recipient: '+61290000000', contact: null, suppressed: false, files: [] }

const factsQuery = (recipient: SQL, contact: SQL, attachment_ids: string[]) =>
  plainRows<{ facts: Facts }>(
    sql`with target as materialized (select ${recipient} as recipient, ${contact} as contact_id) select jsonb_build_object(
      'files', ${attachedFacts({ attachment_ids })}, 'configured', configured_channels(current_workspace()), 'recipient', t.recipient,
      'contact', (select jsonb_build_object('id', c.id, 'archived', c.archived, 'unsubscribed', c.whatsapp_unsubscribed) from contacts c where c.id = t.contact_id),
      'suppressed', exists (select from suppressions s where s.channel = 'whatsapp' and s.address = t.recipient)) from target t`,
    ['facts'],
  )

const conversationIs = (id: string, column: string) =>
  sql`(select ${sql.raw(column)} from whatsapp_conversations v where v.id = ${id}::uuid)`

/** Sends a text to a person. It is reserved with its credits; the queue hands it to the provider. @throws CHANNEL_NOT_CONFIGURED, RECIPIENT_UNREACHABLE, INSUFFICIENT_CREDITS. */
export async function sendWhatsApp(
  ctx: Ctx,
  { to_phone, conversation_id, text, attachment_id }: WhatsAppToSend,
): Promise<Plan<WhatsAppSent>> {
  const [recipient, contact] =
    conversation_id === undefined
      ? [sql`${to_phone}::text`, sql`contact_of_phone(${to_phone}::text)`]
      : [conversationIs(conversation_id, 'coalesce(v.external_phone_number, v.lid)'), conversationIs(conversation_id, 'v.contact_id')]
  const [{ facts } = { facts: ANYONE }] = await ctx.assume(
    factsQuery(recipient, contact, idsOf(attachment_id)),
    [{ facts: ANYONE }],
    sql`false`,
  )
  if (facts.recipient === null) throw invalid([{ path: 'conversation_id', message: 'conversation_id does not exist in this workspace' }])
  return reserve(ctx, facts, facts.recipient, { text, attachment_id })
}

/** Sends a text to a group that the paired phone belongs to. @throws as sendWhatsApp. */
export async function sendToGroup(ctx: Ctx, { group_id, text, attachment_id }: WhatsAppToGroup): Promise<Plan<WhatsAppSent>> {
  const recipient = sql`(select g.jid from whatsapp_groups g where g.id = ${group_id}::uuid and not g.is_left)`
  const [{ facts } = { facts: ANYONE }] = await ctx.assume(
    factsQuery(recipient, sql`null::uuid`, idsOf(attachment_id)),
    [{ facts: ANYONE }],
    sql`false`,
  )
  if (facts.recipient === null) throw invalid([{ path: 'group_id', message: 'The paired phone belongs to no such group' }])
  return reserve(ctx, facts, facts.recipient, { text, attachment_id })
}

type Worded = { text: string; attachment_id: string | undefined }
const idsOf = (attachment: string | undefined) => (attachment === undefined ? [] : [attachment])

function reserve(
  ctx: Ctx,
  { configured, contact, suppressed, files: found }: Facts,
  recipient: string,
  worded: Worded,
): Plan<WhatsAppSent> {
  if (!configured.includes('whatsapp'))
    throw new AppError('CHANNEL_NOT_CONFIGURED', 'No phone is paired with WhatsApp: see POST /whatsapp/pair', { channel: 'whatsapp' })
  const reason = contact?.archived ? 'archived' : contact?.unsubscribed ? 'unsubscribed' : suppressed ? 'suppressed' : undefined
  if (reason)
    throw new AppError('RECIPIENT_UNREACHABLE', `The recipient cannot be written to: ${reason}`, { reason, next_allowed_at: null })
  const files = filesOf(worded, found)
  const message = sendMessage({
    ...{
      channel: 'whatsapp',
      purpose: 'request',
      contact_id: contact?.id ?? null,
      recipient,
      subject: null,
      text: worded.text,
      html: null,
    },
    dedupe_key: ctx.effectKey,
  })
  if ('code' in message) throw new AppError(message.code, message.message, { channel: 'whatsapp' })
  return waking(
    'messages.send',
    plan(
      [assertReadable(files), message.statement, attachFiles(ctx.effectKey, files, files[0] && mediaTypeIn(files[0].content_type))],
      sent(ctx.effectKey),
    ),
  )
}

/** @throws as filesToAttach, which names a field that is a list here. */
function filesOf({ attachment_id }: Worded, found: StoredFile[]): StoredFile[] {
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
