import { type SQL, sql } from 'drizzle-orm'
import { endpointFor } from '../../../../routes/index.ts'
import type { Database } from '../../../data/batch.ts'
import { AppError, STATUS_OF } from '../../../errors.ts'
import { decodeStored, execute, type Outcome } from '../../../http/execute.ts'
import { executeTogether } from '../../../http/execute-together.ts'
import { dataOf } from '../../../http/respond.ts'
import type { Request } from '../../../http/transaction.ts'
import { eachOf } from '../../../lib/each-of.ts'
import { newId } from '../../../lib/ids.ts'
import type { Wake } from '../../../wake.ts'
import { withQueueStep } from '../../auto-queues/rules/auto-queues.ts'
import { inputOf, requestOf } from '../plans/actions.ts'
import { subjectsOf } from '../plans/engine/facts.ts'
import type { ClaimedRun, Move, RunError, Version } from '../plans/engine/types.ts'
import { after } from '../rules/program.ts'
import { redactSecrets } from '../rules/redaction.ts'
import type { RunPlace, Step } from '../rules/types.ts'
import { AT_ONCE, type Context, sequenceOf } from './active-run.ts'
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

type Act = Pick<Context, 'database' | 'appUrl' | 'workspaceId' | 'now'> & {
  run: ClaimedRun
  version: Version
  step: Step
  settings: Step
  move: Move
}

/** The endpoint and the input of a step. */
async function requestFor({ run, settings }: Pick<Act, 'run' | 'settings'>, turn = 0) {
  const request = requestOf(settings, subjectsOf(run), turn)
  const endpoint = await endpointFor(request)
  if (!endpoint) throw new AppError('NOT_FOUND', `There is no ${request.method} ${request.path}`)
  return { endpoint, input: inputOf(request) }
}

/** What a step is about to do: its request, with what was sent, or why there is none. */
type Prepared = { act: Act; sent: unknown; request?: Request; refusal?: Performed }

/**
 * The request of a step, with the rights of the automation's publisher. The step is stored in the transaction of its effect, and for a
 * request that waits in that of its approval, so a crash neither repeats nor loses it. `move` is what the run has done before.
 */
async function prepare(act: Act): Promise<Prepared> {
  const { database, appUrl, workspaceId, run, version, step, settings, move, now } = act
  const requestId = newId()
  const sequence = sequenceOf(move)
  let sent: unknown = null
  try {
    const turn = await drawTurn({ database, workspaceId, run: run.id, step: settings, sequence })
    const { endpoint, input } = await requestFor({ run, settings }, turn)
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
        due_at: null,
        ...(state === 'done' && { goes_on: true }),
        steps: [...move.steps, { ...taken, state }],
      }
      return sql`${sql.raw(how)}(${workspaceId}::uuid, ${JSON.stringify(moved)}::jsonb, ${finished})`
    }
    const request: Request = {
      endpoint,
      input,
      caller: callerOf(act),
      requestId,
      now,
      appUrl,
      step: `${run.id}:${sequence}`,
      ending: {
        done: waitsFor(step)
          ? storing('waiting', { ...move.place, waits: true }, 'await_step')
          : storing('done', after(move.place), 'take_step'),
        held: storing('held', move.place, 'hold_step'),
      },
    }
    return { act, sent, request }
  } catch (error) {
    return { act, sent, refusal: refusalOf(error, act, sent) }
  }
}

const callerOf = ({ workspaceId, run, version }: Pick<Act, 'workspaceId' | 'run' | 'version'>) => ({
  kind: 'automation_run' as const,
  automation_run_id: run.id,
  workspace_id: workspaceId,
  key_id: version.key_id,
  depth: run.depth,
})
const waitsFor = ({ type }: Step) => type === 'http_request'

/** What the request of a step has led to. */
function performedBy({ act: { step, move }, request }: Prepared, outcome: Outcome): Performed {
  if (outcome.kind === 'held') return { kind: 'held' }
  if (waitsFor(step)) return { kind: 'waits', wakes: outcome.wakes }
  const { endpoint, input } = request as Request
  const output = dataOf(endpoint, outcome, input.params)
  const next = after(move.place)
  return { kind: 'done', output, place: { ...next, outputs: { ...next.outputs, [step.id]: output } }, wakes: outcome.wakes }
}

function refusalOf(error: unknown, { run }: Act, sent: unknown): Performed {
  const { code, message, details } = described(error, run.id)
  if ((details as { run?: string } | undefined)?.run === 'moved') return { kind: 'lost' }
  const shown = { code, message, ...(details !== undefined && { details }) }
  return { kind: STATUS_OF[code] >= 500 || code === 'RATE_LIMITED' ? 'failed' : 'refused', error: shown, input: sent }
}

async function send(database: Database, prepared: Prepared): Promise<Performed> {
  if (!prepared.request) return prepared.refusal as Performed
  try {
    return performedBy(prepared, await execute(database, prepared.request))
  } catch (error) {
    return refusalOf(error, prepared.act, prepared.sent)
  }
}

/** Performs a step as a request of this API. */
export const perform = async (act: Act): Promise<Performed> => send(act.database, await prepare(act))

/** Performs the same step of several runs: in one transaction, or each in its own. Returns also whether some have shared one. */
export async function performTogether(acts: Act[]): Promise<[Performed[], boolean]> {
  const prepared = await Promise.all(acts.map(prepare))
  const { database } = acts[0] as Act
  const requests = prepared.flatMap(({ request }) => request ?? [])
  const outcomes = await executeTogether(database, requests)
  const performed: Performed[] = []
  await eachOf(AT_ONCE, [...prepared.entries()], async ([index, one]) => {
    const outcome = one.request && outcomes[requests.indexOf(one.request)]
    performed[index] = outcome ? performedBy(one, outcome) : await send(database, one)
  })
  return [performed, outcomes.some((outcome) => outcome !== undefined)]
}

/** For how long a run that is being worked on is left alone, in seconds. */
export const LEASE_SECONDS = 60

/** The output of a step from the rows that its transaction has stored, for a worker that died before it could use them. */
export async function outputFrom(
  { database, appUrl, workspaceId, run, version, settings, now }: Omit<Act, 'move' | 'step'>,
  answer: unknown[][],
): Promise<unknown> {
  const { endpoint, input } = await requestFor({ run, settings })
  const caller = callerOf({ workspaceId, run, version })
  const value = await decodeStored(database, { endpoint, input, caller, requestId: newId(), now, appUrl }, answer)
  return dataOf(endpoint, { kind: 'done', value }, input.params)
}

/** An error as runs show it. An unexpected one is logged and shown without details, so that it stops neither the worker nor other runs. */
export function described(error: unknown, run: string): AppError {
  if (error instanceof AppError) return error
  console.error(JSON.stringify({ level: 'error', message: 'automation run', run_id: run, error: String(error) }))
  return new AppError('INTERNAL', 'Something went wrong on our side with this step')
}
