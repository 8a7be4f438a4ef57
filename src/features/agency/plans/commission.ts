import type { SQL } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import { AppError } from '../../../errors.ts'
import { scopesOf } from '../rules/access.ts'
import { LINES_SHOWN, STATEMENTS } from '../rules/agency.ts'
import { type Payee, type PlanVersion, planOf, type Sums, settle } from '../rules/commission.ts'
import { type AnyLine, lineOut, monthText, planOut, runningOut, sharesOf, sumsOut, unitsOf } from '../rules/shown.ts'
import type { AgencyCommission, CommissionLine, TeamCommission } from '../schemas/commission.ts'
import { assertAgency, closeMonths, presentMonth } from './settling.ts'

type Stored = Sums & { id: string; month: string; locked_at: string; lines: AnyLine[]; payout: Payout | null }
type Payout = { is_paid: boolean; payment_reference: string | null; at: string }
type Seen<Facts> = { scope: 'none' } | Facts
type AgencyFacts = { scope: 'agency' | 'mine'; currency: string; payee: Payee; statements: Stored[] }
type Member = { user_id: string; name: string | null; role: string; payee: Payee; statements: Stored[] }
type TeamFacts = { scope: 'agency' | 'self'; currency: string; members: Member[] }

const found = <Facts>(query: SQL) =>
  mapResult(plainRows<{ facts: Seen<Facts> }>(query, ['facts']), ([row]) => row?.facts ?? { scope: 'none' as const })

const refused = (message: string) => new AppError('FORBIDDEN', message)

/**
 * The commission of the agency. What is carried and payable is about all clients, so that somebody who sees some of them does not see it.
 */
export async function agencyCommission(ctx: Ctx): Promise<Plan<AgencyCommission>> {
  const month = await presentMonth(ctx)
  const close = await closeMonths(ctx, month)
  const query = call('agency_commission', scopesOf('agency'), STATEMENTS, LINES_SHOWN)
  const result = mapResult(found<AgencyFacts>(query), (seen): AgencyCommission => {
    if (seen.scope === 'none') throw refused('Only an owner and account managers see the commission of the agency')
    const { scope, currency, payee, statements } = seen
    const { running, runningLines } = settle(payee, month)
    const hidden = scope === 'mine' ? { carried_in: null, payable: null, carried_out: null } : {}
    return {
      scope,
      currency,
      running: Object.assign(runningOut(month, running, runningLines, LINES_SHOWN), hidden),
      statements: statements.map((stored) => ({
        id: stored.id,
        month: stored.month,
        line_count: stored.line_count,
        lines: stored.lines.map(lineOut),
        ...sumsOut(stored),
        ...hidden,
        locked_at: stored.locked_at,
      })),
    }
  })
  return plan([assertAgency(), close], result)
}

function statusOf({ payable_cents, carried_out_cents, payout }: Stored) {
  if (payout?.is_paid) return 'paid' as const
  if (payable_cents > 0) return 'owed' as const
  return carried_out_cents < 0 ? ('carried_forward' as const) : ('nothing_owed' as const)
}

const payoutOut = (stored: Stored) => ({
  payout_id: stored.id,
  month: stored.month,
  line_count: stored.line_count,
  lines: stored.lines.map(lineOut),
  ...sumsOut(stored),
  status: statusOf(stored),
  payment_reference: stored.payout?.is_paid ? stored.payout.payment_reference : null,
  paid_at: stored.payout?.is_paid ? stored.payout.at : null,
})

function memberOut({ user_id, name, role, payee, statements }: Member, month: string) {
  const { running, runningLines } = settle(payee, month)
  return {
    user_id,
    name,
    role,
    plan: planOut(user_id, planOf(payee.plans, month) as PlanVersion),
    running: runningOut(month, running, runningLines, LINES_SHOWN),
    payouts: statements.map(payoutOut),
  }
}

export async function teamCommission(ctx: Ctx): Promise<Plan<TeamCommission>> {
  const month = await presentMonth(ctx)
  const close = await closeMonths(ctx, month)
  const query = call('team_commission', scopesOf('team'), STATEMENTS, LINES_SHOWN)
  const result = mapResult(found<TeamFacts>(query), (seen): TeamCommission => {
    if (seen.scope === 'none') throw refused('Systems architects see no commission')
    return { scope: seen.scope, currency: seen.currency, members: seen.members.map((member) => memberOut(member, month)) }
  })
  return plan([assertAgency(), close], result)
}

type LineFacts = { payee_id: string; is_agency: boolean; line: AnyLine | null; payee: Payee | null }

/** A line with all that its amount follows from. */
export async function explainLine(ctx: Ctx, id: string): Promise<Plan<CommissionLine>> {
  const month = await presentMonth(ctx)
  const query = call('commission_line', id, scopesOf('agency'), scopesOf('team'))
  const result = mapResult(plainRows<{ facts: LineFacts | null }>(query, ['facts']), ([row]): CommissionLine => {
    const facts = row?.facts
    const line = facts?.line ?? (facts?.payee && lineIn(facts.payee, id, month))
    if (!facts || !line) throw new AppError('NOT_FOUND', 'No such line of a commission in this workspace')
    return {
      ...lineOut(line),
      payee: facts.is_agency ? 'agency' : 'member',
      user_id: facts.is_agency ? null : facts.payee_id,
      statement_month: monthText(line.statement_month),
      is_locked: facts.line !== null,
      payment_amount: unitsOf(line.payment_cents),
      shares: sharesOf(line),
    }
  })
  const { statements, result: answer } = read(result)
  return plan([assertAgency(), ...statements], answer)
}

function lineIn(payee: Payee, id: string, month: string): AnyLine | undefined {
  const { lines, runningLines } = settle(payee, month)
  return [...lines, ...runningLines].find((line) => line.id === id)
}
