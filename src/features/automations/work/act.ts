import { eachOf } from '../../../lib/each-of.ts'
import { refusedIn } from '../plans/actions.ts'
import { after } from '../rules/program.ts'
import type { Step } from '../rules/types.ts'
import {
  type ActiveRun,
  AT_ONCE,
  type Context,
  type Decided,
  failAt,
  moveOf,
  noteFailure,
  noteStep,
  reachOf,
  sequenceOf,
} from './active-run.ts'
import { type Performed, perform, performTogether } from './perform.ts'

type Acting = { work: ActiveRun; step: Step; settings: Step }

/** Sends the requests of the runs that are at a step which is one. */
export async function performAll(context: Context, decided: Decided[]): Promise<void> {
  const acting = decided.flatMap(({ work, decision }) =>
    decision?.kind === 'act' ? [{ work, step: decision.step, settings: decision.settings }] : [],
  )
  const groups = Map.groupBy(acting, (one) => (mayShare(one) ? `${one.work.version.id} ${one.step.id}` : one.work.run.id))
  await eachOf(AT_ONCE, [...groups.values()], (group) => performGroup(context, group))
}

/** Steps that change records, which seldom fail, and of which each is quick. */
const SHARING = /^(create_|update_|add_|remove_|move_stage$)/
/** Steps that share a transaction: what they lock is locked until all of them have been taken. */
const SHARED = 10

const mayShare = ({ work, step }: Acting) =>
  SHARING.test(step.type) && step.require_approval !== true && work.version.rights?.level === 'execute'

/**
 * Takes a step of several runs, some of them in one transaction. It counts the step in one row, so transactions of the same step follow
 * each other. When one could not be shared, each of the others is a transaction of its own.
 */
async function performGroup(context: Context, group: Acting[]): Promise<void> {
  const actOf = ({ work, step, settings }: Acting) => ({
    ...context,
    run: work.run,
    version: work.version,
    step,
    settings,
    move: moveOf(work),
  })
  let shares = group.length > 1
  let left = group
  while (shares && left.length > 0) {
    const part = left.slice(0, SHARED)
    const [performed, wasShared] = await performTogether(part.map(actOf))
    for (const [index, { work, step }] of part.entries()) settle(context, work, step, performed[index] as Performed)
    left = left.slice(SHARED)
    shares = wasShared
  }
  await eachOf(AT_ONCE, left, async (one) => settle(context, one.work, one.step, await perform(actOf(one))))
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
    const error = refusedIn(step, output)
    Object.assign(work, { moves: sequence, steps: [], answers: [] })
    if (error) {
      // The record was refused, and nothing has changed.
      work.results = [{ sequence, state: 'failed', output, error }]
      if (step.on_error === 'continue') work.place = place
      else work.end = { state: 'failed', error }
      noteFailure(work, step.id, error)
      return
    }
    Object.assign(work, { place, results: [{ sequence, state: 'done', output }] })
    noteFailure(work, step.id, undefined)
    return
  }
  const { error, input } = performed
  const { reason, next_allowed_at } = reachOf(error)
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
