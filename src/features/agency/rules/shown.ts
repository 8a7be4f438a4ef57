import { type Cause, type Line, type PlanVersion, type Sums, shareOf, type Terms } from './commission.ts'

export const unitsOf = (cents: number): number => cents / 100

/** A line as it is stored, or computed. */
export type AnyLine = Pick<
  Cause,
  | 'id'
  | 'client_id'
  | 'client_name'
  | 'payment_id'
  | 'refund_id'
  | 'kind'
  | 'occurred_at'
  | 'payment_cents'
  | 'refunded_before_cents'
  | 'refunded_cents'
> &
  Terms & { statement_month: string; commission_cents: number }

export const monthText = (month: string): string => month.slice(0, 7)

export const lineOut = (line: AnyLine) => ({
  id: line.id,
  client_id: line.client_id,
  client_name: line.client_name,
  payment_id: line.payment_id,
  refund_id: line.refund_id,
  kind: line.kind,
  occurred_at: line.occurred_at,
  amount: unitsOf(line.refund_id ? line.refunded_before_cents - line.refunded_cents : line.payment_cents),
  month_index: line.month_index,
  plan_version: line.plan_number,
  rate_percent: line.rate / 100,
  commission: unitsOf(line.commission_cents),
})

export const sumsOut = (sums: Sums) => ({
  commission: unitsOf(sums.lines_cents),
  carried_in: unitsOf(sums.carried_in_cents),
  payable: unitsOf(sums.payable_cents),
  carried_out: unitsOf(sums.carried_out_cents),
})

export const runningOut = (month: string, sums: Sums, lines: Line[], most: number) => ({
  month: monthText(month),
  line_count: sums.line_count,
  lines: lines.slice(0, most).map(lineOut),
  ...sumsOut(sums),
})

export const planOut = (userId: string, plan: PlanVersion) => ({
  user_id: userId,
  version: plan.number,
  from_month: monthText(plan.from_month),
  one_off_percent: plan.one_off_percent,
  first_months: plan.first_months,
  first_months_percent: plan.first_months_percent,
  ongoing_percent: plan.ongoing_percent,
  ongoing_months: plan.ongoing_months,
  ongoing_forever: plan.ongoing_months === null,
})

/** An amount of ten-thousandths of a cent, with six decimals. */
function exactly(cents: number, rate: number): string {
  const digits = (BigInt(cents) * BigInt(rate)).toString().padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}

const share = (sign: 1 | -1, cents: number, rate: number) => ({
  sign,
  amount: unitsOf(cents),
  exact: exactly(cents, rate),
  rounded: unitsOf(shareOf(cents, rate)),
})

/** What the commission of a line is the sum of: the share of a payment, or of what was refunded before and after a refund. */
export const sharesOf = ({ refund_id, payment_cents, refunded_before_cents, refunded_cents, rate }: AnyLine) =>
  refund_id ? [share(1, refunded_before_cents, rate), share(-1, refunded_cents, rate)] : [share(1, payment_cents, rate)]
