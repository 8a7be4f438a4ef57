import { noAssumptions } from '../data/assumptions.ts'
import { batch, type Database } from '../data/batch.ts'
import { decodeResult } from '../data/query.ts'
import { type Actor, type Outcome, planOf, wakeOf } from './execute.ts'
import { assertions, ends, finish, opening, options, type Request } from './transaction.ts'

type Ended = { rows: unknown[][]; delivers: boolean }

/**
 * Executes writes of the background as one transaction, each with its own caller, cause, result and log entry. An outcome is undefined
 * where a request is to be executed by itself: it cannot be planned, or calls something outside. If one of the others has another outcome
 * than success, nothing has happened, and all are undefined.
 */
export async function executeTogether(database: Database, requests: Request[]): Promise<(Outcome | undefined)[]> {
  const planned = await Promise.all(requests.map((request) => statementsOf(database, request).catch(() => undefined)))
  const ready = planned.filter((one) => one !== undefined)
  const statements = ready.flatMap((one) => one.statements)
  const results = ready.length > 1 ? await batch(database, statements).catch(() => undefined) : undefined
  const answers = results?.values()
  return planned.map((one) => {
    if (!answers || !one) return undefined
    const own = one.statements.map(() => answers.next().value)
    const { rows, delivers } = own.at(-1) as Ended
    const value = decodeResult(one.plan.result, rows)
    return { kind: 'done', value, actor: own[0] as Actor, delivers, wakes: wakeOf(one.plan, value) }
  })
}

async function statementsOf(database: Database, request: Request) {
  const assumptions = noAssumptions()
  const plan = await planOf(database, request, assumptions)
  const statements = [
    ...opening(request, options(request)),
    ...assumptions.guards,
    ...plan.statements,
    ...assertions(request),
    finish(request, plan.result),
  ]
  return plan.outside || !ends(request) ? undefined : { plan, statements }
}
