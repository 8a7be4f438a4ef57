import { eq, sql } from 'drizzle-orm'
import { whatsappMessages } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Plan, plan, waking } from '../../../data/plan.ts'
import { oneOrThrow, plainRows } from '../../../data/query.ts'
import { AppError } from '../../../errors.ts'
import type { WhatsAppStatus } from '../rules/conversations.ts'
import type { ReactionToSend, WhatsAppMessage } from '../schemas/whatsapp.ts'
import { messageColumns } from './message-columns.ts'
import { assertReach, CONTACT, type Reach, reachOf } from './send.ts'

type Facts = Reach & { status: WhatsAppStatus; type: string; has_key: boolean; is_deleted: boolean; is_left: boolean }
/** Planned with until the facts are read, and for a message that does not exist. */
const ANY: Facts = {
  configured: ['whatsapp'],
  recipient: '+61290000000',
  contact: null,
  suppressed: false,
  status: 'sent',
  type: 'text',
  has_key: true,
  is_deleted: false,
  is_left: false,
}
const ALLOWED = ['sent', 'delivered', 'read']

/** Reacts to a message, or takes the reaction away; the queue sends it. @throws NOT_FOUND, INVALID_STATE, and as assertReach. */
export async function reactTo(ctx: Ctx, id: string, { emoji }: ReactionToSend): Promise<Plan<WhatsAppMessage>> {
  // `offset 0` makes the recipient a column: with an expression in its place, all suppressions would be read.
  const query = plainRows<{ facts: Facts }>(
    sql`select ${reachOf} || t.message from (select coalesce(g.jid, v.external_phone_number, v.lid) as recipient,
        ${sql.raw(CONTACT)} as contact_id,
        jsonb_build_object('status', m.status, 'type', m.type, 'has_key', m.key_id is not null, 'is_deleted', m.is_deleted,
          'is_left', coalesce(g.is_left, false)) as message
      from whatsapp_messages m left join whatsapp_conversations v on v.id = m.conversation_id
      left join whatsapp_groups g on g.id = m.group_id where m.id = ${id}::uuid offset 0) t`,
    ['facts'],
  )
  const [{ facts } = { facts: ANY }] = await ctx.assume(query, [{ facts: ANY }], sql`false`)
  assertReach(facts)
  assertState(facts)
  const record = oneOrThrow(db.select(messageColumns).from(whatsappMessages).where(eq(whatsappMessages.id, id)), 'whatsapp message', id)
  return waking('whatsapp.react', plan([call('react_to_whatsapp', id, emoji ?? '')], record))
}

function assertState({ status, type, has_key, is_deleted, is_left }: Facts): void {
  const refuse = (state: string, message: string) => new AppError('INVALID_STATE', message, { state, allowed: ALLOWED })
  if (is_deleted) throw refuse('deleted', 'The message was deleted in its chat')
  if (type === 'reaction') throw refuse('reaction', 'This is a reaction: react to the message that it is about')
  if (is_left) throw refuse('left', 'The paired phone no longer belongs to the group of the message')
  if (!has_key) throw refuse(status, 'WhatsApp has not sent the message, so it cannot be reacted to')
}
