import { arrivalsOf } from '../plans/engine/facts.ts'
import { decide } from '../plans/engine/step.ts'
import type { RunError } from '../plans/engine/types.ts'
import { after } from '../rules/program.ts'
import type { Step } from '../rules/types.ts'
import { type ActiveRun, noteFailure, reachOf } from './active-run.ts'

/** A run whose step has been taken, with its output. */
export const withOutput = (work: ActiveRun, sequence: number, step: string, output: unknown): ActiveRun => ({
  ...work,
  place: { ...work.place, outputs: { ...work.place.outputs, [step]: output } },
  results: [...work.results, { sequence, state: 'done', output }],
})

/** A run after the decision about the approval that it has waited for. */
export function afterApproval(work: ActiveRun): ActiveRun {
  const { run, place } = work
  const event = place.event as { id?: string; type: string } | undefined
  const step = run.place.frames.at(-1) && stepAt(work)
  if (event?.type !== 'approval.executed' || !step) return afterRefusal(work, step, event?.type)
  const output = run.response?.data ?? null
  if (step.type === 'http_request') return afterApprovedRequest(work, (output as { id: string } | null)?.id)
  const since = event.id === undefined ? {} : { since: event.id }
  return {
    ...withOutput(work, run.moves, step.id, output),
    place: { ...after(place), ...since, outputs: { ...place.outputs, [step.id]: output } },
  }
}

/** The place of a run without the approval that has been decided. */
function withoutApproval({ place }: ActiveRun) {
  const { approval_id: _, event: __, ended: ___, ...rest } = place
  return rest
}

/** An approved request to another service has been reserved; the run waits for its outcome. */
function afterApprovedRequest(work: ActiveRun, request: string | undefined): ActiveRun {
  const place = { ...withoutApproval(work), waits: true }
  const results = [{ sequence: work.run.moves, state: 'waiting' }]
  return { ...work, place, results, end: { state: 'waiting', awaits: `outgoing:${request}` }, request }
}

/**
 * What follows when the request was rejected, has expired, or was refused when it was executed: the same as without an approval. The run no
 * longer knows the approval, so that whatever takes the step again makes a new request.
 */
function afterRefusal(work: ActiveRun, step: Step | undefined, type = 'approval.expired'): ActiveRun {
  const { moves, response } = work.run
  const refused = type === 'approval.failed' ? response?.error : undefined
  const error = refused?.code === 'RECIPIENT_UNREACHABLE' ? refused : notExecuted(type, refused)
  const { reason, next_allowed_at } = reachOf(error)
  const place = withoutApproval(work)
  const ended = (state: 'skipped' | 'failed') => ({ ...work, place, results: [{ sequence: moves, state, error }] })
  if (next_allowed_at) return { ...ended('skipped'), end: { state: 'waiting', due_at: next_allowed_at, error } }
  if (!step || (!reason && step.on_error !== 'continue')) return { ...ended('failed'), end: { state: 'failed', error } }
  const gone = { ...ended(reason ? 'skipped' : 'failed'), place: after(place) }
  noteFailure(gone, step.id, error)
  return gone
}

const notExecuted = (type: string, refused: RunError | undefined): RunError => ({
  code: 'FORBIDDEN',
  message: `The request of this step was not executed: ${type.replace('approval.', '')}${refused ? `, ${refused.message}` : ''}`,
})

const stepAt = ({ version, place, run, about, answers }: ActiveRun): Step | undefined => {
  const facts = {
    scope: () => ({ values: {}, zone: 'UTC' }),
    now: new Date(0),
    zone: 'UTC',
    answers,
    ...arrivalsOf(run, place, version),
  }
  const decision = decide(version.definition, place, facts)
  return about && 'step' in decision ? decision.step : undefined
}
