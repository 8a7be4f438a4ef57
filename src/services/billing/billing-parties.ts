import { and, eq, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { billingParties, companies, opportunities } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { db, type Statement } from '../../data/db.ts'
import { type PageQuery, page } from '../../data/page.ts'
import { plan } from '../../data/plan.ts'
import { assertField, constant, oneOrThrow } from '../../data/query.ts'
import { assertExists, lockForUpdate } from '../../data/store.ts'
import { newId } from '../../lib/ids.ts'
import type { BillingPartyPatch, NewBillingParty } from '../../schemas/billing.ts'

/**
 * Billing parties are the companies that pay for an opportunity. A party is only a link: deleting it leaves the company and its invoices.
 */

const { customer_id, share_percent, note, created_at } = billingParties
const parties = <More extends object>(more: More) =>
  db
    .select({ customer_id, name: companies.name, email: companies.email, share_percent, note, created_at, ...more })
    .from(billingParties)
    .innerJoin(companies, and(eq(companies.workspace_id, billingParties.workspace_id), eq(companies.id, customer_id)))
const ofPair = (opportunityId: string, customerId: string) =>
  and(eq(billingParties.opportunity_id, opportunityId), eq(customer_id, customerId))
const party = (opportunityId: string, customerId: string) =>
  oneOrThrow(parties({}).where(ofPair(opportunityId, customerId)), 'billing party of this opportunity')

/** Locks the opportunity for every change of its billing parties, so that concurrent changes cannot exceed 100 percent together. */
const lockOpportunity = (ctx: Ctx, id: string) => lockForUpdate({ ...ctx, ifMatch: undefined }, opportunities, id, 'opportunity')
const lockParty = (ctx: Ctx, opportunityId: string, customerId: string): Statement =>
  sql`select assert_version((select version from billing_parties where opportunity_id = ${opportunityId} and customer_id = ${customerId} for update), ${ctx.ifMatch ?? null}::int, 'billing party of this opportunity')`
const atMost100Percent = (opportunityId: string): Statement =>
  assertField(
    sql`(select coalesce(sum(share_percent), 0) <= 100 from billing_parties where opportunity_id = ${opportunityId})`,
    'share_percent',
    'The shares of all billing parties must be at most 100 together',
  )

export function listBillingParties(opportunityId: string, query: PageQuery) {
  const result = page({
    select: parties,
    id: billingParties.id,
    where: [eq(billingParties.opportunity_id, opportunityId)],
    sorts: { id: billingParties.id },
    name: `billing parties ${opportunityId}`,
    query: { ...query, sort: 'id' },
  })
  return plan([assertExists(opportunities, opportunityId, 'opportunity')], result)
}

/** Links a company, or updates the share and note of a company that is already linked. */
export function addBillingParty(ctx: Ctx, opportunityId: string, { customer_id, ...values }: v.InferOutput<typeof NewBillingParty>) {
  const insert = db.insert(billingParties).values({ id: newId(), opportunity_id: opportunityId, customer_id, ...values })
  const again =
    Object.keys(values).length > 0
      ? insert.onConflictDoUpdate({
          target: [billingParties.workspace_id, billingParties.opportunity_id, billingParties.customer_id],
          set: values,
        })
      : insert.onConflictDoNothing()
  return plan([lockOpportunity(ctx, opportunityId), again, atMost100Percent(opportunityId)], party(opportunityId, customer_id))
}

export function updateBillingParty(ctx: Ctx, opportunityId: string, customerId: string, patch: v.InferOutput<typeof BillingPartyPatch>) {
  const changes = Object.keys(patch).length > 0
  return plan(
    [
      lockOpportunity(ctx, opportunityId),
      lockParty(ctx, opportunityId, customerId),
      changes && db.update(billingParties).set(patch).where(ofPair(opportunityId, customerId)),
      atMost100Percent(opportunityId),
    ],
    party(opportunityId, customerId),
  )
}

export function removeBillingParty(ctx: Ctx, opportunityId: string, customerId: string) {
  return plan(
    [
      lockOpportunity(ctx, opportunityId),
      lockParty(ctx, opportunityId, customerId),
      db.delete(billingParties).where(ofPair(opportunityId, customerId)),
    ],
    constant({ opportunity_id: opportunityId, customer_id: customerId, deleted: true as const }),
  )
}
