import { expect, test } from 'vitest'
import { type Cause, type Payee, settle } from '../../../src/features/agency/rules/commission.ts'
import { proving } from '../../proof.ts'
import { type History, historyOf, randomFrom, statementsOf } from './oracle.ts'

/** The histories of random agencies, whose commissions another program computes too. */
const AGENCIES = proving ? 1_000 : 100
const FIRST = '2024-01-01'
const monthAt = (n: number) => `${2024 + Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, '0')}-01`

/** What the database would say of a payee at a time: what was recorded by then and has no line yet. */
function causesOf({ events, clientMonths }: History, known: number, lined: Map<string, Cause['line']>): Cause[] {
  return events.slice(0, known).flatMap((event, at): Cause[] => {
    const id = `event ${at}`
    if (lined.has(id)) return []
    const payment = events[event.payment] as History['events'][number]
    const isSubscription = payment.kind === 'subscription'
    const index = [...(clientMonths(payment.client, known) as Set<number>)].filter((month) => month <= payment.month).length
    return [
      {
        id,
        month: monthAt(event.month),
        payment_id: `event ${event.payment}`,
        refund_id: event.payment === at ? null : id,
        kind: payment.kind,
        client_id: `client ${payment.client}`,
        client_name: null,
        brought_in_by: null,
        occurred_at: '',
        payment_month: monthAt(payment.month),
        payment_cents: payment.cents,
        month_index: isSubscription ? index : null,
        refunded_before_cents: event.refundedBefore,
        refunded_cents: event.refunded,
        line: event.payment === at ? null : (lined.get(`event ${event.payment}`) ?? null),
      },
    ]
  })
}

test('statements of random agencies are those that another program computes, and every cent is payable or carried', () => {
  const random = randomFrom(20_260_101)
  for (let n = 0; n < AGENCIES; n++) {
    const history = historyOf(random)
    const lined = new Map<string, Cause['line']>()
    const stored: { month: string; lines_cents: number; payable_cents: number; carried_out_cents: number }[] = []
    const amounts: number[] = []
    // Requests close the months at random times, and what is recorded meanwhile is in no order.
    for (const { month, known } of history.closings) {
      const last = stored.at(-1)
      const payee: Payee = {
        id: 'payee',
        from_month: FIRST,
        last_month: last?.month ?? null,
        carried_cents: last?.carried_out_cents ?? 0,
        percent: null,
        plans: history.plans
          .filter(({ at }) => at <= month)
          .map(({ at, ...plan }, i) => ({ ...plan, number: i + 1, from_month: monthAt(at) })),
        causes: causesOf(history, known, lined),
      }
      const { statements, lines } = settle(payee, monthAt(month))
      stored.push(...statements)
      for (const { id, rate, plan_number, month_index, commission_cents } of lines) {
        lined.set(id, { rate, plan_number, month_index })
        amounts.push(commission_cents)
      }
    }
    expect(
      stored.map(({ lines_cents, payable_cents, carried_out_cents }) => [lines_cents, payable_cents, carried_out_cents]),
      `agency ${n}`,
    ).toEqual(statementsOf(history))
    const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)
    expect(sum(stored.map(({ payable_cents }) => payable_cents)) + (stored.at(-1)?.carried_out_cents ?? 0)).toBe(sum(amounts))
  }
})
