import { eq, sql } from 'drizzle-orm'
import { contacts, messages } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { plan, waking } from '../../../data/plan.ts'
import { oneOrThrow, rows } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { AppError, invalid } from '../../../errors.ts'
import { escapeHtml } from '../../../lib/html.ts'
import { recipientColumns } from '../../contacts/plans/reachability.ts'
import { zoneOfContact } from '../../contacts/rules/local-zone.ts'
import { MAX_SMS_CHARACTERS } from '../../sms/rules/sms.ts'
import type { Channel } from '../rules/messages.ts'
import { addressOf, canReach } from '../rules/reachability.ts'
import { MessageDetails, type MessageToSend } from '../schemas/messages.ts'
import { sendMessage } from './send-message.ts'

const facts = (id: string) => rows(db.select(recipientColumns).from(contacts).where(eq(contacts.id, id)))
type Facts = ReturnType<ReturnType<typeof facts>['decode']>[number]

/** Planned with until the contact is read, in a round trip that a repeated request does not take. */
const ANYONE: Facts = {
  archived: false,
  email_unsubscribed: false,
  sms_unsubscribed: false,
  whatsapp_unsubscribed: false,
  suppressed: [] as string[],
  configured: ['email', 'sms', 'whatsapp'] as string[],
  email: 'nobody@example.com',
  phone: '+61290000000',
  timezone: 'UTC',
  workspace_zone: 'UTC',
  quiet_hours: null,
  state: null,
  country: null,
}

/** @throws VALIDATION_ERROR for a text that is empty, or longer than an SMS may be. */
export function assertSmsText(path: string, text: string): void {
  if (text.trim() === '') throw invalid([{ path, message: 'must not be empty in an SMS' }])
  if (text.length <= MAX_SMS_CHARACTERS) return
  throw invalid([{ path, message: `must be at most ${MAX_SMS_CHARACTERS} characters in an SMS, and an emoji counts as two or more` }])
}

/** Plain text as HTML that shows it. */
export const htmlOf = (text: string): string => escapeHtml(text).replace(/\r?\n/g, '<br>\n')

/** What a message is for: a step of an automation, or the request itself. */
export const purposeOf = ({ effectKey }: Ctx) => (effectKey.startsWith('step:') ? 'automation' : 'request')

/**
 * Reserves a message to a contact, if the contact can be reached now. @throws RECIPIENT_UNREACHABLE with the reason, and for quiet hours
 * their end; CHANNEL_NOT_CONFIGURED.
 */
export async function requestMessage(ctx: Ctx, { contact_id, channel, subject, text, html }: MessageToSend) {
  const [contact] = await ctx.assume(facts(contact_id), [ANYONE], sql`false`)
  if (!contact) throw invalid([{ path: 'contact_id', message: 'contact_id does not exist in this workspace' }])
  if (channel === 'sms') assertSmsText('text', text)
  const message = sendMessage({
    channel,
    contact_id,
    recipient: addressIn(contact, channel, ctx.now),
    subject: subject ?? null,
    text,
    html: channel === 'email' ? (html ?? htmlOf(text)) : null,
    purpose: purposeOf(ctx),
    dedupe_key: ctx.effectKey,
  })
  if ('code' in message) throw new AppError(message.code, message.message, { channel })
  const stored = db.select(columnsFor(messages, MessageDetails)).from(messages).where(eq(messages.dedupe_key, ctx.effectKey))
  // It costs credits, so it takes the scope of sending by WhatsApp, whichever endpoint it is sent by.
  const allowed = channel === 'whatsapp' && sql`select assert_scopes(array['whatsapp:send'])`
  return waking('messages.send', plan([allowed, message.statement], oneOrThrow(stored, 'message')))
}

/** The address at which a contact is reached now. */
function addressIn(facts: Facts, channel: Channel, now: Date): string {
  const contact = { ...facts, zone: zoneOfContact(facts, facts.workspace_zone).timezone }
  const reach = canReach(contact, channel, now)
  if (reach.reachable) return addressOf(contact, channel) ?? ''
  if (reach.reason === 'channel_not_configured')
    throw new AppError('CHANNEL_NOT_CONFIGURED', `This workspace cannot send through ${channel} yet`, { channel })
  const details = { reason: reach.reason, next_allowed_at: reach.next_allowed_at?.toISOString() ?? null }
  throw new AppError('RECIPIENT_UNREACHABLE', `The contact cannot be reached: ${reach.reason.replaceAll('_', ' ')}`, details)
}
