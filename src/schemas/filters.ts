import * as v from 'valibot'
import { OPERATORS } from '../domain/filters/kinds.ts'
import { MAX_CONDITIONS, MAX_DEPTH, parseFilter } from '../domain/filters/parse.ts'
import { type Filter, KINDS, OBJECTS, type ObjectName } from '../domain/filters/types.ts'
import { named } from './common.ts'

const object = (properties: Record<string, unknown>, required: string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const inner = { type: 'object', description: 'A filter.' }
const OPS = [...new Set(Object.values(OPERATORS).flatMap((operators) => Object.keys(operators)))]

/** JSON Schema of a filter as clients send it. */
export const FILTER_FORMS = {
  oneOf: [
    object(
      {
        field: { type: 'string' },
        op: { enum: OPS },
        value: { description: 'The value to compare with; is_empty and is_not_empty take none.' },
      },
      ['field', 'op'],
    ),
    object({ all: { type: 'array', items: inner, minItems: 1 } }, ['all']),
    object({ any: { type: 'array', items: inner, minItems: 1 } }, ['any']),
    object({ not: inner }, ['not']),
    object({ has: { type: 'string', description: 'A relation.' }, where: inner }, ['has']),
  ],
}

/** The most characters of JSON of a filter that is stored. */
export const MAX_STORED_FILTER = 20_000

/** A filter that is stored as it was sent. */
export const StoredFilter = v.pipe(
  v.custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be a filter: an object',
  ),
  v.check((filter) => JSON.stringify(filter).length <= MAX_STORED_FILTER, `must be at most ${MAX_STORED_FILTER} characters of JSON`),
  v.metadata(FILTER_FORMS),
)

const EXAMPLES: Record<ObjectName, object> = {
  contacts: {
    all: [
      { field: 'city', op: 'eq', value: 'Newcastle' },
      {
        any: [
          { field: 'email', op: 'is_not_empty' },
          { field: 'created_at', op: 'within_last', value: { days: 30 } },
        ],
      },
      { not: { field: 'contact_type', op: 'in', value: ['Supplier', 'Press'] } },
    ],
  },
  companies: {
    all: [
      { field: 'industry', op: 'eq', value: 'Construction' },
      { has: 'opportunities', where: { field: 'status', op: 'eq', value: 'open' } },
    ],
  },
  opportunities: {
    all: [
      { field: 'value', op: 'gte', value: 1000 },
      { field: 'tags', op: 'in', value: ['VIP'] },
    ],
  },
  activities: { field: 'activity_type', op: 'eq', value: 'call' },
  tasks: {
    all: [
      { field: 'status', op: 'not_eq', value: 'completed' },
      { field: 'due_at', op: 'within_next', value: { days: 7 } },
    ],
  },
}

/** A filter over records of an object, validated against the object's catalogue and ready to be compiled. */
export function filterOf(name: ObjectName) {
  return v.pipe(
    v.custom<object>((value) => typeof value === 'object' && value !== null, 'must be a filter: an object'),
    v.metadata(FILTER_FORMS),
    v.description(
      `Conditions, groups (all, any, not; at most ${MAX_DEPTH} deep) and related records (has), at most ${MAX_CONDITIONS} conditions ` +
        `in all. GET /filters/${name} lists fields, operators and relations; custom fields are metadata.` +
        '<key>. A record without a value matches not_eq, not_in and not_contains. Text is compared without regard to case, ' +
        'unless the field is exact. Dates are days in the workspace’s time zone.',
    ),
    v.examples([EXAMPLES[name]]),
    v.rawTransform<object, Filter>(({ dataset, addIssue, NEVER }) => {
      const { filter, issues } = parseFilter(name, dataset.value)
      for (const { path, message } of issues) addIssue({ message, path: pathOf(dataset.value, path) })
      return filter ?? NEVER
    }),
  )
}

type Path = [v.IssuePathItem, ...v.IssuePathItem[]] | undefined
export const pathOf = (input: unknown, path: string): Path => {
  const items = path.split('.').filter(Boolean)
  const [first, ...others] = items.map((key): v.UnknownPathItem => ({ type: 'unknown', origin: 'value', input, key, value: undefined }))
  return first && [first, ...others]
}

/** What a filter can ask about a field. */
export const FilterField = v.object({
  field: v.pipe(v.string(), v.description('The name of the field in conditions.'), v.examples(['city'])),
  label: v.pipe(v.nullable(v.string()), v.description('The label of a custom field; null for other fields.')),
  kind: v.pipe(v.nullable(v.picklist(KINDS)), v.description('The kind of value. Null when the only tests are is_empty and is_not_empty.')),
  operators: v.pipe(
    v.record(v.string(), v.string()),
    v.description('The operators, each with the type of its value.'),
    v.examples([{ eq: 'text', is_empty: 'none' }]),
  ),
  options: v.nullable(v.array(v.string())),
  exact: v.pipe(v.boolean(), v.description('Whether text is compared exactly, including case.')),
  custom: v.boolean(),
  sortable: v.pipe(v.boolean(), v.description('Whether a search can be sorted by it.')),
})

export const Catalogue = named(
  'FilterCatalogue',
  v.object({
    object: v.picklist(OBJECTS),
    fields: v.array(FilterField),
    relations: v.array(v.object({ relation: v.string(), object: v.picklist(OBJECTS) })),
  }),
)
