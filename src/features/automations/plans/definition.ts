import * as v from 'valibot'
import { parseFilter } from '../../../domain/filters/parse.ts'
import type { ObjectName } from '../../../domain/filters/types.ts'
import type { Issue } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { nearest } from '../../../lib/nearest.ts'
import { issuesOf } from '../../../schemas/issues.ts'
import { SNAPSHOTS } from '../../events/schemas/snapshots.ts'
import { type DataTest, faultsInTest } from '../rules/data-tests.ts'
import { type AwaitedEvent, awaitedTypes } from '../rules/event-waits.ts'
import { allSteps } from '../rules/program.ts'
import { faultsIn } from '../rules/templates.ts'
import type { Definition, StartTest, Step, Test, Trigger } from '../rules/types.ts'
import { MAX_STEP_DEPTH, MAX_STEPS, STEP_TYPES, schemaOf } from '../schemas/automation-steps.ts'
import { ANY, eventShape, faultIn, faultsInPaths, faultsInTrigger, faultsWhere, type Shape, triggerShape } from './names.ts'
import { itemsOf, outputOf } from './outputs.ts'

export const OBJECT_OF = { contact: 'contacts', company: 'companies', opportunity: 'opportunities' } as const satisfies Record<
  string,
  ObjectName
>

type Sent = { trigger: Trigger; conditions?: StartTest[] | undefined; steps: unknown[]; enrolment?: Definition['enrolment'] | undefined }

/** The definition as it is stored, with an id for every step, and all that is wrong with it. */
export function readDefinition({ trigger, conditions = [], steps: sent, enrolment }: Sent): { definition: Definition; issues: Issue[] } {
  const issues: Issue[] = faultsInTrigger(trigger, 'trigger')
  const state = { issues, trigger: triggerShape(trigger) }
  const steps = readSteps(sent, 'steps', 1, state)
  const all = allSteps(steps)
  if (all.length > MAX_STEPS) issues.push({ path: 'steps', message: `must be at most ${MAX_STEPS} steps in all` })
  for (const name of ['id', 'key'] as const) {
    const values = all.map((step) => step[name]).filter((value) => value !== undefined)
    const repeated = values.find((value, index) => values.indexOf(value) !== index)
    if (repeated !== undefined) issues.push({ path: 'steps', message: `Two steps have the ${name} ${repeated}` })
  }
  issues.push(...testIssues(conditions, 'conditions', state))
  if (issues.length === 0) issues.push(...templateIssues(steps, 'steps', { trigger: state.trigger, outputs: new Map() }))
  return { definition: { trigger, conditions, steps, enrolment: enrolment ?? { mode: 'always', concurrency: 'parallel' } }, issues }
}

/** What is wrong so far, and what is known of the data of the trigger. */
type Reading = { issues: Issue[]; trigger: Shape }

function readSteps(sent: unknown[], path: string, depth: number, state: Reading): Step[] {
  const { issues } = state
  if (depth > MAX_STEP_DEPTH) {
    issues.push({ path, message: `Steps lie at most ${MAX_STEP_DEPTH} deep in each other` })
    return []
  }
  return sent.slice(0, MAX_STEPS + 1).flatMap((step, index) => readStep(step, `${path}.${index}`, depth, state))
}

function readStep(sent: unknown, path: string, depth: number, state: Reading): Step[] {
  const { issues } = state
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
    for (const [at, branch] of branches.entries()) issues.push(...testIssues(branch.if, `${path}.branches.${at}.if`, state))
    step.branches = branches.map((branch, at) => ({
      ...branch,
      steps: readSteps(branch.steps, `${path}.branches.${at}.steps`, depth + 1, state),
    }))
    if (step.else !== undefined) step.else = readSteps(step.else as unknown[], `${path}.else`, depth + 1, state)
  }
  if (type === 'condition') issues.push(...testIssues(step.if as Test[], `${path}.if`, state))
  if (type === 'for_each') step.steps = readSteps(step.steps as unknown[], `${path}.steps`, depth + 1, state)
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
    if (at !== undefined && until === undefined) return [{ path: 'at', message: 'Send it with until' }]
    if (window && window.from >= window.to) return [{ path: 'window.to', message: 'must be later than from' }]
    if (until !== undefined && /^\d{4}-\d\d-\d\d$/.test(until) && Number.isNaN(dayNumber(until)))
      return [{ path: 'until', message: 'is no date of the calendar' }]
    if (event?.where) return whereIssues(event.where, eventShape(awaitedTypes(event)), 'The event', 'event.where')
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

/** What is wrong with a condition over data: its form, else its paths. */
function whereIssues(where: DataTest, shape: Shape, root: string, at: string): Issue[] {
  const faults = faultsInTest(where)
  return faults.length > 0 ? faults.map((fault) => ({ ...fault, path: at + fault.path })) : faultsInPaths(where, shape, root, at)
}

const testIssues = (tests: Test[], path: string, { trigger }: Reading): Issue[] =>
  tests.flatMap(({ on, filter }, index) => {
    const at = `${path}.${index}.filter`
    // What the steps before lead to is known when all of them are (templateIssues).
    if (on === 'steps') return faultsInTest(filter).map((fault) => ({ ...fault, path: at + fault.path }))
    if (on === 'trigger') return whereIssues(filter as DataTest, trigger, 'trigger', at)
    return filterIssues(OBJECT_OF[on], filter, at)
  })

const text = v.string()
const ROOT_SHAPES: Record<string, Shape> = {
  ...Object.fromEntries(Object.keys(OBJECT_OF).map((name) => [name, [SNAPSHOTS[name] as v.GenericSchema]])),
  workspace: [v.object({ name: text, timezone: text })],
  run: [v.object({ id: text, automation_id: text })],
  now: [text],
  today: [text],
}

/** What a template can name: the data of the trigger, what the steps before return, by key and id, and the item of a loop. */
type Names = { trigger: Shape; outputs: Map<string, Shape>; item?: Shape }

/** Why the path of a template leads nowhere. */
function faultOf([root = '', ...path]: string[], { trigger, outputs, item }: Names): string | undefined {
  if (root === 'steps') {
    const [step = '', ...rest] = path
    const output = outputs.get(step)
    if (output) return faultIn(output, rest, `steps.${step}`)
    const meant = nearest(step, [...outputs.keys()])
    return `No step before has the key or id ${step}${meant ? `: did you mean ${meant}?` : ''}`
  }
  if (root === 'item') return item ? faultIn(item, path, 'item') : 'There is an item only within for_each'
  return faultIn(root === 'trigger' ? trigger : (ROOT_SHAPES[root] ?? ANY), path, root)
}

/** The conditions of a step about the steps before that lead nowhere. */
function stepTestIssues(step: Step, path: string, names: Names): Issue[] {
  const branches = (step.branches ?? []) as { if: Test[] }[]
  const lists = [[step.if, `${path}.if`] as const, ...branches.map((branch, part) => [branch.if, `${path}.branches.${part}.if`] as const)]
  return lists.flatMap(([tests, at]) =>
    ((tests ?? []) as Test[]).flatMap(({ on, filter }, index) =>
      on === 'steps' ? faultsWhere(filter as DataTest, (rest) => faultOf(['steps', ...rest], names), `${at}.${index}.filter`) : [],
    ),
  )
}

/** What is wrong with the templates of steps, and with conditions about steps. Each may use what the steps before it have led to. */
function templateIssues(steps: Step[], path: string, names: Names): Issue[] {
  return steps.flatMap((step, index) => {
    const at = `${path}.${index}`
    const {
      branches,
      else: otherwise,
      steps: body,
      if: _,
      ...settings
    } = step as Step & { branches?: { steps: Step[] }[]; else?: Step[]; steps?: Step[] }
    const own = [...faultsIn(settings, (path) => faultOf(path, names), at), ...stepTestIssues(step, at, names)]
    const inner = [
      ...(branches ?? []).flatMap((branch, part) => templateIssues(branch.steps, `${at}.branches.${part}.steps`, names)),
      ...(otherwise ? templateIssues(otherwise, `${at}.else`, names) : []),
      ...(body ? templateIssues(body, `${at}.steps`, { ...names, item: itemsOf(step) }) : []),
    ]
    names.outputs.set(step.id, outputOf(step))
    if (step.key) names.outputs.set(step.key, outputOf(step))
    return [...own, ...inner]
  })
}
