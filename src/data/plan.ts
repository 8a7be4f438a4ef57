import type { Statement } from './db.ts'
import type { Query } from './query.ts'

/**
 * The plan of a request: statements (guards and changes, in order), then the select that returns the result. It runs as one batch in one
 * transaction: begin_request, the statements, the result. Either everything happens or nothing.
 */
export type Plan<Out> = { statements: Statement[]; result: Query<Out> }

export const plan = <Out>(statements: (Statement | undefined | false)[], result: Query<Out>): Plan<Out> => ({
  statements: statements.filter((step) => step !== undefined && step !== false),
  result,
})

/** A plan without statements. */
export const read = <Out>(result: Query<Out>): Plan<Out> => ({ statements: [], result })
