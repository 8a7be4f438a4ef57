import type { Answer } from './answer.ts'
import type { Statement } from './db.ts'

/**
 * What a request does, as a plan: statements (guards and changes, in order), then the select that answers. It runs as one
 * batch in one transaction: begin_request, the steps, the answer. Either all of it happens or nothing.
 */
export type Work<Out> = { steps: Statement[]; answer: Answer<Out> }

export const work = <Out>(steps: (Statement | undefined | false)[], answer: Answer<Out>): Work<Out> => ({
  steps: steps.filter((step) => step !== undefined && step !== false),
  answer,
})

/** A read: no steps. */
export const read = <Out>(answer: Answer<Out>): Work<Out> => ({ steps: [], answer })
