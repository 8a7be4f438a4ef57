import type { Wake } from '../wake.ts'
import type { Statement } from './db.ts'
import type { Query } from './query.ts'

/**
 * The plan of a request: statements (guards and changes, in order), then the select that returns the result. It runs as one batch in one
 * transaction: begin_request, the statements, the result. Either everything happens or nothing.
 */
export type Plan<Out> = { statements: Statement[]; result: Query<Out>; outside?: Outside; afterwards?: Afterwards; wakes?: Wake | WakeFor }

/** The wake-up that a result needs, where some need none. */
// biome-ignore lint/suspicious/noExplicitAny: wakingFor joins the parts
export type WakeFor = (result: any) => Wake | undefined
export const wakingFor = <Out>(wakes: (result: Out) => Wake | undefined, planned: Plan<Out>): Plan<Out> => ({ ...planned, wakes })
export const waking = <Out>(wakes: Wake, planned: Plan<Out>): Plan<Out> => ({ ...planned, wakes })

/**
 * What a read does with its result when the transaction has ended: it may wait for what is not there yet, and read again (ctx.read), each
 * time with the authority that the caller has at that time.
 */
// biome-ignore lint/suspicious/noExplicitAny: afterRead joins the parts
export type Afterwards = (found: any) => Promise<unknown>

export const afterRead = <Found, Out>(first: Plan<Found>, afterwards: (found: Found) => Promise<Out>): Plan<Out> =>
  ({ ...first, afterwards }) as Plan<unknown> as Plan<Out>

/**
 * An effect outside the database. The plan's own transaction reserves it: a row with a unique key. Only after its commit, and so never in a
 * dry run or before an approval, `call` is made with the plan's result; then a second transaction notes its outcome. A repeated request
 * does not call again but returns `result` as it is by then. A row that stays reserved had an unclear outcome: it is reconciled, not
 * repeated.
 */
export type Outside = {
  // biome-ignore lint/suspicious/noExplicitAny: withOutside joins the parts
  call: (reserved: any) => Promise<unknown>
  // biome-ignore lint/suspicious/noExplicitAny: withOutside joins the parts
  settle: (reserved: any, called: any) => Statement[]
  // biome-ignore lint/suspicious/noExplicitAny: withOutside joins the parts
  result: (reserved: any) => Query<unknown>
  /** What a dry run returns of what it has reserved; without it, all of that. */
  // biome-ignore lint/suspicious/noExplicitAny: withOutside joins the parts
  preview?: ((reserved: any) => unknown) | undefined
  /** The error that the caller receives when the outcome could not be recorded. */
  // biome-ignore lint/suspicious/noExplicitAny: withOutside joins the parts
  unrecorded?: ((reserved: any, called: any, error: unknown) => unknown) | undefined
}
export type Called<Result> = { ok: true; value: Result } | { ok: false; error: unknown }

export const withOutside = <Reserved, Result, Out>(
  reserve: Plan<Reserved>,
  outside: {
    call: (reserved: Reserved) => Promise<Result>
    settle: (reserved: Reserved, called: Called<Result>) => Statement[]
    result: (reserved: Reserved) => Query<Out>
    preview?: (reserved: Reserved) => Out
    unrecorded?: (reserved: Reserved, called: Called<Result>, error: unknown) => unknown
  },
): Plan<Out> => ({ ...reserve, outside }) as Plan<unknown> as Plan<Out>

export const plan = <Out>(statements: (Statement | undefined | false)[], result: Query<Out>): Plan<Out> => ({
  statements: [...statements.filter((step) => step !== undefined && step !== false), ...(result.before ?? [])],
  result,
})

/** A plan that only reads. */
export const read = <Out>(result: Query<Out>): Plan<Out> => plan([], result)
