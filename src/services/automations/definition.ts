import * as v from 'valibot'
import { type DataTest, faultsInTest } from '../../domain/automations/data-tests.ts'
import type { AwaitedEvent } from '../../domain/automations/event-waits.ts'
import { allSteps } from '../../domain/automations/program.ts'
import { faultsIn, type ROOTS } from '../../domain/automations/templates.ts'
import type { Definition, Step, Test, Trigger } from '../../domain/automations/types.ts'
import { parseFilter } from '../../domain/filters/parse.ts'
import type { ObjectName } from '../../domain/filters/types.ts'
import type { Issue } from '../../errors.ts'
import { newId } from '../../lib/ids.ts'
import { MAX_STEP_DEPTH, MAX_STEPS, STEP_TYPES, schemaOf } from '../../schemas/automation-steps.ts'
import { issuesOf } from '../../schemas/issues.ts'
import { SNAPSHOTS } from '../../schemas/snapshots.ts'

export const OBJECT_OF = { contact: 'contacts', company: 'companies', opportunity: 'opportunities' } as const satisfies Record<
  string,
  ObjectName
>

type Sent = { trigger: Trigger; conditions?: Test[] | undefined; steps: unknown[]; enrolment?: Definition['enrolment'] | undefined }

/** The definition as it is stored, with an id for every step, and all that is wrong with it. */
export function readDefinition({ trigger, conditions = [], steps: sent, enrolment }: Sent): { definition: Definition; issues: Issue[] } {
  const issues: Issue[] = []
  const steps = readSteps(sent, 'steps', 1, issues)
  const all = allSteps(steps)
  if (all.length > MAX_STEPS) issues.push({ path: 'steps', message: `must be at most ${MAX_STEPS} steps in all` })
  for (const name of ['id', 'key'] as const) {
    const values = all.map((step) => step[name]).filter((value) => value !== undefined)
    const repeated = values.find((value, index) => values.indexOf(value) !== index)
    if (repeated !== undefined) issues.push({ path: 'steps', message: `Two steps have the ${name} ${repeated}` })
  }
  issues.push(...testIssues(conditions, 'conditions'))
  if (issues.length === 0) issues.push(...templateIssues(steps, 'steps', new Set(), false))
  return { definition: { trigger, conditions, steps, enrolment: enrolment ?? { mode: 'always', concurrency: 'parallel' } }, issues }
}

function readSteps(sent: unknown, path: string, depth: number, issues: Issue[]): Step[] {
  if (!Array.isArray(sent)) {
    issues.push({ path, message: 'must be a list of steps' })
    return []
  }
  if (depth > MAX_STEP_DEPTH) {
    issues.push({ path, message: `Steps lie at most ${MAX_STEP_DEPTH} deep in each other` })
    return []
  }
  return sent.slice(0, MAX_STEPS + 1).flatMap((step, index) => readStep(step, `${path}.${index}`, depth, issues))
}

function readStep(sent: unknown, path: string, depth: number, issues: Issue[]): Step[] {
  const type = typeof sent === 'object' && sent !== null && Object.hasOwn(sent, 'type') ? String((sent as { type: unknown }).type) : ''
  const known = Object.hasOwn(STEP_TYPES, type) ? STEP_TYPES[type] : undefined
  if (!known) {
    issues.push({ path: `${path}.type`, message: `must be one of: ${Object.keys(STEP_TYPES).join(', ')}` })
    return []
  }
  const schema = schemaOf(known)
  const result = v.safeParse(schema, sent)
  issues.push(...issuesOf(schema, sent, result.issues).map((issue) => ({ ...issue, path: `${path}.${issue.path}` })))
  if (!result.success) return []
  const step = { ...result.output, type, id: (result.output as { id?: string }).id ?? newId() } as Step
  issues.push(...ruleIssues(step).map((issue) => ({ ...issue, path: `${path}.${issue.path}` })))
  if (type === 'branch') {
    const branches = step.branches as { if: Test[]; steps: unknown[] }[]
    for (const [at, branch] of branches.entries()) issues.push(...testIssues(branch.if, `${path}.branches.${at}.if`))
    step.branches = branches.map((branch, at) => ({
      ...branch,
      steps: readSteps(branch.steps, `${path}.branches.${at}.steps`, depth + 1, issues),
    }))
    if (step.else !== undefined) step.else = readSteps(step.else, `${path}.else`, depth + 1, issues)
  }
  if (type === 'condition') issues.push(...testIssues(step.if as Test[], `${path}.if`))
  if (type === 'for_each') step.steps = readSteps(step.steps, `${path}.steps`, depth + 1, issues)
  return [step]
}

const given = (step: Step, names: string[]) => names.filter((name) => step[name] !== undefined)

/** The rules over several settings of a step. */
function ruleIssues(step: Step): Issue[] {
  if (step.type === 'wait') {
    const { window, at, until, event } = step as Step & {
      window?: { from: string; to: string }
      at?: string
      until?: string
      event?: AwaitedEvent
    }
    if (given(step, ['for', 'until', 'event']).length !== 1) return [{ path: 'for', message: 'Send one of for, until and event' }]
    if (event && (event.type === undefined) === (event.types === undefined))
      return [{ path: 'event.type', message: 'Send either type or types' }]
    if (event?.where) return faultsInTest(event.where).map((fault) => ({ ...fault, path: `event.where${fault.path}` }))
    if (at !== undefined && until === undefined) return [{ path: 'at', message: 'Send it with until' }]
    if (window && window.from >= window.to) return [{ path: 'window.to', message: 'must be later than from' }]
    if (until !== undefined && /^\d{4}-\d\d-\d\d$/.test(until) && Number.isNaN(dayNumber(until)))
      return [{ path: 'until', message: 'is no date of the calendar' }]
  }
  if (step.type === 'notify' && given(step, ['user_ids', 'role', 'assignee_of', 'followers_of']).length === 0)
    return [{ path: 'user_ids', message: 'Send user_ids, role, assignee_of or followers_of' }]
  if (step.type === 'for_each') {
    const { search } = step as { search?: { object: ObjectName; filter: object } }
    if (given(step, ['items', 'search']).length !== 1) return [{ path: 'items', message: 'Send either items or search' }]
    if (search) return filterIssues(search.object, search.filter, 'search.filter')
  }
  return []
}

/** NaN for a day that the calendar does not have. */
function dayNumber(day: string): number {
  const time = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== day ? Number.NaN : time
}

const filterIssues = (object: ObjectName, filter: object, path: string): Issue[] =>
  parseFilter(object, filter).issues.map((issue) => ({ path: path + issue.path, message: issue.message }))

const testIssues = (tests: Test[], path: string): Issue[] =>
  tests.flatMap(({ on, filter }, index) => {
    const at = `${path}.${index}.filter`
    if (on !== 'trigger') return filterIssues(OBJECT_OF[on], filter, at)
    return faultsInTest(filter as DataTest).map((fault) => ({ ...fault, path: at + fault.path }))
  })

const RECORD_ROOTS = Object.keys(OBJECT_OF)
const OWN_FIELDS: Record<string, string[]> = { workspace: ['name', 'timezone'], run: ['id', 'automation_id'], now: [], today: [] }

/** Why the path of a template leads nowhere. `known` has the keys and ids of the steps before. */
function faultOf([root, field]: string[], known: Set<string>, inLoop: boolean): string | undefined {
  const name = root as (typeof ROOTS)[number]
  if (RECORD_ROOTS.includes(name)) {
    const fields = Object.keys(SNAPSHOTS[name]?.entries ?? {})
    return field === undefined || fields.includes(field) ? undefined : `${name} has no field ${field}`
  }
  if (name === 'steps') return field !== undefined && known.has(field) ? undefined : `No step before has the key or id ${field ?? ''}`
  if (name === 'item') return inLoop ? undefined : 'There is an item only within for_each'
  const fields = OWN_FIELDS[name]
  return fields && field !== undefined && !fields.includes(field) ? `${name} has no field ${field}` : undefined
}

/** What is wrong with the templates of steps. Each may use what the steps before it have returned. */
function templateIssues(steps: Step[], path: string, known: Set<string>, inLoop: boolean): Issue[] {
  return steps.flatMap((step, index) => {
    const at = `${path}.${index}`
    const {
      branches,
      else: otherwise,
      steps: body,
      if: _,
      ...settings
    } = step as Step & { branches?: { steps: Step[] }[]; else?: Step[]; steps?: Step[] }
    const own = faultsIn(settings, (names) => faultOf(names, known, inLoop), at)
    const inner = [
      ...(branches ?? []).flatMap((branch, part) => templateIssues(branch.steps, `${at}.branches.${part}.steps`, known, inLoop)),
      ...(otherwise ? templateIssues(otherwise, `${at}.else`, known, inLoop) : []),
      ...(body ? templateIssues(body, `${at}.steps`, known, true) : []),
    ]
    known.add(step.id)
    if (step.key) known.add(step.key)
    return [...own, ...inner]
  })
}
