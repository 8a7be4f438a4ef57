import { eachOf } from '../../../lib/each-of.ts'
import { after } from '../rules/program.ts'
import type { Step } from '../rules/types.ts'
import { type ActiveRun, AT_ONCE, type Context, type Decided, failAt, moveOf, noteFailure, noteStep, sequenceOf } from './active-run.ts'
import { type Performed, perform } from './perform.ts'

/** Sends the requests of the runs that are at a step which is one. */
export async function performAll(context: Context, decided: Decided[]): Promise<void> {
  const acting = decided.flatMap(({ work, decision }) => (decision?.kind === 'act' ? [{ work, decision }] : []))
  await eachOf(AT_ONCE, acting, async ({ work, decision: { step, settings } }) => {
    const { run, version } = work
    settle(context, work, step, await perform({ ...context, run, version, step, settings, move: moveOf(work) }))
  })
}

/** Notes what a request has led to. */
function settle({ wakes }: Context, work: ActiveRun, step: Step, performed: Performed): void {
  if ('wakes' in performed && performed.wakes) wakes.add(performed.wakes)
  if (performed.kind === 'lost' || performed.kind === 'held' || performed.kind === 'waits') {
    work.lost = true
    return
  }
  if (performed.kind === 'done') {
    const sequence = sequenceOf(work)
    const { place, output } = performed
    Object.assign(work, { place, moves: sequence, steps: [], results: [{ sequence, state: 'done', output }], answers: [] })
    noteFailure(work, step.id, undefined)
    return
  }
  const { error, input } = performed
  const { reason, next_allowed_at } = error.code === 'RECIPIENT_UNREACHABLE' ? (error.details as Unreachable) : {}
  if (next_allowed_at) {
    // The step is taken when the quiet hours are over.
    work.end = { state: 'waiting', due_at: next_allowed_at, error }
    return
  }
  const isTemporary = performed.kind === 'failed'
  if (isTemporary || (!reason && step.on_error !== 'continue')) failAt(work, step, error, isTemporary, input)
  else {
    noteStep(work, step, { state: reason ? 'skipped' : 'failed', input, error })
    work.place = after(work.place)
  }
}
type Unreachable = { reason?: string; next_allowed_at?: string | null }
