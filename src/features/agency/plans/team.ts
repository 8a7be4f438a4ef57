import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import { AppError, invalid } from '../../../errors.ts'
import { scopesOf } from '../rules/access.ts'
import { MAX_PLANS } from '../rules/agency.ts'
import type { PlanVersion } from '../rules/commission.ts'
import { monthIn } from '../rules/months.ts'
import { changedPlan } from '../rules/plan-change.ts'
import { monthText, planOut, unitsOf } from '../rules/shown.ts'
import type { CommissionPlan, PayoutPatch, PayoutState, PlanPatch } from '../schemas/commission.ts'
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

/** Adds a version of a member's plan that counts from this month on. The first one counts since the member has joined. */
export async function changePlan(ctx: Ctx, userId: string, patch: PlanPatch): Promise<Plan<CommissionPlan>> {
  const facts = await ctx.read(factsOf(userId))
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
  return plan(
    [assertAgency(), close, sql`select add_commission_plan(${scopesOf('team')}::jsonb, ${row}::jsonb, ${MAX_PLANS}::int)`],
    mapResult(
      plainRows<{ plan: PlanVersion }>(
        sql`select to_jsonb(c) from commission_plans c where c.user_id = ${userId}::uuid and c.number = ${number}::int`,
        ['plan'],
      ),
      (rows) => planOut(userId, rows[0]?.plan as PlanVersion),
    ),
  )
}

type Marked = {
  payee_id: string
  month: string
  payable_cents: number
  is_paid: boolean
  payment_reference: string | null
  paid_at: string
}

/** Notes that a payout was paid, or that it was not after all. */
export function markPayout(id: string, { paid, payment_reference = null }: PayoutPatch): Plan<PayoutState> {
  const marked = sql`select to_jsonb(s) || jsonb_build_object('is_paid', o.is_paid, 'payment_reference', o.payment_reference,
      'paid_at', iso(o.created_at)) from commission_statements s join commission_payouts o on o.statement_id = s.id
    where s.id = ${id}::uuid order by o.number desc limit 1`
  return plan(
    [assertAgency(), sql`select mark_payout(${scopesOf('team')}::jsonb, ${id}::uuid, ${paid}::boolean, ${payment_reference}::text)`],
    mapResult(plainRows<{ marked: Marked }>(marked, ['marked']), (rows) => {
      const row = rows[0]?.marked as Marked
      return {
        payout_id: id,
        user_id: row.payee_id,
        month: monthText(row.month),
        payable: unitsOf(row.payable_cents),
        status: row.is_paid ? ('paid' as const) : ('owed' as const),
        payment_reference: row.payment_reference,
        paid_at: row.is_paid ? row.paid_at : null,
      }
    }),
  )
}
