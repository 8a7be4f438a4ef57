import { sql } from 'drizzle-orm'
import type { WorkSet } from '../../../../queues/work/set.ts'
import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import type { StoredList } from '../../../domain/filters/lists.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { AppError, STATUS_OF } from '../../../errors.ts'
import { enqueueAll } from '../../../wake.ts'
import { reasonOf } from '../../lists/plans/tracking.ts'
import { MAX_LIST_DEPTH, MAX_NAMED_LISTS } from '../../lists/rules/lists.ts'
import { audienceOf } from '../plans/audience.ts'
import { type Batch, handOver, lookUp } from '../plans/hand-over.ts'
import { type Claimed, type LookedUp, reconciled, type Settled, settled } from '../plans/outcomes.ts'
import { type AbMetric, type Variant, winnerOf } from '../rules/ab-tests.ts'
import { MAX_BATCH_BYTES, MAX_CAMPAIGN_BATCH, MAX_CAMPAIGN_FAILURES } from '../rules/limits.ts'
import type { SegmentFilter } from '../rules/segment.ts'

/** Steps per message, after which another message continues, so that the campaigns of all workspaces take turns. */
const MAX_STEPS = 4
/** How long nobody else sends a claimed batch, in seconds. A call takes 30 at most. */
const LEASE = 300
/** The campaigns of a workspace that a message without one wakes. */
const MAX_WOKEN = 20

type Step =
  | { step: 'resolve'; last_id: string | null; started_at: string; timezone: string; segment_filter: SegmentFilter; lists: StoredList[] }
  | ({ step: 'send'; recipients: Claimed[] } & Batch)
  | { step: 'look_up'; batch_id: string; recipients: LookedUp[] }
  | { step: 'decide'; by: AbMetric; counts: Record<string, number> }
  | { step: 'again' }
type Campaign = { env: Env; workspaceId: string; campaignId: string }

/** Campaigns that are sent. A message without an item wakes those of a workspace. */
export const campaignSends: WorkSet = {
  name: 'campaign.send',
  queue: 'CAMPAIGNS',
  due: [{ table: 'campaign_sends', due: 'due_at', where: 't.due_at <= now()', item: 'campaign_id' }],
  run: (env, workspaceId, campaignId) => (campaignId ? sendCampaign({ env, workspaceId, campaignId }) : wakeCampaigns(env, workspaceId)),
}

/** Works on a campaign that is due. Each recipient is claimed by one worker. */
async function sendCampaign(campaign: Campaign): Promise<boolean> {
  const { env, workspaceId, campaignId } = campaign
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const [next] = (await batch(jobsDatabaseOf(env), [
      call('next_campaign_step', workspaceId, campaignId, MAX_CAMPAIGN_BATCH, MAX_BATCH_BYTES, LEASE, MAX_LIST_DEPTH, MAX_NAMED_LISTS),
    ])) as [Step | null]
    if (!next) return false
    await take(campaign, next)
  }
  return true
}

async function wakeCampaigns(env: Env, workspaceId: string): Promise<void> {
  const [due] = (await batch(jobsDatabaseOf(env), [
    sql`select coalesce(json_agg(c.id), '[]') from waiting_campaigns(${MAX_WOKEN}::int, 1000, ${workspaceId}::uuid) c`,
  ])) as [string[]]
  await enqueueAll(
    env,
    'campaign.send',
    due.map((itemId) => ({ workspaceId, itemId })),
  )
}

async function take(campaign: Campaign, next: Step): Promise<void> {
  if (next.step === 'resolve') await addPart(campaign, next)
  else if (next.step === 'send') await settle(campaign, next.batch_id, settled(next.recipients, await handOver(campaign, next)))
  else if (next.step === 'look_up')
    await settle(campaign, next.batch_id, reconciled(next.recipients, await lookUp(campaign.env, next.batch_id), new Date()))
  else if (next.step === 'decide') await decide(campaign, winnerOf(next.by, next.counts))
}

const decide = ({ env, workspaceId, campaignId }: Campaign, winner: Variant) =>
  batch(jobsDatabaseOf(env), [call('decide_ab_test', workspaceId, campaignId, winner)])

/**
 * Adds the recipients of the next part of the audience: a transaction that also moves the send on. An audience that cannot be read ends the
 * send.
 */
async function addPart({ env, workspaceId, campaignId }: Campaign, next: Extract<Step, { step: 'resolve' }>): Promise<void> {
  const { segment_filter, last_id, started_at, timezone, lists } = next
  try {
    const audience = audienceOf(segment_filter, { now: new Date(started_at), zone: timezone }, lists)
    const { walked, found, next: end } = audience.part(last_id)
    await batch(jobsDatabaseOf(env), [
      call('lock_campaign_send', workspaceId, campaignId, last_id),
      ...audience.guards,
      sql`with walked as materialized (${walked}), found as materialized (${found})
        select add_recipients(${campaignId}::uuid, array(select id from found), ${end})`,
    ])
  } catch (error) {
    // Another worker has moved on with it, or it was paused.
    if (error instanceof AppError && error.code === 'CONFLICT') return
    if (!(error instanceof AppError) || STATUS_OF[error.code] >= 500) throw error
    const fail = call('fail_campaign', workspaceId, campaignId, error.code, reasonOf(error))
    await batch(jobsDatabaseOf(env), [fail])
  }
}

const settle = ({ env, workspaceId, campaignId }: Campaign, batchId: string, { outcomes, refused, wait }: Settled) =>
  batch(jobsDatabaseOf(env), [
    call('settle_campaign_batch', workspaceId, campaignId, batchId, JSON.stringify(outcomes), refused, wait, MAX_CAMPAIGN_FAILURES),
  ])
