import type { PaymentKind } from './agency.ts'
import { monthAfter, monthsBetween } from './months.ts'

/** A version of somebody's plan, from a month on. Percentages have two decimals. */
export type PlanVersion = {
  number: number
  from_month: string
  one_off_percent: number
  first_months: number
  first_months_percent: number
  ongoing_percent: number
  /** Null for ever. */
  ongoing_months: number | null
}

/** A payment, or a refund of one, in cents. */
export type Cause = {
  id: string
  /** The month in which it happened, by its first day. */
  month: string
  payment_id: string
  refund_id: string | null
  kind: PaymentKind
  client_id: string
  client_name: string | null
  brought_in_by: string | null
  occurred_at: string
  payment_month: string
  payment_cents: number
  /** What was refunded of the payment before this cause, and after it. */
  refunded_before_cents: number
  refunded_cents: number
  /** How many months the client had paid a subscription for, with the payment's. */
  month_index: number | null
  /** The line of the refunded payment, if it has one. */
  line: Terms | null
}

/** What the commission of a payment follows from. `rate` is in hundredths of a percent. */
export type Terms = { rate: number; plan_number: number | null; month_index: number | null }

/** Who gets a commission: the agency with its percentage, or somebody with a plan. */
export type Payee = {
  id: string
  from_month: string
  last_month: string | null
  carried_cents: number
  percent: number | null
  plans: PlanVersion[]
  causes: Cause[]
}

export type Line = Cause & Terms & { statement_month: string; commission_cents: number }
export type Sums = {
  line_count: number
  lines_cents: number
  carried_in_cents: number
  payable_cents: number
  carried_out_cents: number
}
export type Statement = Sums & { month: string }

const hundredths = (percent: number) => Math.round(percent * 100)

/** The share of an amount that is not negative, rounded half up to a cent. */
export const shareOf = (cents: number, rate: number): number => Number((BigInt(cents) * BigInt(rate) + 5_000n) / 10_000n)

/** The plan of a month: the latest version that begins with it or before. */
export const planOf = (plans: PlanVersion[], month: string): PlanVersion | undefined =>
  plans.findLast(({ from_month }) => from_month <= month)

/** The rate of a plan for a payment. */
export function rateOf(plan: PlanVersion, kind: PaymentKind, monthIndex: number | null): number {
  if (kind !== 'subscription') return hundredths(plan.one_off_percent)
  const index = monthIndex ?? 1
  if (index <= plan.first_months) return hundredths(plan.first_months_percent)
  const isOver = plan.ongoing_months !== null && index > plan.first_months + plan.ongoing_months
  return isOver ? 0 : hundredths(plan.ongoing_percent)
}

/** A refund has the terms of its payment, as they were when that got its line. */
function termsOf(payee: Payee, cause: Cause): Terms | undefined {
  if (cause.refund_id && cause.line) return cause.line
  if (payee.percent !== null) return { rate: hundredths(payee.percent), plan_number: null, month_index: cause.month_index }
  const plan = planOf(payee.plans, cause.payment_month)
  return plan && { rate: rateOf(plan, cause.kind, cause.month_index), plan_number: plan.number, month_index: cause.month_index }
}

/**
 * What a cause changes: the whole share of a payment, or how much more of it is taken back, so that no cent is left when all is refunded.
 */
export function commissionOf(cause: Pick<Cause, 'refund_id' | 'payment_cents' | 'refunded_before_cents' | 'refunded_cents'>, rate: number) {
  if (!cause.refund_id) return shareOf(cause.payment_cents, rate)
  return shareOf(cause.refunded_before_cents, rate) - shareOf(cause.refunded_cents, rate)
}

/** The first month that has no statement yet. */
const firstOpen = ({ last_month, from_month }: Payee): string => (last_month === null ? from_month : monthAfter(last_month, 1))

/** The lines of a payee's causes. One whose month has its statement already is in the next that has none. */
function linesOf(payee: Payee): Line[] {
  const open = firstOpen(payee)
  return payee.causes.flatMap((cause) => {
    const terms = termsOf(payee, cause)
    if (!terms) return []
    const month = cause.month > open ? cause.month : open
    return [{ ...cause, ...terms, statement_month: month, commission_cents: commissionOf(cause, terms.rate) }]
  })
}

/** The sums of a month. Refunds that exceed what is earned are carried into the next one. */
function sumsOf(lines: Line[], carried: number): Sums {
  const own = lines.reduce((sum, { commission_cents }) => sum + commission_cents, 0)
  const total = own + carried
  return {
    line_count: lines.length,
    lines_cents: own,
    carried_in_cents: carried,
    payable_cents: Math.max(total, 0),
    carried_out_cents: Math.min(total, 0),
  }
}

/** The statements of the months that have ended and have none yet, their lines, and what the present month has come to so far. */
export function settle(
  payee: Payee,
  present: string,
): { statements: Statement[]; lines: Line[]; running: Statement; runningLines: Line[] } {
  const byMonth = Map.groupBy(linesOf(payee), ({ statement_month }) => statement_month)
  const statements: Statement[] = []
  let carried = payee.carried_cents
  const sumsIn = (month: string) => ({ month, ...sumsOf(byMonth.get(month) ?? [], carried) })
  for (const month of monthsBetween(firstOpen(payee), present)) {
    const statement = sumsIn(month)
    statements.push(statement)
    carried = statement.carried_out_cents
  }
  const lines = statements.flatMap(({ month }) => byMonth.get(month) ?? [])
  return { statements, lines, running: sumsIn(present), runningLines: byMonth.get(present) ?? [] }
}
