import type { Database } from '../../../data/batch.ts'
import type { Wake } from '../../../wake.ts'
import { withQueueStep } from '../../auto-queues/rules/auto-queues.ts'
import type { About } from '../plans/engine/ask.ts'
import type { Decision } from '../plans/engine/step.ts'
import type { Claimed, ClaimedRun, Move, RunError, TakenStep, Version } from '../plans/engine/types.ts'
import { redactSecrets } from '../rules/redaction.ts'
import type { RunPlace, Step } from '../rules/types.ts'

/** A run with what it has done since it was claimed. */
export type ActiveRun = {
  run: ClaimedRun
  version: Version
  about: About
  place: RunPlace
  moves: number
  steps: TakenStep[]
  results: object[]
  answers: (boolean | unknown[])[]
  taken: number
  /** Its outcome; undefined while it goes on. */
  end?: Partial<Move>
  lost?: true
  /** The request to another service that it begins to wait for. */
  request?: string | undefined
}
/** A claim that is being worked on. `wakes`: the queues that continue what its steps have reserved. */
export type Context = { database: Database; appUrl: string; workspaceId: string; claimed: Claimed; now: Date; wakes: Set<Wake> }
export type Decided = { work: ActiveRun; decision: Decision | undefined }

/** The records that a run is about, as conditions ask for them. */
export const aboutOf = ({ contact_id, customer_id, opportunity_id }: ClaimedRun): About => ({
  contact: contact_id,
  company: customer_id,
  opportunity: opportunity_id,
})

/** Requests at a time: a Worker has six connections. */
export const AT_ONCE = 5
export const MAX_ATTEMPTS = 8

/** Adds a step that had no effect to what the run has done. */
export function noteStep(work: ActiveRun, step: Step, more: Pick<TakenStep, 'state' | 'error'> & Partial<TakenStep>): void {
  work.steps.push({ sequence: sequenceOf(work), step_id: step.id, type: step.type, place: work.place.frames, ...more })
  noteFailure(work, step.id, more.error)
}

/** Notes why a step failed or was skipped, or that it is done, for the conditions and templates of the steps after it. */
export function noteFailure(work: ActiveRun, step: string, error: RunError | undefined): void {
  const { [step]: _, ...others } = work.run.failures ?? {}
  work.run = { ...work.run, failures: error ? { ...others, [step]: error } : others }
}

/** Why a message cannot reach its contact: for good, or until the quiet hours are over; nothing for other errors. */
export const reachOf = ({ code, details }: RunError): { reason?: string; next_allowed_at?: string | null } =>
  code === 'RECIPIENT_UNREACHABLE' ? (details ?? {}) : {}

/** The number of the step that a run takes next. */
export const sequenceOf = ({ moves, steps }: Pick<ActiveRun, 'moves' | 'steps'>): number => moves + steps.length + 1

/** Notes that a step cannot be taken: now, and it is tried again, or at all, and the run fails. */
export function failAt(work: ActiveRun, step: Step, error: RunError, again: boolean, input: unknown = null): void {
  if (again && work.run.attempts < MAX_ATTEMPTS) {
    work.end = { state: 'running', due_at: new Date(Date.now() + 2 ** work.run.attempts * 5000).toISOString(), retry: true, error }
    return
  }
  noteStep(work, step, { state: 'failed', input, error, attempts: work.run.attempts })
  work.end = { state: 'failed', error }
}

/** What happens to a run, as it is stored: without secrets. */
export const moveOf = ({ run, version, place, moves, steps, results, end }: ActiveRun): Move & { results: object[] } => ({
  id: run.id,
  version_id: version.id,
  moves,
  state: 'running',
  due_at: null,
  awaits: null,
  error: null,
  reason: null,
  retry: false,
  ...(end && withoutSecrets(end)),
  place: withQueueStep(version.definition, place),
  steps: steps.map(withoutSecrets),
  results: results.map(withoutSecrets),
})

/** Steps and results differ in their fields, but what people read of both has the same names. */
const withoutSecrets = <Stored extends object>(stored: Stored): Stored => {
  const { input, output, error } = stored as Partial<TakenStep>
  const shown = Object.entries({ input, output, error }).filter(([, value]) => value !== undefined)
  return { ...stored, ...Object.fromEntries(shown.map(([name, value]) => [name, redactSecrets(value)])) }
}
