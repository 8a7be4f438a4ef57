import { PLURAL_OF } from '../records.ts'
import { catalogueOf } from './catalogue.ts'
import { FIELD_TYPES, KEY_FORM } from './custom-types.ts'
import { KIND_OF, operatorsOf } from './kinds.ts'
import { listIdOf, testOf, Unfit } from './operators.ts'
import {
  type Condition,
  type CustomCondition,
  type Field,
  type Filter,
  type Group,
  type InList,
  type Issue,
  isSearched,
  type RootName,
} from './types.ts'

export const MAX_DEPTH = 5
export const MAX_CONDITIONS = 50
/** The most groups and conditions together: every condition in its own branch of the deepest groups. */
const MAX_NODES = MAX_CONDITIONS * (MAX_DEPTH + 1)

/** Objects with custom fields. */
const WITH_CUSTOM: readonly string[] = Object.values(PLURAL_OF)
const CUSTOM = /^(?:metadata|custom)\.(.+)$/

type State = { issues: Issue[]; conditions: number; nodes: number }

/** Validates a whole filter. Returns the parsed filter, or `issues` with paths such as `.all.2.op`. */
export function parseFilter(object: RootName, value: unknown): { filter: Filter | undefined; issues: Issue[] } {
  const state: State = { issues: [], conditions: 0, nodes: 0 }
  const filter = node(object, value, '', 1, state)
  if (state.conditions > MAX_CONDITIONS)
    return { filter: undefined, issues: [{ path: '', message: `must have at most ${MAX_CONDITIONS} conditions` }] }
  if (state.nodes > MAX_NODES)
    return { filter: undefined, issues: [{ path: '', message: `must have at most ${MAX_NODES} groups and conditions` }] }
  return { filter: state.issues.length === 0 ? filter : undefined, issues: state.issues }
}

const FORMS = {
  all: ['all'],
  any: ['any'],
  not: ['not'],
  has: ['has', 'where'],
  field: ['field', 'op', 'value'],
} as const
type Form = keyof typeof FORMS

function node(object: RootName, value: unknown, at: string, depth: number, state: State): Filter | undefined {
  // Once a limit is exceeded the whole filter is refused, so other errors are not looked for.
  if (++state.nodes > MAX_NODES || state.conditions > MAX_CONDITIONS) return undefined
  const wrong = (path: string, message: string) => {
    state.issues.push({ path, message })
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong(at, NO_FORM)
  const json = value as Record<string, unknown>
  const forms = (Object.keys(FORMS) as Form[]).filter((form) => json[form] !== undefined)
  const [form] = forms
  if (!form || forms.length > 1) return wrong(at, NO_FORM)
  const unknown = Object.keys(json).filter((key) => !(FORMS[form] as readonly string[]).includes(key))
  for (const key of unknown) wrong(`${at}.${key}`, 'Unknown field: remove it, or check its spelling')
  if (form === 'field') return condition(object, json, at, state)
  if (depth > MAX_DEPTH) return wrong(at, `must not be nested deeper than ${MAX_DEPTH} groups`)
  if (form === 'not') {
    const of = node(object, json.not, `${at}.not`, depth + 1, state)
    return of && { type: 'not', of }
  }
  if (form === 'has') return related(object, json, at, depth, state)
  const members = json[form]
  if (!Array.isArray(members) || members.length === 0) return wrong(`${at}.${form}`, 'must be a list of at least one condition')
  const of = members.map((member, index) => node(object, member, `${at}.${form}.${index}`, depth + 1, state))
  return { type: form, of: of.filter((member) => member !== undefined) } as Group
}

const NO_FORM = 'must be {"field", "op", "value"}, {"all": […]}, {"any": […]}, {"not": …} or {"has", "where"}'

function related(object: RootName, { has, where }: Record<string, unknown>, at: string, depth: number, state: State): Filter | undefined {
  state.conditions += 1
  const { relations } = catalogueOf(object)
  const target = typeof has === 'string' && Object.hasOwn(relations, has) ? relations[has] : undefined
  if (!target) {
    const offered = Object.keys(relations).join(', ')
    state.issues.push({ path: `${at}.has`, message: offered ? `must be one of: ${offered}` : `${object} have no relations` })
    return undefined
  }
  const inner = where === undefined ? undefined : node(target, where, `${at}.where`, depth + 1, state)
  return { type: 'has', relation: has as string, object: target, where: inner }
}

function condition(
  object: RootName,
  { field: name, op, value }: Record<string, unknown>,
  at: string,
  state: State,
): Condition | CustomCondition | InList | undefined {
  state.conditions += 1
  const wrong = (path: string, message: string) => {
    state.issues.push({ path: `${at}.${path}`, message })
    return undefined
  }
  const { fields } = catalogueOf(object)
  const key = typeof name === 'string' && WITH_CUSTOM.includes(object) ? CUSTOM.exec(name)?.[1] : undefined
  const field = typeof name === 'string' && Object.hasOwn(fields, name) ? fields[name] : undefined
  if (!field && key === undefined) {
    const where = isSearched(object) ? `/filters/${object}` : `/exports/field-catalog?root_entity=${object}`
    return wrong('field', `must be a field of ${object}: see GET ${where}`)
  }
  if (key !== undefined && !KEY_FORM.test(key)) return wrong('field', `No custom field of ${object} has this key`)
  if (typeof op !== 'string') return wrong('op', op === undefined ? 'Required' : 'must be an operator')
  if (!field) return custom(key as string, op, value, at, wrong)
  const operators = operatorsOf(field.kind)
  if (!Object.hasOwn(operators, op)) return wrong('op', `must be one of: ${Object.keys(operators).join(', ')}`)
  if (field.kind === 'membership') return membership(op, value, at, wrong)
  const tested = attempt(op, value, field)
  if (tested instanceof Unfit) return wrong(`value${tested.path}`, tested.message)
  return { type: 'field', field: name as string, ...tested }
}

function membership(op: string, value: unknown, at: string, wrong: (path: string, message: string) => undefined): InList | undefined {
  const list = fitting(() => listIdOf(value))
  return list instanceof Unfit ? wrong('value', `${list.message} of a list`) : { type: 'list', list, at, not: op === 'not_in' }
}

/** The field's type is not known here, so the test must be possible for at least one type. */
function custom(
  key: string,
  op: string,
  value: unknown,
  at: string,
  wrong: (path: string, message: string) => undefined,
): CustomCondition | undefined {
  const offered = FIELD_TYPES.filter((type) => Object.hasOwn(operatorsOf(KIND_OF[type]), op))
  if (offered.length === 0) return wrong('op', 'must be an operator')
  const tried = offered.map((type) => ({ type, tested: attempt(op, value, { kind: KIND_OF[type] ?? 'text' }) }))
  const possible = tried.flatMap(({ type, tested }) => (tested instanceof Unfit ? [] : [{ type, tested }]))
  const [first] = possible
  if (!first) {
    const faults = tried.flatMap(({ tested }) => (tested instanceof Unfit ? [tested] : []))
    const fault = faults.find(({ isOfType }) => isOfType) ?? faults[0]
    return wrong(`value${fault?.path ?? ''}`, fault?.message ?? '')
  }
  const { test, not } = first.tested
  return { type: 'custom', key, at, test, not, offered, fits: possible.map(({ type }) => type) }
}

const attempt = (op: string, value: unknown, field: Field) => fitting(() => testOf(op, value, field))

function fitting<Out>(read: () => Out): Out | Unfit {
  try {
    return read()
  } catch (error) {
    if (error instanceof Unfit) return error
    throw error
  }
}
