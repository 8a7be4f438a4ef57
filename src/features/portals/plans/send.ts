import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { plan, waking } from '../../../data/plan.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import { AppError, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { hashPin, portalPin, portalToken } from '../../../lib/portal-secrets.ts'
import { chargeFor } from '../../billing/rules/credits.ts'
import { toReservation } from '../../messages/plans/send-message.ts'
import { canReach } from '../../messages/rules/reachability.ts'
import { smsSize } from '../../sms/rules/sms.ts'
import { tokenHash } from '../../webhooks/plans/incoming.ts'
import type { PortalKind } from '../rules/kinds.ts'
import { PORTAL_DAYS } from '../rules/limits.ts'
import { linkEmail, type PortalWords, pinEmail, pinSms } from '../rules/messages.ts'
import type { NewPortal, SendWorkStatus } from '../schemas/portals.ts'
import { ANYBODY, type PortalFacts, portalFacts } from './facts.ts'

type Target = { kind: PortalKind; deal_id: string | null; contact_id: string | null }

/** Sends the client of an opportunity the address and the PIN of a page that shows how the work is going. */
export async function sendWorkStatus(ctx: Ctx, { deal_id, contact_id = null }: SendWorkStatus) {
  const target = { kind: 'work_status', deal_id, contact_id } as const
  const facts = await factsOf(ctx, target)
  if (facts.deal_name === null) throw missing('deal_id')
  if (!facts.has_work_orders)
    throw new AppError('INVALID_STATE', 'The opportunity has no work orders: create some with POST /work-orders', {
      state: 'no_work_orders',
      allowed: ['has_work_orders'],
    })
  return opened(ctx, target, facts)
}

/** Sends a stakeholder the address and the PIN of a page with the work that is shared with the stakeholder. */
export async function createPortal(ctx: Ctx, { contact_id }: NewPortal) {
  const target = { kind: 'stakeholder', deal_id: null, contact_id } as const
  const facts = await factsOf(ctx, target)
  if (facts.contact && !facts.is_eligible)
    throw invalid([
      { path: 'contact_id', message: 'The contact does not belong to a stakeholder type with portal_eligible: add it to one first' },
    ])
  return opened(ctx, target, facts)
}

const factsOf = (ctx: Ctx, target: Target) => ctx.assume(portalFacts(target), ANYBODY, sql`false`)
const missing = (path: string) => invalid([{ path, message: `${path} does not exist in this workspace` }])

/** The portal, its token and the messages commit together. A portal that there is gets another token and PIN. */
async function opened(ctx: Ctx, target: Target, facts: PortalFacts) {
  const { contact } = facts
  if (!facts.sender)
    throw new AppError('CHANNEL_NOT_CONFIGURED', 'This workspace has no email configuration: add one with POST /email/configs', {
      channel: 'email',
    })
  if (!contact && target.contact_id) throw missing('contact_id')
  if (!contact) throw unreachable('no_address')
  const reach = canReach(contact, 'email', ctx.now)
  if (!reach.reachable) throw unreachable(reason(reach))
  const [token_seed, pin_seed] = [crypto.randomUUID(), crypto.randomUUID()]
  const { linkSecret: secret } = ctx.deployment
  const row = {
    id: newId(),
    kind: target.kind,
    deal_id: target.deal_id,
    contact_id: contact.id,
    token_seed,
    pin_seed,
    token_hash: `\\x${await tokenHash(portalToken(secret, token_seed))}`,
    pin_hash: `\\x${await hashPin(portalPin(secret, pin_seed), pin_seed)}`,
    expires_at: new Date(ctx.now.getTime() + PORTAL_DAYS * 86_400_000).toISOString(),
  }
  const words = { workspace: facts.workspace, person: contact.first_name, about: target.deal_id === null ? null : facts.deal_name }
  const stored = sql`select jsonb_build_object('id', id, 'seed', token_seed) from portals
    where kind = ${target.kind} and contact_id = ${contact.id}
    and deal_id is not distinct from ${target.deal_id}::uuid`
  const result = mapResult(plainRows<{ portal: { id: string; seed: string } }>(stored, ['portal']), ([found]) => ({
    success: true as const,
    portal_id: found?.portal.id ?? '',
    token: portalToken(secret, found?.portal.seed ?? ''),
  }))
  return waking(
    'messages.send',
    plan(
      [
        // Two calls at the same time follow each other.
        sql`select from contacts where id = ${contact.id} for update`,
        sql`select open_portal(jsonb_populate_record(null::portals, ${JSON.stringify(row)}::jsonb))`,
        call('reserve_messages', JSON.stringify(messagesOf(facts, contact, target, words, { token_seed, pin_seed }))),
      ],
      result,
    ),
  )
}

const reason = (reach: ReturnType<typeof canReach>) => (reach.reachable ? 'no_address' : reach.reason)
const unreachable = (why: string) =>
  new AppError('RECIPIENT_UNREACHABLE', `The contact cannot be reached by email: ${why.replaceAll('_', ' ')}`, {
    reason: why,
    next_allowed_at: null,
  })

type Contact = NonNullable<PortalFacts['contact']>
type Seeds = { token_seed: string; pin_seed: string }

/** The email with the address, and the PIN: by SMS if that reaches the contact and can be paid, otherwise by a second email. */
function messagesOf({ sender, balance }: PortalFacts, contact: Contact, { deal_id }: Target, words: PortalWords, seeds: Seeds) {
  const purpose = 'portal' as const
  const from = { sender_email: sender?.from_email ?? null, sender_name: sender?.from_name ?? null, deal_id }
  const email = { channel: 'email' as const, purpose, contact_id: contact.id, recipient: contact.email ?? '' }
  const link = toReservation({ ...email, ...linkEmail(words), dedupe_key: `portal:${seeds.token_seed}` })
  const text = pinSms(words)
  const { credits } = chargeFor('sms', smsSize(text).segments)
  const bySms = canReach(contact, 'sms', new Date(0)).reachable && credits <= balance
  const sms = { channel: 'sms' as const, purpose, contact_id: contact.id, recipient: contact.phone ?? '', subject: null, text, html: null }
  const key = { dedupe_key: `portal_pin:${seeds.pin_seed}` }
  const pin = toReservation(bySms ? { ...sms, ...key } : { ...email, ...pinEmail(words), ...key })
  return [link, pin].map((message) => ({ ...message, ...('channel' in message && message.channel === 'email' ? from : { deal_id }) }))
}
