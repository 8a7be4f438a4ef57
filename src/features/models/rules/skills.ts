export const SKILL_VISIBILITIES = ['private', 'public'] as const
export const SKILL_STATUSES = ['draft', 'active', 'disabled'] as const
export const RUN_STATUSES = ['running', 'completed', 'failed'] as const

/** The limits of a run. */
export const MAX_TOOLS = 20
export const MAX_STEPS = 20
export const DEFAULT_STEPS = 8
export const MAX_RUN_CREDITS = 1_000
export const DEFAULT_RUN_CREDITS = 50
/** Seconds after which no further step begins. */
export const RUN_SECONDS = 90
/** Minutes after which a run is over that nobody has settled: its Worker has died. */
export const LOST_MINUTES = 10
/** Calls of tools that a model may make in one step. */
export const MAX_CALLS = 8
export const MAX_ANSWER_TOKENS = 4_096
/** Characters of the result of a tool that the model reads. */
export const MAX_RESULT = 12_000
/** Public skills of a workspace. */
export const MAX_PUBLIC = 50

export const CALL_OUTCOMES = ['done', 'pending_approval', 'refused', 'failed'] as const
/** A call of a tool, as the trace shows it. */
export type TracedCall = {
  operation: string
  /** What the model has sent; null if that was no JSON. */
  input: unknown
  outcome: (typeof CALL_OUTCOMES)[number]
  /** Why it waits, was refused or has failed. */
  reason: string | null
  approval_id: string | null
}
