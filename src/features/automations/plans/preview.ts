import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { plainRows } from '../../../data/query.ts'
import { AppError } from '../../../errors.ts'
import { after, allSteps } from '../rules/program.ts'
import { redactSecrets } from '../rules/redaction.ts'
import { fill } from '../rules/templates.ts'
import type { RunPlace, Step } from '../rules/types.ts'
import type { PreviewStep, StartBody } from '../schemas/automation-runs.ts'
import { refusedIn, requestOf, type StepRequest } from './actions.ts'
import { type About, holdsFor, type Reader, type Search } from './engine/ask.ts'
import { type RunFacts, scopeOf, subjectsOf, zoneOf } from './engine/facts.ts'
import { type Decision, decide } from './engine/step.ts'
import type { RunError } from './engine/types.ts'

/** A dry run of the request of a step: what it returns and changes, and whether it would wait for approval. */
type Trial = { data: unknown; changes: unknown[]; policy_ids: string[] }
export type Rehearse = (request: StepRequest) => Promise<Trial>

/** Each step costs a round trip, and those with conditions more. */
const MAX_STEPS = 30

type Found = { definition: RunFacts['version']['definition'] | null; rights: RunFacts['version']['rights'] } & RunFacts['known'] &
  Pick<RunFacts['run'], 'contact_id' | 'customer_id' | 'opportunity_id'>
const NAMES = [
  'definition',
  'rights',
  'workspace',
  'contact_id',
  'customer_id',
  'opportunity_id',
  'contact',
  'company',
  'opportunity',
] as const

/**
 * What a run would begin with: the published definition, else the one that is edited, and the records, read with the rights of the caller.
 */
const factsOf = (automation: string, { contact_id, customer_id, opportunity_id }: StartBody) =>
  plainRows<Found>(
    sql`select coalesce(v.definition,
      jsonb_build_object('trigger', a.trigger, 'conditions', a.conditions, 'steps', a.steps, 'enrolment', a.enrolment)) as definition,
      (select jsonb_build_object('scopes', r.scopes, 'role_scopes', r.role_scopes, 'level', r.level) from current_authority() r) as rights,
      (select jsonb_build_object('name', w.name, 'timezone', w.timezone) from workspaces w where w.id = a.workspace_id) as workspace,
      x.contact_id, x.customer_id, x.opportunity_id,
      (select coalesce(jsonb_object_agg(c.id, jsonb_strip_nulls(to_jsonb(c))), '{}') from contacts c where c.id = x.contact_id) as contact,
      (select coalesce(jsonb_object_agg(k.id, jsonb_strip_nulls(to_jsonb(k))), '{}') from companies k
        where k.id = x.customer_id) as company,
      (select coalesce(jsonb_object_agg(o.id, jsonb_strip_nulls(to_jsonb(o))), '{}') from opportunities o
        where o.id = x.opportunity_id) as opportunity
    from automations a left join automation_versions v on v.workspace_id = a.workspace_id and v.id = a.version_id
      left join lateral run_subjects(a.workspace_id, ${contact_id ?? null}::uuid, ${customer_id ?? null}::uuid,
        ${opportunity_id ?? null}::uuid) x on true
    where a.id = ${automation}`,
    [...NAMES],
  )

/**
 * The path that a run would take, with the rights of the caller. Nothing is changed: conditions are evaluated over the records as they are,
 * the request of a step is a dry run of its own, a wait is skipped as if its time had come, and a wait for an event as if it had timed out.
 */
export async function previewRun(
  ctx: Ctx,
  automation: string,
  body: StartBody,
  reader: Reader,
  rehearse: Rehearse,
): Promise<PreviewStep[]> {
  const [found] = await ctx.read(factsOf(automation, body))
  // The request itself reports an automation or records that do not exist.
  if (!found?.definition) return []
  const { definition, rights, contact_id, customer_id, opportunity_id, ...known } = found
  const run = {
    id: ctx.requestId,
    automation_id: automation,
    trigger_data: { type: 'manual', at: ctx.now.toISOString(), data: body.data ?? {} },
    contact_id,
    customer_id,
    opportunity_id,
    failures: {},
  }
  const course: Course = {
    facts: { run, known, version: { definition, rights, unreadable: [] } },
    now: ctx.now,
    place: { frames: [{ in: null, index: 0 }], outputs: {} },
    answers: [],
    steps: [],
  }
  while (course.steps.length < MAX_STEPS && (await move(course, reader, rehearse)));
  return course.steps
}

/** The state of a preview: its time goes on with each wait. */
type Course = { facts: RunFacts; now: Date; place: RunPlace; answers: (boolean | unknown[])[]; steps: PreviewStep[] }

/** Takes the next step. Returns whether the run goes on. */
async function move(course: Course, reader: Reader, rehearse: Rehearse): Promise<boolean> {
  const { facts, now, answers } = course
  const scope = (at: RunPlace) => scopeOf(facts, at, now)
  const { definition } = facts.version
  const decision = decide(definition, course.place, {
    scope,
    now,
    zone: zoneOf(facts.run, facts.known),
    answers,
    arrived: { events: [], isPart: false },
    ends: () => false,
  })
  course.place = decision.place
  if (decision.kind === 'ask') return answer(course, decision, reader)
  if (decision.kind === 'act') return act(course, decision.step, decision.settings, rehearse)
  // A preview never comes back to a wait.
  if (decision.kind === 'rest') return false
  course.answers = []
  if (decision.taken) note(course, stepOf(course, decision.taken.step_id), decision.taken)
  if (decision.kind === 'sleep') {
    const output = { ended: 'time' }
    course.place = after({ ...decision.place, outputs: { ...decision.place.outputs, [decision.taken.step_id]: output } })
    if (decision.until > now) course.now = decision.until
    return true
  }
  return decision.kind === 'go'
}

async function answer(course: Course, { step, question }: Extract<Decision, { kind: 'ask' }>, reader: Reader): Promise<boolean> {
  const { facts, place, now, answers } = course
  const { contact_id: contact, customer_id: company, opportunity_id: opportunity } = facts.run
  const about: About = { contact, company, opportunity }
  try {
    const found =
      'search' in question
        ? await reader.search(fill(question.search, scopeOf(facts, place, now)) as Search)
        : ((await holdsFor(reader, question.tests, [about]))[0] ?? false)
    course.answers = [...answers, found]
    return true
  } catch (error) {
    return fail(course, step, error)
  }
}

async function act(course: Course, step: Step, settings: Step, rehearse: Rehearse): Promise<boolean> {
  let input: unknown = null
  try {
    const request = requestOf(settings, subjectsOf(course.facts.run), 0)
    input = request.body
    const { data, changes, policy_ids } = await rehearse(request)
    const refused = refusedIn(step, data)
    if (refused) throw new AppError(refused.code as AppError['code'], refused.message, refused.details)
    const isApproved = course.facts.version.rights?.level !== 'approval' && request.body.require_approval !== true
    const isHeld = policy_ids.length > 0 || !isApproved
    // Nothing is sent, so the response of another service is not known.
    const output = step.type === 'http_request' ? null : data
    note(course, step, { state: isHeld ? 'held' : 'done', input, output, changes })
    course.place = after({ ...course.place, outputs: { ...course.place.outputs, [step.id]: output } })
    return true
  } catch (error) {
    const goesOn = fail(course, step, error, input) || step.on_error === 'continue'
    if (goesOn) course.place = after(course.place)
    return goesOn
  }
}

/** Notes a step that could not be taken. Returns whether the run skips it: a message to somebody who cannot be reached. */
function fail(course: Course, step: Step, error: unknown, input: unknown = null): boolean {
  if (!(error instanceof AppError)) throw error
  const { code, message, details } = error
  const isSkipped = code === 'RECIPIENT_UNREACHABLE'
  course.facts = withFailure(course.facts, step.id, { code, message, ...(details !== undefined && { details }) })
  note(course, step, {
    state: isSkipped ? 'skipped' : 'failed',
    input,
    error: { code, message, ...(details !== undefined && { details }) },
  })
  return isSkipped
}

const withFailure = (facts: RunFacts, step: string, error: RunError): RunFacts => ({
  ...facts,
  run: { ...facts.run, failures: { ...facts.run.failures, [step]: error } },
})

const stepOf = ({ facts }: Course, id: string): Step => allSteps(facts.version.definition.steps).find((step) => step.id === id) as Step

type Noted = Pick<PreviewStep, 'state'> & { input?: unknown; output?: unknown; error?: RunError; changes?: unknown[] }
function note({ steps, now }: Course, { id, type, key }: Step, { state, input = null, output = null, error, changes = [] }: Noted): void {
  const shown = { input: redactSecrets(input), output: redactSecrets(output) }
  steps.push({
    step_id: id,
    type,
    key: key ?? null,
    state,
    at: now.toISOString(),
    ...shown,
    error: error ?? null,
    changes: changes as Change[],
  })
}
type Change = PreviewStep['changes'][number]
