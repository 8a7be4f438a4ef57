import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { AppError, STATUS_OF } from '../../../errors.ts'
import { eachOf } from '../../../lib/each-of.ts'
import type { Wake } from '../../../wake.ts'
import { holdsFor } from '../plans/engine/ask.ts'
import { arrivalsOf, currentPlace, scopeOf, zoneOf } from '../plans/engine/facts.ts'
import { type Decision, decide } from '../plans/engine/step.ts'
import type { Claimed, ClaimedRun, Move, RunError, TakenStep, Version } from '../plans/engine/types.ts'
import { failureMail, failureSms } from '../plans/failure-mail.ts'
import { after, allSteps, locate } from '../rules/program.ts'
import { fill } from '../rules/templates.ts'
import type { RunPlace, Step } from '../rules/types.ts'
import { performAll } from './act.ts'
import {
  type ActiveRun,
  AT_ONCE,
  aboutOf,
  type Context,
  type Decided,
  failAt,
  MAX_ATTEMPTS,
  moveOf,
  noteFailure,
  sequenceOf,
} from './active-run.ts'
import { afterApproval, withOutput } from './after-approval.ts'
import { readerFor } from './ask.ts'
import { described, LEASE_SECONDS, outputFrom } from './perform.ts'
import { refresh } from './refresh.ts'

/**
 * Runs that a worker claims at a time, and the milliseconds after which another message continues, so that other workspaces have their
 * turn.
 */
const CLAIMED = 100
const TURN = 1000
/** Steps that a run takes in one claim. */
const MAX_STEPS = 500

/** `more`: there is more to do. `acted`: steps took effect. `enrols`: lists wait to be enrolled in auto queues. */
type Done = { more: boolean; acted: boolean; enrols: boolean; wakes: Set<Wake> }

/** Takes the steps of the runs of a workspace that are due. */
export async function runDue(env: Env, workspaceId: string): Promise<Done> {
  const database = jobsDatabaseOf(env)
  const wakes = new Set<Wake>()
  let acted = false
  const end = Date.now() + TURN
  do {
    const [claimed, enrols] = (await batch(database, [
      call('claim_runs', workspaceId, CLAIMED, LEASE_SECONDS),
      call('has_list_enrolments', workspaceId),
    ])) as [Claimed | null, boolean]
    if (!claimed) return { more: false, acted, enrols, wakes }
    acted = (await runClaimed({ database, appUrl: env.APP_URL, workspaceId, claimed, now: new Date(), wakes })) || acted
  } while (Date.now() < end)
  return { more: true, acted, enrols: true, wakes }
}

/** Returns whether steps took effect. */
async function runClaimed(context: Context): Promise<boolean> {
  const { claimed } = context
  await pauseWithoutRights(context)
  const works = await Promise.all(claimed.runs.map((run) => begin(context, run)))
  for (let going = works; going.length > 0; going = going.filter((work) => !work.end && !work.lost)) {
    const decisions = going.map((work) => ({ work, decision: decideAlone(context, work) }))
    for (const { work, decision } of decisions) if (decision) apply(context, work, decision)
    await answerAll(context, decisions)
    await performAll(context, decisions)
    await refresh(context, decisions)
  }
  const settled = works.filter(({ lost }) => !lost)
  const acted = works.some(({ moves, run, lost }) => moves > run.moves || lost)
  if (settled.length === 0) return acted
  return (await settleAll(context, settled)) || acted
}

/** Stores the outcomes of runs, and returns whether some have failed. If the database refuses one, that run fails, and no other. */
async function settleAll(context: Context, works: ActiveRun[]): Promise<boolean> {
  try {
    return await store(context, works, works.map(moveOf))
  } catch (error) {
    if (!isRefusal(error)) throw error
    let failed = false
    for (const work of works) failed = (await settleOne(context, work)) || failed
    return failed
  }
}

/** The database is there, and a repetition would end in the same way. */
const isRefusal = (error: unknown) => !(error instanceof AppError) || STATUS_OF[error.code] < 500

async function settleOne(context: Context, work: ActiveRun): Promise<boolean> {
  try {
    return await store(context, [work], [moveOf(work)])
  } catch (error) {
    if (!isRefusal(error)) throw error
    const { code, message } = described(error, work.run.id)
    const failed: ActiveRun = { ...work, steps: [], results: [], end: { state: 'failed', error: { code, message } } }
    // It stays where it was, from where a retry continues it.
    return await store(context, [failed], [{ ...moveOf(failed), place: null }])
  }
}

async function store({ database, workspaceId, wakes }: Context, works: ActiveRun[], moves: object[]): Promise<boolean> {
  const failures = works.filter(({ end }) => end?.state === 'failed').map(failureOf)
  const requests = works.flatMap(({ request }) => request ?? [])
  const [, , mails] = await batch(database, [
    call('begin_automation_work', workspaceId),
    call('settle_runs', workspaceId, JSON.stringify(moves)),
    ...(failures.length > 0 ? [call('announce_failures', workspaceId, JSON.stringify(failures))] : []),
    ...(requests.length > 0 ? [call('wake_ended', workspaceId, `{${requests.join(',')}}`)] : []),
  ])
  if (failures.length > 0 && mails) wakes.add('messages.send')
  return failures.length > 0
}

/**
 * Pauses automations whose publisher has left, or whose key is gone; their runs wait. If that is so of an earlier version only, its runs
 * alone wait (`withoutRights`).
 */
async function pauseWithoutRights({ database, workspaceId, claimed }: Context): Promise<void> {
  const powerless = Object.values(claimed.versions).filter(({ rights, is_current }) => rights === null && is_current)
  const reason = 'The key or the member that published it may no longer run it: publish it again'
  if (powerless.length > 0)
    await batch(
      database,
      powerless.map(({ id }) => call('pause_automation', workspaceId, id, reason)),
    )
}

/** A run as it goes on: with the output of a step whose worker died, and the decision about the approval that it has waited for. */
async function begin(context: Context, run: ClaimedRun): Promise<ActiveRun> {
  const version = context.claimed.versions[run.version_id] as Version
  const about = aboutOf(run)
  const work: ActiveRun = { run, version, about, ...currentPlace(run, version), moves: run.moves, steps: [], answers: [], taken: 0 }
  if (!version.rights) return { ...work, end: withoutRights(run, context.now) }
  if (run.attempts > MAX_ATTEMPTS) return { ...work, end: { state: 'failed', error: TOO_OFTEN } }
  if (run.place.approval_id) return afterApproval(work)
  const [sequence, stored] = Object.entries(run.answers ?? {})[0] ?? []
  if (!stored) return work
  const step = allSteps(version.definition.steps).find(({ id }) => id === stored.step_id)
  if (!step) return withOutput(work, Number(sequence), stored.step_id, null)
  const output = await storedOutput(context, work, step, stored.answer).catch(() => null)
  return withOutput(work, Number(sequence), step.id, output)
}
async function storedOutput(context: Context, { run, version, place }: ActiveRun, step: Step, answer: unknown[][]): Promise<unknown> {
  const settings = fill(step, scopeOf({ run, known: context.claimed, version }, place, context.now)) as Step
  return outputFrom({ ...context, run, version, settings }, answer)
}

/** A run that waits is tried again, for its publisher may come back. What it awaits is noted meanwhile. */
const withoutRights = ({ awaits }: ClaimedRun, now: Date): Partial<Move> => ({
  state: 'waiting',
  reason: 'no_rights',
  due_at: new Date(now.getTime() + DAY).toISOString(),
  ...(awaits !== null && { awaits, rests: true }),
})
const DAY = 86_400_000
const TOO_OFTEN: RunError = { code: 'UNAVAILABLE', message: 'The step could not be taken, in several tries' }

/** A run about which nothing can be decided, such as one in a zone that no longer exists, fails alone. */
function decideAlone(context: Context, work: ActiveRun): Decision | undefined {
  try {
    return decideNext(context, work)
  } catch (error) {
    const { code, message } = described(error, work.run.id)
    work.end = { state: 'failed', error: { code, message } }
    return undefined
  }
}

function decideNext(context: Context, work: ActiveRun): Decision | undefined {
  if (work.end || work.lost) return undefined
  if (work.taken++ >= MAX_STEPS) {
    work.end = { state: 'running', due_at: context.now.toISOString() }
    return undefined
  }
  const { run, version, place, answers } = work
  const scope = (at: RunPlace) => scopeOf({ run, known: context.claimed, version }, at, context.now)
  return decide(version.definition, place, {
    scope,
    now: context.now,
    zone: zoneOf(run, context.claimed),
    answers,
    ...arrivalsOf(run, place, version),
  })
}

/** Notes a decision that needs nothing from outside. */
function apply({ now }: Context, work: ActiveRun, decision: Decision): void {
  if (decision.kind === 'ask' || decision.kind === 'act') {
    work.place = decision.place
    return
  }
  if (decision.kind === 'rest') {
    work.place = decision.place
    work.end = { state: 'waiting', due_at: decision.until.toISOString(), awaits: work.run.awaits, rests: true }
    return
  }
  const { place, taken } = decision
  const ends = work.place.waits === true
  work.place = place
  work.answers = []
  // The row of a wait is there since it began.
  if (taken && ends)
    work.results.push({ sequence: work.moves + work.steps.length, state: taken.state, output: taken.output, error: taken.error })
  else if (taken) work.steps.push({ ...taken, sequence: sequenceOf(work) })
  if (taken) noteFailure(work, taken.step_id, taken.error)
  if (decision.kind === 'end') work.end = { state: decision.state }
  if (decision.kind === 'fail') work.end = { state: 'failed', error: decision.error }
  if (decision.kind === 'sleep') sleep(work, decision, now)
}

function sleep(work: ActiveRun, { until, types, place }: Extract<Decision, { kind: 'sleep' }>, now: Date): void {
  if (until <= now && !types) {
    Object.assign(work.steps.at(-1) as TakenStep, { state: 'done', output: { ended: 'time' } })
    work.place = after(place)
    return
  }
  const record = work.run.opportunity_id ?? work.run.contact_id ?? work.run.customer_id
  const awaits = types && record ? `${types.join(',')}:${record}` : null
  if (!awaits) work.place = { ...place, wait: { until: until.toISOString() } }
  // What has arrived before the wait is stored is looked for as soon as it is.
  work.end = { state: 'waiting', due_at: (awaits ? now : until).toISOString(), awaits }
}

/** Answers what runs ask about records: those that are at the same step of a version with one search. */
async function answerAll(context: Context, decided: Decided[]): Promise<void> {
  const asking = decided.flatMap(({ work, decision }) => (decision?.kind === 'ask' ? [{ work, decision }] : []))
  const groups = Map.groupBy(asking, ({ work, decision }) =>
    'tests' in decision.question ? `${work.version.id} ${decision.step.id} ${work.answers.length}` : work.run.id,
  )
  await eachOf(AT_ONCE, [...groups.values()], async (group) => {
    const { work, decision } = group[0] as (typeof asking)[number]
    const caller = {
      kind: 'automation_run' as const,
      automation_run_id: work.run.id,
      workspace_id: context.workspaceId,
      key_id: work.version.key_id,
      depth: work.run.depth,
    }
    const reader = readerFor(context.database, caller, context.now)
    try {
      const { question } = decision
      if ('search' in question) {
        const filled = fill(
          question.search,
          scopeOf({ run: work.run, known: context.claimed, version: work.version }, work.place, context.now),
        ) as typeof question.search
        work.answers.push(await reader.search(filled))
      } else {
        const holds = await holdsFor(
          reader,
          question.tests,
          group.map((one) => one.work.about),
        )
        for (const [index, one] of group.entries()) one.work.answers.push(holds[index] ?? false)
      }
    } catch (error) {
      const { code, message } = described(error, work.run.id)
      for (const one of group) failAt(one.work, one.decision.step, { code, message }, STATUS_OF[code] >= 500)
    }
  })
}

const failureOf = ({ run, version, place, end }: ActiveRun) => {
  const { code = 'UNAVAILABLE', message = '' } = end?.error ?? {}
  const { step } = locate(version.definition, place)
  const ids = { automation_id: run.automation_id, run_id: run.id, step_id: step?.id ?? null }
  return {
    ...ids,
    code,
    message,
    mail: failureMail(version.name, run.id, { code, message }),
    sms: failureSms(version.name, { code, message }),
  }
}
