import { eq, sql } from 'drizzle-orm'
import { emailCampaigns } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import type { Statement } from '../../../data/db.ts'
import { type Plan, plan, waking } from '../../../data/plan.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import { updateRows } from '../../../data/store.ts'
import { AppError, invalid } from '../../../errors.ts'
import { sendMessage } from '../../messages/plans/send-message.ts'
import { preflight } from '../rules/content.ts'
import { CAMPAIGN_TRANSITIONS } from '../rules/states.ts'
import type { CampaignTest, EmailCampaignDetails } from '../schemas/campaigns.ts'
import { confirmedCampaign, lockIn, record, sendGuards, storedCampaign } from './campaigns.ts'
import { renderFor } from './rendering.ts'

type Changed = Promise<Plan<EmailCampaignDetails>>

const set = (id: string, fields: object): Statement | undefined => updateRows(emailCampaigns, fields, eq(emailCampaigns.id, id), { id })

/** The send of a campaign, which the background works on from a time on. */
const due = (id: string, at: string | null): Statement =>
  sql`insert into campaign_sends (campaign_id, due_at) values (${id}, coalesce(${at}::timestamptz, now()))
    on conflict (workspace_id, campaign_id) do update set due_at = excluded.due_at`

/** Begins to send a campaign. What is handed to the provider cannot be taken back. */
export async function sendCampaign(ctx: Ctx, id: string): Changed {
  const guards = await sendGuards(ctx, id, await storedCampaign(ctx, id), CAMPAIGN_TRANSITIONS.send)
  const begin = set(id, { status: 'sending', started_at: sql`now()`, scheduled_at: null, error: null })
  return waking('campaign.send', plan([...guards, begin, due(id, null)], record(id)))
}

/** How far ahead a campaign can be scheduled. */
const FARTHEST = 366 * 86_400_000

export async function scheduleCampaign(ctx: Ctx, id: string, scheduled_at: string): Changed {
  const ahead = Date.parse(scheduled_at) - ctx.now.getTime()
  if (ahead <= 0 || ahead > FARTHEST) throw invalid([{ path: 'scheduled_at', message: 'must be in the future, at most a year ahead' }])
  const guards = await sendGuards(ctx, id, await storedCampaign(ctx, id), CAMPAIGN_TRANSITIONS.schedule)
  return plan([...guards, set(id, { status: 'scheduled', scheduled_at }), due(id, scheduled_at)], record(id))
}

const rest = (id: string): Statement => sql`update campaign_sends set due_at = null where campaign_id = ${id}`

export const unscheduleCampaign = (ctx: Ctx, id: string): Plan<EmailCampaignDetails> =>
  plan([...lockIn(ctx, id, CAMPAIGN_TRANSITIONS.unschedule), set(id, { status: 'draft', scheduled_at: null }), rest(id)], record(id))

/** Hands no further email to the provider. The background still learns the outcome of those that it was about to send. */
export const pauseCampaign = (ctx: Ctx, id: string): Plan<EmailCampaignDetails> =>
  plan([...lockIn(ctx, id, CAMPAIGN_TRANSITIONS.pause), set(id, { status: 'paused', error: null })], record(id))

export function resumeCampaign(ctx: Ctx, id: string): Plan<EmailCampaignDetails> {
  const again = sql`update campaign_sends set due_at = now(), failures = 0 where campaign_id = ${id}`
  const begin = set(id, { status: 'sending', error: null })
  return waking('campaign.send', plan([...lockIn(ctx, id, CAMPAIGN_TRANSITIONS.resume), begin, again], record(id)))
}

type Sample = { email: string; first_name: string | null; last_name: string | null; company_name: string | null }

/** Sends the campaign to one address through the send ledger. No recipient is added, and its unsubscribe link leads nowhere. */
export async function testCampaign(ctx: Ctx, id: string, { email, contact_id, variant }: CampaignTest) {
  const stored = await confirmedCampaign(ctx, id)
  // A test needs no audience, and nobody counts who opens it.
  const issues = preflight({ ...stored, segment_filter: stored.segment_filter ?? {}, tracked: { opens: true, clicks: true } })
  if (issues.length > 0) throw invalid(issues)
  if (variant === 'b' && !stored.ab_test)
    throw invalid([{ path: 'variant', message: 'The campaign has no second subject: set ab_test, or send a' }])
  const template = { ...stored, ...(variant === 'b' && { subject: stored.ab_test?.subject_b ?? null }) }
  const { subject, text, html } = renderFor(template, await sampleOf(ctx, email, contact_id), `${ctx.appUrl}/#unsubscribe`)
  const sender = { sender_email: stored.sender?.from_email, sender_name: stored.sender?.from_name, reply_to: stored.sender?.reply_to }
  const content = { subject: `[Test] ${subject}`, text, html, contact_id: null, recipient: email, ...sender }
  const message = sendMessage({ ...content, channel: 'email', purpose: 'request', dedupe_key: ctx.effectKey })
  if ('code' in message) throw new AppError(message.code, message.message)
  const sent = plainRows<{ message_id: string; recipient: string }>(
    sql`select id, recipient from messages where dedupe_key = ${ctx.effectKey}`,
    ['message_id', 'recipient'],
  )
  return waking(
    'messages.send',
    plan(
      [message.statement],
      mapResult(sent, (recipients) => ({ recipients })),
    ),
  )
}

async function sampleOf(ctx: Ctx, email: string, contact?: string): Promise<Sample> {
  const nobody = { email, first_name: null, last_name: null, company_name: null }
  if (contact === undefined) return nobody
  const found = plainRows<Sample>(
    sql`select coalesce(c.email, ${email}), c.first_name, c.last_name, (select o.name from companies o where o.id = c.customer_id)
      from contacts c
      where c.id = ${contact}`,
    ['email', 'first_name', 'last_name', 'company_name'],
  )
  const [sample] = await ctx.readConfirmed(found)
  if (!sample) throw invalid([{ path: 'contact_id', message: 'contact_id does not exist in this workspace' }])
  return sample
}
