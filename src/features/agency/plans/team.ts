import { desc, eq, sql } from 'drizzle-orm'
import { commissionPlans, commissionStatements } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { mapResult, oneOrThrow, plainRows } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { AppError, invalid } from '../../../errors.ts'
import { scopesOf } from '../rules/access.ts'
import { MAX_PLANS } from '../rules/agency.ts'
import type { PlanVersion } from '../rules/commission.ts'
import { monthIn } from '../rules/months.ts'
import { changedPlan } from '../rules/plan-change.ts'
import { CommissionPlan, type PayoutPatch, type PayoutState, type PlanPatch } from '../schemas/commission.ts'
import { assertAgency, closeMonths } from './settling.ts'

type Facts = { joined_at: string; latest: PlanVersion | null }

const factsOf = (userId: string) =>
  mapResult(
    plainRows<{ facts: Facts | null }>(
      sql`select (select jsonb_build_object('joined_at', iso(coalesce(m.joined_at, m.created_at)), 'latest', (select to_jsonb(c)
        from commission_plans c where c.user_id = m.user_id order by c.number desc limit 1))
        from memberships m where m.user_id = ${userId}::uuid and m.status = 'active')`,
      ['facts'],
    ),
    ([row]) => row?.facts,
  )

/**
 * Adds a version of a member's plan that counts from this month on, unless it is the plan that there is. The first one counts since the
 * member has joined.
 */
export async function changePlan(ctx: Ctx, userId: string, patch: PlanPatch): Promise<Plan<CommissionPlan>> {
  const facts = await ctx.readConfirmed(factsOf(userId))
  if (!facts) throw new AppError('NOT_FOUND', 'No such member in this workspace')
  const zone = await ctx.zone()
  const month = monthIn(zone, ctx.now)
  const { latest } = facts
  const changed = changedPlan(latest, patch)
  if ('issues' in changed) throw invalid(changed.issues)
  const joined = monthIn(zone, new Date(facts.joined_at))
  const number = (latest?.number ?? 0) + 1
  const version: PlanVersion = { ...changed.plan, number, from_month: latest ? month : joined }
  const row = JSON.stringify({ ...version, user_id: userId })
  const close = await closeMonths(ctx, month)
  return plan([assertAgency(), close, call('add_commission_plan', scopesOf('team'), row, MAX_PLANS)], latestPlan(userId))
}

const planColumns = columnsFor(commissionPlans, CommissionPlan, {
  version: sql<number>`number`.as('version'),
  from_month: sql<string>`to_char(from_month, 'YYYY-MM')`.as('from_month'),
  ongoing_forever: sql<boolean>`ongoing_months is null`.as('ongoing_forever'),
})
const latestPlan = (userId: string) =>
  oneOrThrow(
    db.select(planColumns).from(commissionPlans).where(eq(commissionPlans.user_id, userId)).orderBy(desc(commissionPlans.number)).limit(1),
    'plan',
  )

const lastPayout = sql`(select o from commission_payouts o where o.statement_id = commission_statements.id order by o.number desc limit 1)`
const payoutColumns = {
  payout_id: commissionStatements.id,
  user_id: commissionStatements.payee_id,
  month: sql<string>`to_char(month, 'YYYY-MM')`.as('month'),
  payable: sql<number>`payable_cents / 100.0`.as('payable'),
  status: sql<PayoutState['status']>`case when (${lastPayout}).is_paid then 'paid' else 'owed' end`.as('status'),
  payment_reference: sql<string | null>`(${lastPayout}).payment_reference`.as('payment_reference'),
  paid_at: sql<string | null>`(select iso(o.created_at) from (select (${lastPayout}).*) o where o.is_paid)`.as('paid_at'),
}

/** Notes that a payout was paid, or that it was not after all. */
export const markPayout = (id: string, { paid, payment_reference = null }: PayoutPatch): Plan<PayoutState> =>
  plan(
    [assertAgency(), call('mark_payout', scopesOf('team'), id, paid, payment_reference)],
    oneOrThrow(db.select(payoutColumns).from(commissionStatements).where(eq(commissionStatements.id, id)), 'payout', id),
  )
