import { sql } from 'drizzle-orm'
import type { Ctx } from '../context.ts'
import { compile, type Statement } from './db.ts'
import { asJson, decodeResult, type Query, withKeptPlan } from './query.ts'

/**
 * What a plan assumes: the guards that check it before the statements, the queries whose results it takes for granted, in their order, and
 * the rows that were found for refuted assumptions of earlier plans of the request.
 */
export type Assumptions = { guards: Statement[]; queries: Query<unknown>[]; found: ReadonlyMap<string, unknown[][]> }

export const noAssumptions = (): Assumptions => ({ guards: [], queries: [], found: new Map() })

/** Those of the next plan, after the database has refuted one and returned its rows (see refute_assumption). */
export function afterRefuted({ queries, found }: Assumptions, detail: string): Assumptions {
  const { index, rows } = JSON.parse(detail) as { index: number; rows: unknown[][] }
  return { ...noAssumptions(), found: new Map([...found, [nameOf(queries.slice(0, index + 1)), rows]]) }
}

/**
 * Names the last of these queries by its text and by how many before it have the same text. What is found decides which assumptions follow,
 * so that their number alone says nothing.
 */
function nameOf(queries: Query<unknown>[]): string {
  const texts = queries.map((query) => compile(asJson(query)).sql)
  const last = texts.at(-1) as string
  return `${texts.filter((text) => text === last).length} ${last}`
}

/** How a plan assumes values and confirms what it has read. `readRows` reads the rows of a query in a round trip of its own. */
export function assuming(
  { guards, queries, found }: Assumptions,
  readRows: (query: Query<unknown>) => Promise<unknown[][]>,
): Pick<Ctx, 'assume' | 'readConfirmed'> {
  const ask = (query: Query<unknown>) => {
    const index = queries.push(query) - 1
    return { index, known: found.size > 0 ? found.get(nameOf(queries)) : undefined }
  }
  const isStill = (query: Query<unknown>, known: unknown[][]) => sql`${asJson(query)}::jsonb = ${JSON.stringify(known)}::jsonb`
  /** The request is planned again with the rows of the query, unless the condition holds. */
  const require = (index: number, query: Query<unknown>, condition: Statement) => {
    const refuted = sql`refute_assumption(${index}::int, ${asJson(query)}::jsonb)::text`
    guards.push(sql`select ${withKeptPlan(query, sql`case when not (${condition.getSQL()}) then ${refuted} end`)}`)
  }
  return {
    assume: async (query, likely, holds) => {
      const { index, known } = ask(query)
      const value = known ? decodeResult(query, known) : likely
      require(index, query, typeof holds === 'function' ? await holds(value) : known ? isStill(query, known) : holds)
      return value
    },
    readConfirmed: async (query) => {
      const { index, known: found } = ask(query)
      const known = found ?? (await readRows(query))
      require(index, query, isStill(query, known))
      return decodeResult(query, known)
    },
  }
}
