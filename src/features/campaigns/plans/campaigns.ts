import { eq, type SQL, sql } from 'drizzle-orm'
import { emailCampaigns } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import type { Statement } from '../../../data/db.ts'
import { db } from '../../../data/db.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { assert, constant, mapResult, oneOrThrow, plainRows, type Query } from '../../../data/query.ts'
import { columnsFor, insertRow, lockForUpdate, selectFrom, store, updateRows } from '../../../data/store.ts'
import { assertState } from '../../../data/transitions.ts'
import { type Issue, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { parseSender } from '../../email/rules/emails.ts'
import { TRACKING_SETTINGS, type Tracked, VARIANTS } from '../rules/ab-tests.ts'
import { preflight, type Sendable } from '../rules/content.ts'
import type { SegmentFilter } from '../rules/segment.ts'
import { RECIPIENT_STATUSES, SKIP_REASONS } from '../rules/states.ts'
import { type AbResult, type CampaignPatch, type CampaignStats, EmailCampaignDetails, type NewCampaign } from '../schemas/campaigns.ts'
import { assertNamed, readAudience } from './audience.ts'

export const WHAT = 'email campaign'
const zeros = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 0]))
export const NO_SKIPS = zeros(SKIP_REASONS)
const OUTCOMES = ['recipients', ...RECIPIENT_STATUSES, 'complained', 'unsubscribed']
const NO_STATS = JSON.stringify({ ...zeros(['audience', ...OUTCOMES]), skipped: NO_SKIPS })
const OF_VARIANTS = VARIANTS.flatMap((variant) => OUTCOMES.map((outcome) => `${variant}_${outcome}`))

/** The numbers of the recipients with one subject of a test. */
const countsOf = (variant: string) =>
  `jsonb_build_object(${OUTCOMES.map((outcome) => `'${outcome}', coalesce((s.counts -> '${variant}_${outcome}')::int, 0)`).join()})`

/** The numbers of recipients, which a trigger keeps, and the outcome of a test of two subjects. */
export const campaignFields = {
  stats: sql<CampaignStats>`${sql.raw(`('${NO_STATS}'::jsonb
      || coalesce((select s.counts - '{${OF_VARIANTS}}'::text[] || jsonb_build_object('audience',
    s.audience_size, 'skipped', '${JSON.stringify(NO_SKIPS)}'::jsonb || s.skipped) from campaign_sends s
      where s.campaign_id = email_campaigns.id), '{}'))`)}`.as('stats'),
  ab_result: sql<AbResult>`${sql.raw(`case
      when email_campaigns.ab_test is not null then (select jsonb_build_object('winner', s.winner, 'decide_at', iso(s.decide_at),
    'decided_at', iso(s.decided_at), ${VARIANTS.map((variant) => `'${variant}', ${countsOf(variant)}`).join()})
    from (values (1)) one left join campaign_sends s on s.campaign_id = email_campaigns.id) end`)}`.as('ab_result'),
}

const columns = columnsFor(emailCampaigns, EmailCampaignDetails, campaignFields)
const select = selectFrom<EmailCampaignDetails>(emailCampaigns, columns)
export const { record, get: getCampaign } = store<EmailCampaignDetails>(emailCampaigns, WHAT, select)

/** Creates a draft. What it lacks is needed only when it is sent. */
export async function createCampaign(ctx: Ctx, input: NewCampaign): Promise<Plan<EmailCampaignDetails>> {
  const id = newId()
  return plan([...(await segmentGuards(ctx, input.segment_filter)), insertRow(emailCampaigns, { ...input, id })], record(id))
}

/** The guards for a segment that is written: it can be read, and what it names exists. */
async function segmentGuards(ctx: Ctx, segment: SegmentFilter | null | undefined): Promise<Statement[]> {
  return segment ? [...(await readAudience(ctx, segment)).guards, ...assertNamed(segment)] : []
}

/** The states in which a campaign may be changed, and deleted. */
const CHANGEABLE = { draft: 'draft', scheduled: 'scheduled' }
const DELETABLE = { draft: 'draft', failed: 'failed' }

export const lockIn = (ctx: Ctx, id: string, from: Readonly<Record<string, string>>): Statement[] => [
  lockForUpdate(ctx, emailCampaigns, id, WHAT),
  assertState(emailCampaigns, 'status', id, from, 'The campaign'),
]

/** Changes a draft or a scheduled campaign. A scheduled one must stay one that can be sent. */
export async function updateCampaign(ctx: Ctx, id: string, patch: CampaignPatch): Promise<Plan<EmailCampaignDetails>> {
  const stored = await storedCampaign(ctx, id)
  const guards = [...lockIn(ctx, id, CHANGEABLE), unchanged(id, stored.version), ...(await segmentGuards(ctx, patch.segment_filter))]
  if (stored.status === 'scheduled') assertSendable({ ...stored, ...definedOnly(patch) } as Sendable)
  return plan([...guards, updateRows(emailCampaigns, patch, eq(emailCampaigns.id, id), { id })], record(id))
}

const definedOnly = (patch: object) => Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))

export const deleteCampaign = (ctx: Ctx, id: string): Plan<{ id: string; deleted: true }> =>
  plan(
    [...lockIn(ctx, id, DELETABLE), db.delete(emailCampaigns).where(eq(emailCampaigns.id, id))],
    constant({ id, deleted: true as const }),
  )

type Limits = Record<'max_per_minute' | 'max_per_hour' | 'max_per_domain', number | null>
/** Who sends a campaign: its email config, or the first one of the workspace. */
export type StoredSender = { from_email: string; from_name: string; reply_to: string }
export type StoredCampaign = Sendable &
  Limits & { config_id: string | null; sender: (StoredSender & { mail_domain: string }) | null } & {
    name: string
    status: string
    version: number
  }

const tracked = sql<Tracked>`(select jsonb_build_object(${sql.raw(
  Object.entries(TRACKING_SETTINGS)
    .map(([metric, setting]) => `'${metric}', t.${setting}`)
    .join(),
)}) from crm_settings t)`.as('tracked')

const senderWith = (mailDomain: string) =>
  sql<StoredCampaign['sender']>`campaign_sender(${emailCampaigns.config_id}) || jsonb_build_object('mail_domain', ${mailDomain}::text)`.as(
    'sender',
  )

/** Reads the campaign that a decision is about, which then asserts that it is `unchanged`. @throws NOT_FOUND */
export const storedCampaign = (ctx: Ctx, id: string) => ctx.read(campaignOf(ctx, id))
/** Reads the campaign for a copy or a test of it. @throws NOT_FOUND */
export const confirmedCampaign = (ctx: Ctx, id: string) => ctx.readConfirmed(campaignOf(ctx, id))

function campaignOf(ctx: Ctx, id: string): Query<StoredCampaign> {
  const { name, subject, body_html, segment_filter, config_id, status, version, max_per_minute, max_per_hour, max_per_domain, ab_test } =
    emailCampaigns
  const sender = senderWith(parseSender(ctx.deployment.mailer.from).domain)
  const limits = { max_per_minute, max_per_hour, max_per_domain }
  const found = db
    .select({ name, subject, body_html, segment_filter, config_id, sender, status, version, ...limits, ab_test, tracked })
    .from(emailCampaigns)
  return oneOrThrow(found.where(eq(emailCampaigns.id, id)), WHAT, id)
}

/** Asserts that the campaign is still as it was read. */
export const unchanged = (id: string, version: number): Statement =>
  assert(
    sql`(select version from email_campaigns where id = ${id}) = ${version}::int`,
    'CONFLICT',
    'The campaign was changed meanwhile: send the request again',
    { id },
  )

/** @throws VALIDATION_ERROR with everything that keeps the campaign from being sent. */
export function assertSendable(campaign: Sendable): void {
  const issues = preflight(campaign)
  if (issues.length > 0) throw invalid(issues)
}

/** The guards of a send: what is sent is complete, and its audience has somebody. */
export async function sendGuards(
  ctx: Ctx,
  id: string,
  stored: StoredCampaign,
  from: Readonly<Record<string, string>>,
): Promise<Statement[]> {
  // The state comes before the content. The guard refuses a wrong one, unless the request is a repeated one that has a response.
  if (!(stored.status in from)) return lockIn(ctx, id, from)
  assertSendable(stored)
  const { guards, somebody } = await audienceCheck(ctx, stored)
  const issues = { issues: [NOBODY] }
  const audience = assert(somebody, 'VALIDATION_ERROR', 'Some fields are not valid', issues)
  return [...lockIn(ctx, id, from), unchanged(id, stored.version), ...guards, audience]
}

const NOBODY: Issue = { path: 'segment_filter', message: 'matches no contact: change the audience' }

/**
 * The guards of the audience, and whether it has somebody. That is counted, because the planner would drop the order of an exists, and with
 * it the index.
 */
async function audienceCheck(ctx: Ctx, { segment_filter }: StoredCampaign): Promise<{ guards: Statement[]; somebody: SQL }> {
  const { guards, ids } = await readAudience(ctx, segment_filter as SegmentFilter)
  return { guards, somebody: sql`(select count(*) from (${ids(1)}) first) = 1` }
}

/** Lists what keeps a campaign from being sent: what a send would refuse. */
export async function checkCampaign(ctx: Ctx, id: string): Promise<Plan<{ ready: boolean; issues: Issue[] }>> {
  const stored = await storedCampaign(ctx, id)
  const issues = preflight(stored)
  if (issues.length > 0) return plan([], constant({ ready: false, issues }))
  const { guards, somebody } = await audienceCheck(ctx, stored)
  const counted = plainRows<{ somebody: boolean }>(sql`select ${somebody}`, ['somebody'])
  return plan(
    guards,
    mapResult(counted, ([row]) => (row?.somebody ? { ready: true, issues } : { ready: false, issues: [NOBODY] })),
  )
}

/** Adds a draft with the same content and audience. */
export async function duplicateCampaign(ctx: Ctx, id: string, name: string): Promise<Plan<EmailCampaignDetails>> {
  const { subject, body_html, segment_filter, config_id, max_per_minute, max_per_hour, max_per_domain, ab_test } = await confirmedCampaign(
    ctx,
    id,
  )
  const limits = { max_per_minute, max_per_hour, max_per_domain }
  return createCampaign(ctx, { name, subject, body_html, segment_filter, config_id, ...limits, ab_test } as NewCampaign)
}
