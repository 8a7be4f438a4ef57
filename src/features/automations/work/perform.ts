import { type SQL, sql } from 'drizzle-orm'
import { endpointFor } from '../../../../routes/index.ts'
import type { Database } from '../../../data/batch.ts'
import type { Wake } from '../../../data/plan.ts'
import { AppError, STATUS_OF } from '../../../errors.ts'
import { decodeStored, execute } from '../../../http/execute.ts'
import { dataOf } from '../../../http/respond.ts'
import { newId } from '../../../lib/ids.ts'
import { withQueueStep } from '../../auto-queues/rules/auto-queues.ts'
import { inputOf, requestOf } from '../plans/actions.ts'
import { subjectsOf } from '../plans/engine/facts.ts'
import type { ClaimedRun, Move, RunError, Version } from '../plans/engine/types.ts'
import { after } from '../rules/program.ts'
import { redactSecrets } from '../rules/redaction.ts'
import type { RunPlace, Step } from '../rules/types.ts'
import { sequenceOf } from './active-run.ts'
import { drawTurn } from './draw-turn.ts'

export type Performed =
  | { kind: 'done'; output: unknown; place: RunPlace; wakes: Wake | undefined }
  /** The request waits for approval, and the run for its decision. */
  | { kind: 'held' }
  /** The request to another service is reserved, and the run waits for its outcome. */
  | { kind: 'waits'; wakes: Wake | undefined }
  /** Another worker has the run. */
  | { kind: 'lost' }
  | { kind: 'refused'; error: RunError; input: unknown }
  /** Something is temporarily unavailable. */
  | { kind: 'failed'; error: RunError; input: unknown }

type Act = { database: Database; workspaceId: string; run: ClaimedRun; version: Version; step: Step; settings: Step; move: Move; now: Date }

/** The endpoint and the input of a step. */
async function requestFor({ run, settings }: Pick<Act, 'run' | 'settings'>, turn = 0) {
  const request = requestOf(settings, subjectsOf(run), turn)
  const endpoint = await endpointFor(request)
  if (!endpoint) throw new AppError('NOT_FOUND', `There is no ${request.method} ${request.path}`)
  return { endpoint, input: inputOf(request) }
}

/**
 * Performs a step as a request of this API, with the rights of the automation's publisher. The step is stored in the transaction of its effect, and
 * for a request that waits in that of its approval, so a crash neither repeats nor loses it. `move` is what the run has done before.
 */
export async function perform({ database, workspaceId, run, version, step, settings, move, now }: Act): Promise<Performed> {
  const requestId = newId()
  const caller = {
    kind: 'automation_run' as const,
    automation_run_id: run.id,
    workspace_id: workspaceId,
    key_id: version.key_id,
    depth: run.depth,
  }
  const sequence = sequenceOf(move)
  let sent: unknown = null
  try {
    const { endpoint, input } = await requestFor(
      { run, settings },
      await drawTurn({ database, workspaceId, run: run.id, step: settings, sequence }),
    )
    sent = input.body ?? input.params
    const taken = {
      sequence,
      step_id: step.id,
      type: step.type,
      place: move.place.frames,
      input: redactSecrets(sent),
      request_id: requestId,
      attempts: run.attempts,
    }
    const storing = (state: 'done' | 'held' | 'waiting', place: RunPlace, how: string) => (finished: SQL) => {
      const moved = {
        ...move,
        place: withQueueStep(version.definition, place),
        state: state === 'done' ? 'running' : 'waiting',
        due_at: state === 'done' ? leaseEnd(now) : null,
        steps: [...move.steps, { ...taken, state }],
      }
      return sql`${sql.raw(how)}(${workspaceId}::uuid, ${JSON.stringify(moved)}::jsonb, ${finished})`
    }
    const next = after(move.place)
    const waits = step.type === 'http_request'
    const outcome = await execute(database, {
      endpoint,
      input,
      caller,
      requestId,
      now,
      step: `${run.id}:${sequence}`,
      ending: {
        done: waits ? storing('waiting', { ...move.place, waits }, 'await_step') : storing('done', next, 'take_step'),
        held: storing('held', move.place, 'hold_step'),
      },
    })
    if (outcome.kind === 'held') return { kind: 'held' }
    if (waits) return { kind: 'waits', wakes: outcome.wakes }
    const output = dataOf(endpoint, outcome, input.params)
    return { kind: 'done', output, place: { ...next, outputs: { ...next.outputs, [step.id]: output } }, wakes: outcome.wakes }
  } catch (error) {
    const { code, message, details } = described(error, run.id)
    if ((details as { run?: string } | undefined)?.run === 'moved') return { kind: 'lost' }
    const shown = { code, message, ...(details !== undefined && { details }) }
    return { kind: STATUS_OF[code] >= 500 || code === 'RATE_LIMITED' ? 'failed' : 'refused', error: shown, input: sent }
  }
}

/** Until when a run that is being worked on is left alone, in seconds. */
export const LEASE_SECONDS = 60
const leaseEnd = (now: Date) => new Date(now.getTime() + LEASE_SECONDS * 1000).toISOString()

/** The output of a step from the rows that its transaction has stored, for a worker that died before it could use them. */
export async function outputFrom(
  { database, workspaceId, run, version, settings, now }: Omit<Act, 'move' | 'step'>,
  answer: unknown[][],
): Promise<unknown> {
  const { endpoint, input } = await requestFor({ run, settings })
  const caller = {
    kind: 'automation_run' as const,
    automation_run_id: run.id,
    workspace_id: workspaceId,
    key_id: version.key_id,
    depth: run.depth,
  }
  const value = await decodeStored(database, { endpoint, input, caller, requestId: newId(), now }, answer)
  return dataOf(endpoint, { kind: 'done', value }, input.params)
}

/** An error as runs show it. An unexpected one is logged and shown without details, so that it stops neither the worker nor other runs. */
export function described(error: unknown, run: string): AppError {
  if (error instanceof AppError) return error
  console.error(JSON.stringify({ level: 'error', message: 'automation run', run_id: run, error: String(error) }))
  return new AppError('INTERNAL', 'Something went wrong on our side with this step')
}
