import type { Statement } from './db.ts'
import type { Query } from './query.ts'

/**
 * What a request does, as a plan: statements (guards and changes, in order), then the select that answers. It runs as one
 * batch in one transaction: begin_request, the steps, the answer. Either all of it happens or nothing.
 */
export type Plan<Out> = { statements: Statement[]; result: Query<Out> }

export const plan = <Out>(statements: (Statement | undefined | false)[], result: Query<Out>): Plan<Out> => ({
  statements: statements.filter((step) => step !== undefined && step !== false),
  result,
})

/** A read: no steps. */
export const read = <Out>(result: Query<Out>): Plan<Out> => ({ statements: [], result })
