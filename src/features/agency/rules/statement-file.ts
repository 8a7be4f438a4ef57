import { csvRecord } from '../../../domain/csv/write.ts'

/**
 * The columns of the file of a statement. The commission of a payment is the rounded share. That of a refund is the share of what was
 * refunded before it, less the share of what is refunded with it.
 */
export const STATEMENT_COLUMNS = [
  'month',
  'entry',
  'occurred_at',
  'line_id',
  'client_id',
  'client_name',
  'kind',
  'payment_id',
  'refund_id',
  'payment_amount',
  'plan_version',
  'month_index',
  'rate_percent',
  'share_of',
  'share_exact',
  'share_rounded',
  'less_share_of',
  'less_share_exact',
  'less_share_rounded',
  'commission',
]

/** What the month before has carried in, as the first row; nothing if that is nothing. */
export function carriedRow(month: string, cents: number): string {
  if (cents === 0) return ''
  const cells: Record<string, string> = { month, entry: 'carried_in', commission: (cents / 100).toFixed(2) }
  return csvRecord(STATEMENT_COLUMNS.map((name) => cells[name] ?? ''))
}
