import { firstIdAt } from '../../../../lib/ids.ts'
import { type DataTest, meets } from '../../rules/data-tests.ts'
import { type AwaitedEvent, awaitedTypes } from '../../rules/event-waits.ts'
import { after, inside, locate, skipKey } from '../../rules/program.ts'
import { type RequestResponse, requestOutput } from '../../rules/request-output.ts'
import { fill, type Scope } from '../../rules/templates.ts'
import { eventOf, type FeedEvent } from '../../rules/triggers.ts'
import { isData, type RunPlace, type Step, type Test, type Wait } from '../../rules/types.ts'
import { type Duration, intoWindow, isInCalendar, momentOf, plusDuration, type Window } from '../../rules/waits.ts'
import type { RunError, TakenStep } from './types.ts'

/** A question about records that only a search can answer: whether a condition holds, or what a loop runs over. */
export type Question = { tests: Test[] } | { search: { object: string; filter: Record<string, unknown>; limit: number } }

/**
 * What a run does next. `ask`: it needs the answer first. `act`: the step is a request. `go`: the step is taken, and the run is at another
 * place.
 * `sleep`: until a time, or for an event with that time as its end. `rest`: the wait goes on, because no event has ended it. `end`:
 * complete, or stopped by a step.
 */
export type Decision =
  | { kind: 'ask'; step: Step; place: RunPlace; question: Question }
  | { kind: 'act'; step: Step; place: RunPlace; settings: Step }
  | { kind: 'go'; place: RunPlace; taken: Taken }
  | { kind: 'sleep'; place: RunPlace; taken: Taken; until: Date; types?: string[] }
  | { kind: 'rest'; place: RunPlace; until: Date }
  | { kind: 'end'; place: RunPlace; state: 'completed' | 'stopped'; taken?: Taken }
  | { kind: 'fail'; place: RunPlace; taken: Taken; error: RunError }
type Taken = Omit<TakenStep, 'sequence'>

/** The facts of a decision. `answers` has what was asked about the present step: for each list of tests whether it holds, or the items. */
export type Facts = {
  scope: (place: RunPlace) => Scope
  now: Date
  zone: string
  answers: (boolean | unknown[])[]
  /** The events that may end the wait, oldest first. `isPart`: there are more. */
  arrived: { events: FeedEvent[]; isPart: boolean }
  /** Whether an event ends a wait of the run. */
  ends: (wait: Wait, event: FeedEvent) => boolean
}

const taken = (step: Step, place: RunPlace, state: Taken['state'], more: Partial<Taken> = {}): Taken => ({
  step_id: step.id,
  type: step.type,
  state,
  place: place.frames,
  ...more,
})

/** Decides the next step of a run from what is known. */
export function decide(steps: { steps: Step[] }, at: RunPlace, facts: Facts): Decision {
  const { step, place } = locate(steps, at)
  if (!step) return { kind: 'end', place, state: 'completed' }
  if (place.skip?.some((left) => left === step.id || left === skipKey(step, place)))
    return { kind: 'go', place: after(place), taken: taken(step, place, 'skipped') }
  if (step.type === 'http_request' && place.waits) return afterRequest(step, place)
  const handler = CONTROL[step.type]
  if (!handler) return { kind: 'act', step, place, settings: fill(step, facts.scope(place)) as Step }
  return handler(step, place, facts)
}

/** The decision about a run whose request to another service has ended: the event has its outcome. */
function afterRequest(step: Step, place: RunPlace): Decision {
  const { state, error, ...response } = (place.event ?? {}) as { state?: string; error?: RunError | null } & RequestResponse
  const output = requestOutput(step.output as Record<string, string> | undefined, response)
  const next = after({ ...place, outputs: { ...place.outputs, [step.id]: output } })
  if (state === 'done') return { kind: 'go', place: next, taken: taken(step, place, 'done', { output }) }
  const why = error ?? { code: 'UNAVAILABLE', message: 'The outcome of the request is not known' }
  const note = taken(step, place, 'failed', { output, error: why })
  if (step.on_error === 'continue') return { kind: 'go', place: next, taken: note }
  // A retry of the run makes a new request.
  const { waits: _, event: __, ended: ___, ...again } = place
  return { kind: 'fail', place: again, taken: note, error: why }
}

type Handler = (step: Step, place: RunPlace, facts: Facts) => Decision

/** Whether tests hold, as far as the data of the trigger and of steps decides; undefined if records do. */
function fromData(tests: Test[], place: RunPlace, { scope }: Facts): boolean | undefined {
  const own = tests.filter(({ on }) => isData(on))
  const { values } = scope(place)
  if (!own.every(({ on, filter }) => meets(values[on], filter as DataTest))) return false
  return own.length === tests.length ? true : undefined
}

const CONTROL: Record<string, Handler> = {
  condition(step, place, facts) {
    const tests = step.if as Test[]
    const holds = fromData(tests, place, facts) ?? facts.answers[0]
    if (holds === undefined) return { kind: 'ask', step, place, question: { tests } }
    const note = taken(step, place, 'done', { output: { holds } })
    return holds ? { kind: 'go', place: after(place), taken: note } : { kind: 'end', place, state: 'completed', taken: note }
  },

  branch(step, place, facts) {
    const branches = step.branches as { name?: string; if: Test[] }[]
    let question = 0
    for (const [part, branch] of branches.entries()) {
      const holds = fromData(branch.if, place, facts) ?? facts.answers[question++]
      if (holds === undefined) return { kind: 'ask', step, place, question: { tests: branch.if } }
      if (holds)
        return {
          kind: 'go',
          place: inside(place, step, part),
          taken: taken(step, place, 'done', { output: { branch: branch.name ?? part + 1 } }),
        }
    }
    return { kind: 'go', place: inside(place, step, branches.length), taken: taken(step, place, 'done', { output: { branch: 'else' } }) }
  },

  wait(step, place, facts) {
    if (place.waits) return afterWait(step, place, facts)
    const { scope, now, zone } = facts
    const { for: duration, until, at = '09:00', event, window } = step as WaitStep
    const text = until === undefined ? undefined : String(fill(until, scope(place)) ?? '')
    const moment = event
      ? plusDuration(now, event.timeout, zone)
      : duration
        ? plusDuration(now, duration, zone)
        : momentOf(text ?? '', at, zone)
    const due = moment && (window ? intoWindow(moment < now ? now : moment, window, zone) : moment)
    if (!due || !isInCalendar(due)) {
      const error = { code: 'VALIDATION_ERROR', message: `until is "${text}", which is no date or instant` }
      return { kind: 'fail', place, taken: taken(step, place, 'failed', { error }), error }
    }
    const end = due.toISOString()
    if (!event) {
      const note = taken(step, place, 'waiting', { input: { until: end } })
      return { kind: 'sleep', place: { ...place, waits: true, wait: { until: end } }, taken: note, until: due }
    }
    const types = awaitedTypes(event)
    const where = event.where && { where: fill(event.where, scope(place)) as DataTest }
    const note = taken(step, place, 'waiting', { input: { until: end, event: types.join(', '), ...where } })
    return { kind: 'sleep', place: { ...place, waits: true, wait: { until: end, types, ...where } }, taken: note, until: due, types }
  },

  for_each(step, place, { scope, answers }) {
    const search = step.search as { object: string; filter: Record<string, unknown>; limit: number } | undefined
    if (search && answers.length === 0) return { kind: 'ask', step, place, question: { search } }
    const found = search ? answers[0] : fill(step.items, scope(place))
    if (!Array.isArray(found)) {
      const error = { code: 'VALIDATION_ERROR', message: 'items gives no list' }
      return { kind: 'fail', place, taken: taken(step, place, 'failed', { error }), error }
    }
    if (found.length > MAX_LOOP) {
      const error = { code: 'VALIDATION_ERROR', message: `A loop has at most ${MAX_LOOP} items, not ${found.length}` }
      return { kind: 'fail', place, taken: taken(step, place, 'failed', { error }), error }
    }
    const note = taken(step, place, 'done', { output: { items: found.length } })
    return { kind: 'go', place: found.length > 0 ? inside(place, step, 0, found) : after(place), taken: note }
  },

  stop: (step, place) => ({
    kind: 'end',
    place,
    state: 'stopped',
    taken: taken(step, place, 'done', { output: { reason: step.reason ?? null } }),
  }),
}
const MAX_LOOP = 100
type WaitStep = { for?: Duration; until?: string; at?: string; event?: AwaitedEvent & { timeout: Duration }; window?: Window }

/** The end of a wait: by the first event that has arrived and ends it, else by its time. */
function afterWait(step: Step, place: RunPlace, { arrived, ends, now }: Facts): Decision {
  const { wait } = place
  const until = new Date(wait?.until ?? now)
  const event = wait && arrived.events.find((one) => ends(wait, one))
  const last = arrived.events.at(-1)
  // More events are looked at before the time can end the wait.
  if (wait && !event && arrived.isPart && last) return { kind: 'rest', place: { ...place, wait: { ...wait, from: last.id } }, until: now }
  const looks = wait?.types && (!wait.looked || (wait.found ?? []).length > 0)
  if (wait && !event && looks && until > now)
    return { kind: 'rest', place: { ...place, wait: { ...wait, looked: true, found: [] } }, until }
  const output = event ? { ended: 'event', event: eventOf(event) } : { ended: 'time' }
  const since = event?.id ?? firstIdAt((until < now ? until : now).toISOString())
  const next = after({ ...place, since, outputs: { ...place.outputs, [step.id]: output } })
  return { kind: 'go', place: next, taken: taken(step, place, 'done', { output }) }
}
