import { eq, sql } from 'drizzle-orm'
import { campaignRecipients, emailCampaigns, unsubscribes } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { type Keys, page } from '../../../data/page.ts'
import { plan, read } from '../../../data/plan.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import { assertExists, columnsFor } from '../../../data/store.ts'
import { invalid } from '../../../errors.ts'
import { MAX_AUDIENCE_COUNTED, MAX_AUDIENCE_SAMPLE } from '../rules/limits.ts'
import type { SkipReason } from '../rules/states.ts'
import { CampaignRecipient, type RecipientQuery, Unsubscribe, type UnsubscribeQuery } from '../schemas/campaign-recipients.ts'
import { readAudience } from './audience.ts'
import { NO_SKIPS, storedCampaign, WHAT } from './campaigns.ts'

type Contact = { id: string; first_name: string; last_name: string | null; email: string | null; skip_reason: SkipReason | null }
type Counted = { total: number; counts: Record<string, number>; sample: Contact[] }

/** Previews whom a campaign would be sent to now, and who would be left out and why. */
export async function previewCampaignAudience(ctx: Ctx, id: string) {
  const { segment_filter } = await storedCampaign(ctx, id)
  if (!segment_filter) throw invalid([{ path: 'segment_filter', message: 'The campaign has no audience yet: set segment_filter' }])
  const { guards, ids } = await readAudience(ctx, segment_filter)
  const judged = sql`select f.id, c.first_name, c.last_name, c.email, coalesce(r.reason,
      case when row_number() over (partition by c.email, r.reason order by f.id) > 1 then 'duplicate_address' end) as skip_reason
    from found f join contacts c on c.id = f.id left join suppressions s on s.channel = 'email' and s.address = c.email
      cross join lateral campaign_skip_reason(c.archived, c.email, c.email_unsubscribed, s.reason) r(reason)`
  const query = sql`with found as materialized (${ids(MAX_AUDIENCE_COUNTED + 1)}), judged as materialized (${judged})
    select (select count(*) from found),
      (select coalesce(jsonb_object_agg(reason, n), '{}')
        from (select coalesce(skip_reason, 'recipients') as reason, count(*) as n from judged group by 1) g),
      (select coalesce(json_agg(j order by j.id), '[]') from (select * from judged order by id limit ${MAX_AUDIENCE_SAMPLE}::int) j)`
  const result = mapResult(plainRows<Counted>(query, ['total', 'counts', 'sample']), ([row]) => {
    const { total, counts, sample } = row as Counted
    const { recipients = 0, ...skipped } = counts
    return {
      total: Math.min(total, MAX_AUDIENCE_COUNTED),
      total_is_exact: total <= MAX_AUDIENCE_COUNTED,
      recipients,
      skipped: { ...NO_SKIPS, ...skipped },
      sample,
    }
  })
  return plan(guards, result)
}

const recipientColumns = columnsFor(campaignRecipients, CampaignRecipient)
const recipientsWith = (keys: Keys) => db.select({ ...recipientColumns, ...keys }).from(campaignRecipients)

/** The text after every one that begins with `prefix`, in the order of code points. */
const after = (prefix: string) => `${prefix}\u{10ffff}`

/** Lists the recipients of a campaign. A search is a range of addresses, which an index finds. */
export function listRecipients(id: string, { search, status, variant, ...query }: RecipientQuery) {
  const { campaign_id, email } = campaignRecipients
  const result = page({
    select: recipientsWith,
    id: campaignRecipients.id,
    where: [
      eq(campaign_id, id),
      status && eq(campaignRecipients.status, status),
      variant && eq(campaignRecipients.variant, variant),
      search === undefined ? undefined : sql`${email} >= ${search} and ${email} < ${after(search)}`,
    ],
    sorts: { created_at: campaignRecipients.created_at, email },
    name: `recipients ${id} ${search ?? ''} ${status ?? ''} ${variant ?? ''}`,
    query: { ...query, sort: search === undefined ? 'created_at' : 'email' },
  })
  return plan([assertExists(emailCampaigns, id, WHAT)], result)
}

const unsubscribeColumns = columnsFor(unsubscribes, Unsubscribe)
const unsubscribesWith = (keys: Keys) => db.select({ ...unsubscribeColumns, ...keys }).from(unsubscribes)

/** Lists who unsubscribed, the latest first. */
export function listUnsubscribes({ campaign_id, reason, ...query }: UnsubscribeQuery) {
  return read(
    page({
      select: unsubscribesWith,
      id: unsubscribes.id,
      where: [campaign_id && eq(unsubscribes.campaign_id, campaign_id), reason && eq(unsubscribes.reason, reason)].map(
        (one) => one || undefined,
      ),
      sorts: { created_at: unsubscribes.created_at },
      name: `unsubscribes ${campaign_id ?? ''} ${reason ?? ''}`,
      query,
    }),
  )
}
