import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import { type Payee, settle } from '../rules/commission.ts'
import { monthIn } from '../rules/months.ts'

export const assertAgency = (): Statement => call('assert_agency')

/** The present month in the agency's zone. */
export const presentMonth = async (ctx: Ctx): Promise<string> => monthIn(await ctx.zone(), ctx.now)

const factsOf = (month: string) =>
  mapResult(plainRows<{ facts: Payee[] }>(call('commission_facts', month), ['facts']), ([row]) => row?.facts ?? [])

/** What a statement stores of a payee: the database knows the rest of its lines. */
function lockedOf(payee: Payee, month: string) {
  const { statements, lines } = settle(payee, month)
  return {
    id: payee.id,
    statements,
    lines: lines.map(({ id, statement_month, month_index, plan_number, rate, commission_cents }) => ({
      id,
      statement_month,
      month_index,
      plan_number,
      rate,
      commission_cents,
    })),
  }
}

/**
 * The statement that closes the months which have ended, nothing if all are closed. Usually that costs nothing: a request that finds a
 * month open is planned again with its facts.
 */
export async function closeMonths(ctx: Ctx, month: string): Promise<Statement | undefined> {
  const payees = await ctx.assume<Payee[]>(factsOf(month), [], sql`not commission_is_due(${month}::date)`)
  if (payees.length === 0) return undefined
  return call('lock_commission', JSON.stringify(payees.map((payee) => lockedOf(payee, month))))
}
