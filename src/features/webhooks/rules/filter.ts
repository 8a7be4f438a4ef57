import type { Issue } from '../../../domain/filters/types.ts'

/** A filter over one event. Its groups and operators are those of the filters of searches. */
export type EventFilter = { all: EventFilter[] } | { any: EventFilter[] } | { not: EventFilter } | Condition
type Condition = { field: string; op: Operator; value?: unknown }
type Fields = Record<string, unknown>

const MAX_DEPTH = 5
const MAX_CONDITIONS = 50
const MAX_VALUES = 100
const MAX_TEXT = 500
const FIELD =
  /^(?:payload\.\w[\w-]*(?:\.[\w-]+)*|changes\.\w[\w-]*(?:\.(?:before|after)(?:\.[\w-]+)*)?|type|entity|entity_id|user_id|key_id|cause_type)$/

const folded = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value)
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
/** The value, or each of its entries if it is a list. */
const among = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]).map(folded)
const compare = (a: unknown, b: unknown): number | undefined => {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return typeof a === 'string' && typeof b === 'string' ? (a < b ? -1 : a > b ? 1 : 0) : undefined
}
const ordered = (holds: (difference: number) => boolean) => (value: unknown, wanted: unknown) => {
  const difference = compare(value, wanted)
  return difference !== undefined && holds(difference)
}
const includes = (value: unknown, wanted: unknown): boolean =>
  Array.isArray(value)
    ? among(value).includes(folded(wanted))
    : typeof value === 'string' && value.toLowerCase().includes(`${folded(wanted)}`)

/** What each operator compares with, and when it holds. Text is compared without case; timestamps and dates by their order as text. */
const OPERATORS = {
  eq: { takes: 'one', holds: (value: unknown, wanted: unknown) => among(value).includes(folded(wanted)) },
  in: {
    takes: 'list',
    holds: (value: unknown, wanted: unknown) => among(value).some((one) => (wanted as unknown[]).map(folded).includes(one)),
  },
  contains: { takes: 'text', holds: includes },
  starts_with: {
    takes: 'text',
    holds: (value: unknown, wanted: unknown) => typeof value === 'string' && value.toLowerCase().startsWith(`${folded(wanted)}`),
  },
  lt: { takes: 'order', holds: ordered((difference) => difference < 0) },
  lte: { takes: 'order', holds: ordered((difference) => difference <= 0) },
  gt: { takes: 'order', holds: ordered((difference) => difference > 0) },
  gte: { takes: 'order', holds: ordered((difference) => difference >= 0) },
  is_empty: { takes: 'none', holds: isEmpty },
} as const
const NEGATED = { not_eq: 'eq', not_in: 'in', not_contains: 'contains', is_not_empty: 'is_empty' } as const
type Operator = keyof typeof OPERATORS | keyof typeof NEGATED
const NAMES = [...Object.keys(OPERATORS), ...Object.keys(NEGATED)]

const operatorOf = (op: Operator) =>
  op in NEGATED ? OPERATORS[NEGATED[op as keyof typeof NEGATED]] : OPERATORS[op as keyof typeof OPERATORS]

/** What is wrong with a filter, with paths such as `.all.1.op`; none if it can be evaluated. */
export function faultsInEventFilter(filter: unknown): Issue[] {
  const issues: Issue[] = []
  const count = faults(filter, '', 1, issues)
  return count > MAX_CONDITIONS ? [{ path: '', message: `must have at most ${MAX_CONDITIONS} conditions and groups` }] : issues
}

/** Collects the faults of a part, and returns the number of its conditions and groups. */
function faults(part: unknown, at: string, depth: number, issues: Issue[]): number {
  const wrong = (path: string, message: string) => {
    issues.push({ path: `${at}${path}`, message })
    return 1
  }
  const form = 'must be {"field", "op", "value"}, {"all": […]}, {"any": […]} or {"not": …}'
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return wrong('', form)
  const { all, any, not, field, op, value, ...rest } = part as Fields
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) return wrong(`.${unknown}`, 'Unknown field: remove it, or check its spelling')
  if ([all, any, not, field].filter((one) => one !== undefined).length !== 1) return wrong('', form)
  if (field !== undefined) return conditionFaults({ field, op, value }, wrong)
  if (op !== undefined || value !== undefined) return wrong('', form)
  if (depth > MAX_DEPTH) return wrong('', `must not be nested deeper than ${MAX_DEPTH} groups`)
  if (not !== undefined) return 1 + faults(not, `${at}.not`, depth + 1, issues)
  const [name, members] = all === undefined ? ['any', any] : ['all', all]
  if (!Array.isArray(members) || members.length === 0) return wrong(`.${name}`, 'must be a list of at least one condition')
  if (members.length > MAX_CONDITIONS) return members.length
  return members.reduce<number>((sum, member, index) => sum + faults(member, `${at}.${name}.${index}`, depth + 1, issues), 1)
}

function conditionFaults({ field, op, value }: Fields, wrong: (path: string, message: string) => number): number {
  if (typeof field !== 'string' || !FIELD.test(field))
    return wrong(
      '.field',
      'must be payload.<field>, changes.<field>, changes.<field>.before or .after, type, entity, entity_id, user_id, key_id or cause_type',
    )
  if (typeof op !== 'string' || !NAMES.includes(op)) return wrong('.op', `must be one of: ${NAMES.join(', ')}`)
  const { takes } = operatorOf(op as Operator)
  const isScalar = (one: unknown) =>
    typeof one === 'number' || typeof one === 'boolean' || (typeof one === 'string' && one.length <= MAX_TEXT)
  if (takes === 'none')
    return value === undefined || value === null ? 1 : wrong('.value', 'must be left out: this operator compares with nothing')
  if (takes === 'list') {
    const fits = Array.isArray(value) && value.length > 0 && value.length <= MAX_VALUES && value.every(isScalar)
    return fits ? 1 : wrong('.value', `must be a list of 1 to ${MAX_VALUES} texts, numbers or booleans`)
  }
  if (takes === 'text')
    return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT
      ? 1
      : wrong('.value', `must be text of 1 to ${MAX_TEXT} characters`)
  const fits = isScalar(value) && (takes === 'one' || typeof value !== 'boolean')
  return fits ? 1 : wrong('.value', takes === 'one' ? 'must be text, a number or a boolean' : 'must be a number, a date or a timestamp')
}

/** Whether a filter that has no faults holds for an event. A condition on `changes.<field>` is about the value after the change. */
export function matchesEvent(filter: EventFilter, event: Fields): boolean {
  if ('all' in filter) return filter.all.every((one) => matchesEvent(one, event))
  if ('any' in filter) return filter.any.some((one) => matchesEvent(one, event))
  if ('not' in filter) return !matchesEvent(filter.not, event)
  const { field, op, value } = filter
  return operatorOf(op).holds(valueAt(field, event), value) !== op in NEGATED
}

function valueAt(field: string, event: Fields): unknown {
  const path = field.split('.')
  if (path[0] === 'changes' && path.length === 2) path.push('after')
  return path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? (at as Fields)[name] : undefined),
    event,
  )
}
