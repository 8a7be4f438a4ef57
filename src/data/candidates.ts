import { catalogueOf } from '../domain/filters/catalogue.ts'
import {
  type Condition,
  type CustomCondition,
  type End,
  type Filter,
  isSearched,
  type ObjectName,
  type Point,
  type RootName,
  type Test,
} from '../domain/filters/types.ts'
import { cents } from './filter-tests.ts'

/**
 * A set of records that an index can find, in the form that candidate_condition (schema/functions/filters.sql) reads. It contains every
 * record that the filter matches, and possibly others.
 */
export type Candidates =
  | { all: Candidates[] }
  | { any: Candidates[] }
  | { words: string }
  | { list: string }
  | { followed_by: Value[] }
  | Further
  | { column: string; values: Value[] }
  | { column: string; prefix: string }
  | { field: string; values: Value[] }
  | { metadata: string; values: Value[] }
  | {
      custom: string
      low?: Bound | undefined
      high?: Bound | undefined
      currency?: string | undefined
      prefix?: string
      contains?: string[]
    }
/** The further records that a filter of a list covers, besides those with the value in the column (see lists.ts). */
type Further = { further: string; value: Value }
type Value = string | number | boolean
type Bound = { at: number | Point; open: boolean }

/** Fields whose column is the first of a b-tree index. Other fields are found by their terms. */
const COLUMNS: Record<ObjectName, readonly string[]> = {
  contacts: ['id', 'email', 'phone', 'landline', 'customer_id', 'assigned_to', 'referrer_opportunity_id', 'external_id'],
  companies: ['id', 'email', 'phone', 'parent_company_id', 'assigned_to', 'external_id'],
  opportunities: ['id', 'pipeline_id', 'stage_id', 'assigned_to', 'customer_id', 'external_id'],
  activities: ['id', 'contact_id', 'customer_id', 'deal_id', 'created_by'],
  tasks: ['id', 'assigned_to', 'created_by', 'contact_id', 'customer_id', 'opportunity_id', 'external_id', 'series_id'],
}
/** Objects whose other fields are found by their terms. */
const WITH_TERMS: readonly ObjectName[] = ['contacts', 'companies', 'opportunities']

/** Query filters of lists whose column leads a b-tree. */
const LISTED: Record<string, readonly string[]> = {
  contacts: ['customer_id', 'assigned_to', 'contact_type', 'source', 'source_id'],
  companies: ['industry', 'account_type', 'assigned_to', 'parent_company_id'],
  opportunities: ['pipeline_id', 'stage_id', 'status', 'assigned_to', 'customer_id', 'lead_source'],
  products: ['category'],
  tasks: ['status', 'assigned_to', 'created_by', 'contact_id', 'customer_id', 'opportunity_id'],
}

/** The candidates of the query filters of a list, each of which compares the column of its name. */
export const columnsOf = (table: string, query: Record<string, unknown>): Candidates[] =>
  (LISTED[table] ?? []).flatMap((column) => (query[column] === undefined ? [] : [{ column, values: [query[column] as Value] }]))

/** The candidates of one filter of a list, if an index finds them; `own` is the column of a filter that covers further records. */
export function ofListFilter(table: string, name: string, value: unknown, own: string | undefined): Candidates | undefined {
  const values = [value as Value]
  if (own !== undefined)
    return {
      any: [
        { column: own, values },
        { further: name, value: value as Value },
      ],
    }
  if (table === 'opportunities' && name === 'contact_id') return { further: name, value: value as Value }
  if (LISTED[table]?.includes(name) || COLUMNS[table as ObjectName].includes(name)) return { column: name, values }
  return value === true ? { field: name, values } : undefined
}

/** Fields with an index in the order of creation; of activities, in that of their time. */
const BY_CREATION: Record<ObjectName, readonly string[]> = {
  contacts: ['email', 'phone', 'customer_id', 'assigned_to', 'contact_type', 'source', 'source_id'],
  companies: ['email', 'industry', 'account_type', 'assigned_to', 'parent_company_id'],
  opportunities: ['pipeline_id', 'stage_id', 'status', 'assigned_to', 'customer_id', 'lead_source'],
  activities: ['activity_type', 'contact_id', 'customer_id', 'deal_id', 'created_by'],
  tasks: ['series_id', 'task_type', 'status', 'priority', 'assigned_to', 'created_by', 'contact_id', 'customer_id'],
}

/** The candidates of a filter, or none when a matching record may be missing from every index. */
export function candidatesOf(object: RootName, filter: Filter): Candidates | undefined {
  if (!isSearched(object)) return undefined
  if (filter.type === 'all') {
    const members = filter.of.flatMap((member) => candidatesOf(object, member) ?? [])
    return members.length > 1 ? { all: members } : members[0]
  }
  if (filter.type === 'any') {
    const members = filter.of.map((member) => candidatesOf(object, member))
    return members.every((member) => member !== undefined) ? { any: members } : undefined
  }
  if (filter.type === 'words') return { words: filter.words }
  if (filter.type === 'not' || filter.type === 'has' || filter.not) return undefined
  if (filter.type === 'list') return { list: filter.list }
  return filter.type === 'custom' ? ofCustomField(filter) : ofField(object, filter)
}

function ofField(object: ObjectName, { field: name, test }: Condition): Candidates | undefined {
  const { kind, computed } = catalogueOf(object).fields[name] ?? {}
  if (computed) return undefined
  if (test.is === 'like') {
    if (name === 'name' && test.from === 'start') return { column: 'name_norm', prefix: test.texts[0] ?? '' }
    const words = wordsOf(object, name, test)
    return words === undefined ? undefined : { words }
  }
  if (!WITH_TERMS.includes(object))
    return test.is === 'in' && COLUMNS[object].includes(name) ? { column: name, values: test.values } : undefined
  if (test.is === 'times') {
    const day = kind === 'date' ? dayOf(test) : undefined
    return day === undefined ? undefined : { field: name, values: [daysSinceEpoch(day)] }
  }
  if (test.is !== 'in') return undefined
  if (name === 'followed_by') return { followed_by: test.values }
  if (kind === 'boolean') return test.values[0] === true ? { field: name, values: [true] } : undefined
  if (name === 'name') return { column: 'name_norm', values: test.values }
  if (name === 'value') return { column: 'value_minor', values: (test.values as number[]).map(cents).filter(Number.isSafeInteger) }
  return COLUMNS[object].includes(name) ? { column: name, values: test.values } : { field: name, values: test.values }
}

function ofCustomField({ key, test }: CustomCondition): Candidates | undefined {
  switch (test.is) {
    case 'in':
      return { metadata: key, values: test.values }
    case 'like':
      return test.from === 'start' ? { custom: key, prefix: test.texts[0] ?? '' } : { custom: key, contains: test.texts }
    case 'times': {
      const day = dayOf(test)
      return day === undefined ? { custom: key, low: test.low, high: test.high } : { metadata: key, values: [day] }
    }
    case 'numbers':
      return { custom: key, low: test.low, high: test.high, currency: test.currency }
    case 'empty':
      return undefined
  }
}

/** The day of a range that covers exactly one day. */
function dayOf({ low, high }: { low?: End<Point>; high?: End<Point> }): string | undefined {
  if (!low || !high || low.open || high.open || !('day' in low.at) || !('day' in high.at)) return undefined
  return low.at.day === high.at.day ? low.at.day : undefined
}

const daysSinceEpoch = (day: string) => Date.parse(`${day}T00:00:00Z`) / 86_400_000

/** Fields that are part of the searched text, so that the search index finds the candidates. */
const SEARCHED: Partial<Record<ObjectName, readonly string[]>> = {
  contacts: ['name', 'first_name', 'last_name', 'email', 'phone'],
  companies: ['name', 'email'],
  opportunities: ['name', 'external_id'],
  tasks: ['title', 'external_id'],
}
const INDEXABLE = /[\p{L}\p{N}]{3}/u

/** The search words that every record passing the test contains, or none when an index cannot find them. */
export function wordsOf(object: ObjectName, name: string, test: Test): string | undefined {
  if (test.is !== 'like' || !SEARCHED[object]?.includes(name) || (name === 'name' && test.from === 'start')) return undefined
  const [text = ''] = test.texts
  const words = text
    .normalize('NFKC')
    .split(/\s+/)
    .filter((word) => INDEXABLE.test(word))
  return words.length > 0 ? words.join(' ') : undefined
}

/** Whether an index in the order of the sort also covers the condition, so that a scan of it reads only matching records. */
export function isInOrder(object: RootName, sort: string, filter: Filter): boolean {
  if (!isSearched(object) || filter.type !== 'field' || filter.not) return false
  const { field, test } = filter
  const order = sort.replace('-', '')
  if (field === order) return field === 'name' ? test.is === 'like' && test.from === 'start' : test.is === 'times' || test.is === 'numbers'
  return (
    order === (object === 'activities' ? 'occurred_at' : 'created_at') &&
    test.is === 'in' &&
    test.values.length === 1 &&
    BY_CREATION[object].includes(field)
  )
}
