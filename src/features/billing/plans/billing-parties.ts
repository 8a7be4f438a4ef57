import { and, eq, sql } from 'drizzle-orm'
import { companies, billingParties as parties } from '../../../../schema/index.ts'
import { childrenOf } from '../../../data/children.ts'
import { db, type Statement } from '../../../data/db.ts'
import { assertField } from '../../../data/query.ts'
import { OPPORTUNITY } from '../../opportunities/plans/parent.ts'

const { customer_id, share_percent, note, created_at } = parties

const atMost100Percent = (opportunityId: string): Statement =>
  assertField(
    sql`(select coalesce(sum(share_percent), 0) <= 100 from billing_parties where opportunity_id = ${opportunityId})`,
    'share_percent',
    'The shares of all billing parties must be at most 100 together',
  )

/**
 * Billing parties are the companies that pay for an opportunity. A party is only a link: deleting it leaves the company and its invoices.
 * Every change locks the opportunity, so that concurrent changes cannot exceed 100 percent together.
 */
export const billingParties = childrenOf({
  parent: OPPORTUNITY,
  what: 'billing party of this opportunity',
  table: parties,
  link: parties.opportunity_id,
  key: customer_id,
  unique: customer_id,
  select: (keys) =>
    db
      .select({ customer_id, name: companies.name, email: companies.email, share_percent, note, created_at, ...keys })
      .from(parties)
      .innerJoin(companies, and(eq(companies.workspace_id, parties.workspace_id), eq(companies.id, customer_id))),
  sort: 'id',
  lockParent: true,
  create: (_input: object, { parentId }) => ({ after: [atMost100Percent(parentId)] }),
  update: (_patch: object, { parentId }) => ({ after: [atMost100Percent(parentId)] }),
})
