import { and, eq, gt, sql } from 'drizzle-orm'
import { campaignClicks, campaignLinks, campaignRecipients, emailCampaigns } from '../../../../schema/index.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { plan } from '../../../data/plan.ts'
import { assertExists, columnsFor } from '../../../data/store.ts'
import { CampaignLink } from '../schemas/campaign-recipients.ts'
import { WHAT } from './campaigns.ts'

const columns = columnsFor(campaignLinks, CampaignLink)
const linksWith = (keys: Keys) => db.select({ ...columns, ...keys }).from(campaignLinks)

/**
 * Lists the links of a campaign that recipients have followed, the most followed first. Those whose recipients were all deleted are left
 * out: they come back with a contact who is restored.
 */
export function listLinks(campaign: string, query: PageQuery) {
  const result = page({
    select: linksWith,
    id: campaignLinks.id,
    where: [eq(campaignLinks.campaign_id, campaign), gt(campaignLinks.recipients, 0)],
    sorts: { recipients: campaignLinks.recipients },
    name: `campaign links ${campaign}`,
    query: { ...query, sort: '-recipients' },
  })
  return plan([assertExists(emailCampaigns, campaign, WHAT)], result)
}

const clicksWith = (keys: Keys) =>
  db
    .select({
      recipient_id: campaignClicks.recipient_id,
      contact_id: campaignRecipients.contact_id,
      email: campaignRecipients.email,
      clicked_at: campaignClicks.clicked_at,
      ...keys,
    })
    .from(campaignClicks)
    .innerJoin(
      campaignRecipients,
      and(eq(campaignRecipients.workspace_id, campaignClicks.workspace_id), eq(campaignRecipients.id, campaignClicks.recipient_id)),
    )

/** Lists who followed a link, the latest first. */
export function listClicks(campaign: string, link: string, query: PageQuery) {
  const isOfCampaign = sql`exists (select from ${campaignLinks}
    where ${and(eq(campaignLinks.id, link), eq(campaignLinks.campaign_id, campaign))})`
  const result = page({
    select: clicksWith,
    id: campaignClicks.id,
    where: [eq(campaignClicks.link_id, link)],
    sorts: { created_at: campaignClicks.created_at },
    name: `campaign clicks ${link}`,
    query,
  })
  return plan([call('assert_exists', isOfCampaign, 'link', link)], result)
}
