import { valueAt } from './templates.ts'

/*
  Conditions over the data of a trigger, which is no record of the database: the shape and the operators of filters over records, and
  `changed`, `changed_from` and `changed_to` for the fields of an event. A field is a path, such as `payload.stage_id`.
*/
export const DATA_OPERATORS = [
  'eq',
  'not_eq',
  'in',
  'not_in',
  'contains',
  'not_contains',
  'starts_with',
  'lt',
  'lte',
  'gt',
  'gte',
  'is_empty',
  'is_not_empty',
  'changed',
  'changed_from',
  'changed_to',
] as const
type Operator = (typeof DATA_OPERATORS)[number]
export type DataTest = { all: DataTest[] } | { any: DataTest[] } | { not: DataTest } | { field: string; op: Operator; value?: unknown }

const WITHOUT_VALUE: Operator[] = ['is_empty', 'is_not_empty', 'changed']
const MAX_DEPTH = 5
const MAX_TESTS = 50

/** What is wrong with a condition, by its path. */
export function faultsInTest(test: unknown, path = '', depth = 1): { path: string; message: string }[] {
  if (typeof test !== 'object' || test === null || Array.isArray(test)) return [{ path, message: 'must be a condition: an object' }]
  if (depth > MAX_DEPTH) return [{ path, message: `must be at most ${MAX_DEPTH} groups deep` }]
  for (const group of ['all', 'any'] as const)
    if (group in test) {
      const members = (test as Record<string, unknown>)[group]
      if (!Array.isArray(members) || members.length === 0 || members.length > MAX_TESTS)
        return [{ path: `${path}.${group}`, message: `must be a list of 1 to ${MAX_TESTS} conditions` }]
      return members.flatMap((member, index) => faultsInTest(member, `${path}.${group}.${index}`, depth + 1))
    }
  if ('not' in test) return faultsInTest(test.not, `${path}.not`, depth + 1)
  const { field, op, value } = test as { field?: unknown; op?: unknown; value?: unknown }
  if (typeof field !== 'string' || field === '' || field.length > 200)
    return [{ path: `${path}.field`, message: 'must be the path of a value of the trigger' }]
  if (!DATA_OPERATORS.includes(op as Operator)) return [{ path: `${path}.op`, message: `must be one of ${DATA_OPERATORS.join(', ')}` }]
  const needsList = op === 'in' || op === 'not_in'
  if (needsList && !Array.isArray(value)) return [{ path: `${path}.value`, message: 'must be a list' }]
  if (!WITHOUT_VALUE.includes(op as Operator) && value === undefined) return [{ path: `${path}.value`, message: 'Required' }]
  return []
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
const same = (a: unknown, b: unknown): boolean =>
  typeof a === 'string' && typeof b === 'string' ? a.toLowerCase() === b.toLowerCase() : JSON.stringify(a) === JSON.stringify(b)

/** Whether the data of a trigger meets a condition. Text is compared without regard to case. */
export function meets(data: unknown, test: DataTest): boolean {
  if ('all' in test) return test.all.every((member) => meets(data, member))
  if ('any' in test) return test.any.some((member) => meets(data, member))
  if ('not' in test) return !meets(data, test.not)
  const { field, op, value } = test
  const found = valueAt(data, field.split('.'))
  const change = valueAt(data, ['changes', field.replace(/^payload\./, '')]) as { before?: unknown; after?: unknown } | undefined
  switch (op) {
    case 'eq':
      return same(found, value)
    case 'not_eq':
      return !same(found, value)
    case 'in':
      return (value as unknown[]).some((one) => same(found, one))
    case 'not_in':
      return !(value as unknown[]).some((one) => same(found, one))
    case 'contains':
      return contains(found, value)
    case 'not_contains':
      return !contains(found, value)
    case 'starts_with':
      return typeof found === 'string' && found.toLowerCase().startsWith(String(value).toLowerCase())
    case 'is_empty':
      return isEmpty(found)
    case 'is_not_empty':
      return !isEmpty(found)
    case 'changed':
      return change !== undefined
    case 'changed_from':
      return change !== undefined && same(change.before ?? null, value)
    case 'changed_to':
      return change !== undefined && same(change.after ?? null, value)
    default:
      return compares(found, op, value)
  }
}

const contains = (found: unknown, value: unknown): boolean =>
  Array.isArray(found)
    ? found.some((one) => same(typeof one === 'object' && one !== null && 'name' in one ? one.name : one, value))
    : typeof found === 'string' && found.toLowerCase().includes(String(value).toLowerCase())

/** Numbers are compared as such, and everything else as text, which is right for dates and instants of one form. */
function compares(found: unknown, op: 'lt' | 'lte' | 'gt' | 'gte', value: unknown): boolean {
  if (isEmpty(found)) return false
  const [a, b] = typeof found === 'number' ? [found, Number(value)] : [String(found), String(value)]
  if (op === 'lt') return a < b
  if (op === 'lte') return a <= b
  return op === 'gt' ? a > b : a >= b
}

/**
 * A condition that did not hold: its path in the definition, what was expected, and what was there: a value, or those of several fields by
 * their names.
 */
export type Failure = { path: string; expected: unknown; actual: unknown }

/** The part of a condition that data does not meet; undefined if it meets all of it. `at`: the path of the condition. */
export function failureIn(data: unknown, test: DataTest, at: string): Failure | undefined {
  if (meets(data, test)) return undefined
  if (!('all' in test)) return { path: at, ...expectedOf(test, (field = '') => valueAt(data, field.split('.'))) }
  const index = test.all.findIndex((member) => !meets(data, member))
  return failureIn(data, test.all[index] as DataTest, `${at}.all.${index}`)
}

/**
 * What a condition expects, and the values that it is about. The filters of searches have the same form, and conditions over related
 * records besides (`has`): of these `read` gets the relation, and no field for whether there are any. What it does not know is left out.
 */
export function expectedOf(
  test: object,
  read: (field: string | undefined, relation: string | undefined) => unknown,
): Omit<Failure, 'path'> {
  if ('field' in test) return { expected: test, actual: read(String(test.field), undefined) ?? null }
  const values = fieldsIn(test).flatMap(({ field, relation }) => {
    const value = read(field, relation) ?? (relation === undefined ? null : undefined)
    return value === undefined ? [] : [[[relation, field].filter((name) => name !== undefined).join('.'), value]]
  })
  return { expected: test, actual: Object.fromEntries(values) }
}

type Named = { field?: string; relation?: string }
function fieldsIn(test: object, relation?: string): Named[] {
  const { all, any, not, field, has, where } = test as {
    all?: object[]
    any?: object[]
    not?: object
    field?: string
    has?: string
    where?: object
  }
  const inside = [...(all ?? []), ...(any ?? []), ...(not ? [not] : [])].flatMap((member) => fieldsIn(member, relation))
  if (has !== undefined) return relation !== undefined ? [] : where ? fieldsIn(where, has) : [{ relation: has }]
  return [...(field === undefined ? [] : [{ field, ...(relation !== undefined && { relation }) }]), ...inside]
}
