import type * as v from 'valibot'
import { type Issue, MAX_ISSUES } from '../errors.ts'
import { nearest, snakeCase } from '../lib/nearest.ts'

/** Other names under which callers look for a field. The first one that the object has is suggested. */
const ALSO_CALLED: Record<string, string[]> = {
  amount: ['value', 'total', 'price'],
  account_id: ['customer_id'],
  birthday: ['date_of_birth'],
  company: ['customer_id'],
  company_id: ['customer_id'],
  cursor: ['after'],
  customer: ['customer_id'],
  deal_id: ['opportunity_id'],
  expand: ['include'],
  lastname: ['last_name'],
  max: ['limit'],
  mobile: ['phone'],
  name: ['first_name', 'title', 'subject'],
  offset: ['after'],
  order_by: ['sort', 'order'],
  owner: ['assigned_to'],
  owner_id: ['assigned_to'],
  page: ['after'],
  page_number: ['after'],
  page_size: ['limit'],
  page_token: ['after'],
  per_page: ['limit'],
  post_code: ['postal_code'],
  postcode: ['postal_code'],
  q: ['search'],
  query: ['search', 'q'],
  select: ['fields'],
  size: ['limit'],
  skip: ['after'],
  sort_by: ['sort'],
  start: ['after'],
  surname: ['last_name'],
  telephone: ['phone'],
  top: ['limit'],
  user_id: ['assigned_to'],
  website: ['website_url'],
  zip: ['postal_code'],
  zip_code: ['postal_code'],
}

type Path = (string | number)[]
/** An unknown field, and the names of the fields that its object may have. */
export type Unknown = { path: Path; known: string[] }
type UnknownMessage = (field: Unknown) => string
/** The parts of a valibot schema that lead to the objects inside it. */
type Node = {
  type: string
  entries?: Record<string, Node>
  item?: Node
  wrapped?: Node
  value?: Node
  options?: Node[]
  getter?: (value: unknown) => Node
}

const pathOf = (path: Path) => path.join('.')

/**
 * Translates the issues of a value for the caller: the field, and what to send instead. Valibot reports only the first unknown field of an
 * object, so all unknown fields are searched for here.
 */
export function issuesOf(
  schema: v.GenericSchema,
  value: unknown,
  found: readonly v.BaseIssue<unknown>[] | undefined,
  messageOf: UnknownMessage = ({ path, known }) => unknownField(String(path.at(-1)), known),
): Issue[] {
  if (!found) return []
  const unknown = found.some(({ expected }) => expected === 'never') ? [...unknownFields(schema as Node, value, [])] : []
  const reported = new Set(unknown.map(({ path }) => pathOf(path)))
  return [
    ...found.map((issue) => issueOf(issue, schema as Node)).filter(({ path }) => !reported.has(path)),
    // Only the first issues reach the caller, and a suggestion costs time.
    ...unknown.map((field, index) => ({ path: pathOf(field.path), message: index < MAX_ISSUES ? messageOf(field) : UNKNOWN })),
  ]
}

/** How the message for an unknown field begins. */
export const UNKNOWN_FIELD = 'Unknown field:'
export const UNKNOWN = `${UNKNOWN_FIELD} remove it, or check its spelling`

/** What callers learn who ask for a page by its number. */
const PAGED = 'Pages have no numbers: send page.next of the page before as after'

/** The message for an unknown field of an object with the `known` fields. */
export function unknownField(name: string, known: readonly string[]): string {
  const meant = probably(name, known)
  if (meant === undefined) return UNKNOWN
  return `${UNKNOWN_FIELD} did you mean ${meant}?${meant === 'after' ? ` ${PAGED}` : ''}`
}

/** Issues of names that were probably misspelt come first: a field that is missing is often there under the misspelt name. */
export const misspeltFirst = (issues: Issue[]): Issue[] => {
  const isMisspelt = ({ message }: Issue) => message.startsWith(`${UNKNOWN_FIELD} did you mean `)
  return [...issues.filter(isMisspelt), ...issues.filter((issue) => !isMisspelt(issue))]
}

/** The `known` name that was probably meant. */
export function probably(name: string, known: readonly string[]): string | undefined {
  const written = snakeCase(name)
  const alias = Object.hasOwn(ALSO_CALLED, written) ? ALSO_CALLED[written]?.find((field) => known.includes(field)) : undefined
  return alias ?? nearest(name, known)
}

function* unknownFields(schema: Node, value: unknown, path: Path): Generator<Unknown> {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    const item = schema.item ?? schema.options?.find(({ type }) => type === 'array')?.item ?? schema.wrapped?.item
    if (item) for (const [index, element] of value.entries()) yield* unknownFields(item, element, [...path, index])
    return
  }
  const inner = schema.wrapped ?? schema.getter?.(value) ?? schema.options?.find(({ type }) => type === 'strict_object')
  if (inner) return yield* unknownFields(inner, value, path)
  const { entries, type, value: each } = schema
  const known = Object.keys(entries ?? {})
  for (const [name, part] of Object.entries(value)) {
    const here = [...path, name]
    const own = entries && Object.hasOwn(entries, name) ? entries[name] : each
    if (own) yield* unknownFields(own, part, here)
    else if (type === 'strict_object') yield { path: here, known }
  }
}

function issueOf(issue: v.BaseIssue<unknown>, schema: Node): Issue {
  const keys = issue.path?.map((item) => String(item.key)) ?? []
  const path = keys.join('.')
  if (issue.expected === 'never') return { path, message: UNKNOWN }
  if (issue.received === 'undefined') return { path, message: 'Required' }
  const bound = issue.message.startsWith('Invalid ') && BOUNDS[issue.type]?.(issue.requirement, Array.isArray(issue.input))
  if (bound) return { path, message: bound }
  const kind = KINDS[issue.expected ?? '']
  if (!kind || !issue.message.startsWith('Invalid type')) return { path, message: issue.message }
  if (path === '') return { path, message: `Send ${kind}, not ${kindOf(issue.input)}` }
  const fields = issue.expected === 'Object' ? fieldsAt(schema, keys) : []
  return { path, message: `must be ${kind}${fields.length > 0 ? ` with ${listed(fields)}` : ''}, not ${kindOf(issue.input)}` }
}

/** What valibot expects, for schemas without a message of their own. */
const KINDS: Record<string, string> = {
  Object: 'an object',
  Array: 'a list',
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
}

/** The bounds of schemas without a message of their own. */
const BOUNDS: Record<string, (bound: unknown, isList: boolean) => string> = {
  min_length: (bound, isList) => `must have at least ${bound} ${isList ? 'entries' : 'characters'}`,
  max_length: (bound, isList) => `must have at most ${bound} ${isList ? 'entries' : 'characters'}`,
  min_value: (bound) => `must be at least ${bound}`,
  max_value: (bound) => `must be at most ${bound}`,
  integer: () => 'must be a whole number',
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return KINDS.Array as string
  return (typeof value === 'boolean' ? String(value) : KINDS[typeof value]) ?? 'an object'
}

/** The names of the first fields of an object, the required ones before others. */
function fieldsAt(schema: Node, [key, ...rest]: string[]): string[] {
  const inner = schema.wrapped ?? schema.options?.find(({ type }) => ['strict_object', 'array', 'nullable'].includes(type))
  if (inner) return fieldsAt(inner, key === undefined ? [] : [key, ...rest])
  if (key !== undefined) {
    const part = schema.item ?? (schema.entries && Object.hasOwn(schema.entries, key) ? schema.entries[key] : schema.value)
    return part ? fieldsAt(part, rest) : []
  }
  const isOptional = ([, { type }]: [string, Node]) => type.includes('optional') || type === 'nullish'
  const entries = Object.entries(schema.entries ?? {})
  return [...entries.filter((entry) => !isOptional(entry)), ...entries.filter(isOptional)].map(([name]) => name)
}

/** The first names of a list. */
const MOST_NAMES = 4
const listed = (names: string[]): string =>
  names.length > MOST_NAMES ? `${names.slice(0, MOST_NAMES).join(', ')} …` : names.join(names.length === 2 ? ' and ' : ', ')
