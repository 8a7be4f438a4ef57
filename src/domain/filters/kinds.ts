import type { FieldType } from './custom-types.ts'
import type { Kind } from './types.ts'

/** The operators of each kind of field, and what they compare with. `[]` is a list of that. */
export const OPERATORS = {
  text: {
    eq: 'text',
    not_eq: 'text',
    in: 'text[]',
    not_in: 'text[]',
    contains: 'text',
    not_contains: 'text',
    starts_with: 'text',
    is_empty: 'none',
    is_not_empty: 'none',
  },
  choice: { eq: 'option', not_eq: 'option', in: 'option[]', not_in: 'option[]', is_empty: 'none', is_not_empty: 'none' },
  number: {
    eq: 'number',
    not_eq: 'number',
    in: 'number[]',
    not_in: 'number[]',
    lt: 'number',
    lte: 'number',
    gt: 'number',
    gte: 'number',
    between: 'two numbers',
    is_empty: 'none',
    is_not_empty: 'none',
  },
  date: {
    on: 'date',
    before: 'date',
    after: 'date',
    between: 'two dates',
    within_last: 'days',
    not_within_last: 'days',
    within_next: 'days',
    days_ago: 'days',
    days_ahead: 'days',
    is_empty: 'none',
    is_not_empty: 'none',
  },
  instant: {
    on: 'date',
    before: 'moment',
    after: 'moment',
    between: 'two moments',
    within_last: 'days',
    not_within_last: 'days',
    within_next: 'days',
    is_empty: 'none',
    is_not_empty: 'none',
  },
  boolean: { eq: 'boolean', not_eq: 'boolean', is_empty: 'none', is_not_empty: 'none' },
  id: { eq: 'id', not_eq: 'id', in: 'id[]', not_in: 'id[]', is_empty: 'none', is_not_empty: 'none' },
  list: {
    in: 'text[]',
    not_in: 'text[]',
    contains: 'text or text[]',
    not_contains: 'text or text[]',
    is_empty: 'none',
    is_not_empty: 'none',
  },
  membership: { in: 'list id', not_in: 'list id' },
  money: {
    eq: 'amount',
    not_eq: 'amount',
    lt: 'amount',
    lte: 'amount',
    gt: 'amount',
    gte: 'amount',
    between: 'two amounts',
    is_empty: 'none',
    is_not_empty: 'none',
  },
} as const satisfies Record<Kind, Record<string, string>>

/** How each type of custom field is filtered. Long text only supports tests for presence. */
export const KIND_OF: Record<FieldType, Kind | undefined> = {
  text: 'text',
  long_text: undefined,
  number: 'number',
  date: 'date',
  boolean: 'boolean',
  select: 'choice',
  multi_select: 'list',
  url: 'text',
  email: 'text',
  phone: 'text',
  money: 'money',
  member: 'id',
  contact: 'id',
  company: 'id',
  opportunity: 'id',
}

export const operatorsOf = (kind: Kind | undefined): Record<string, string> =>
  kind ? OPERATORS[kind] : { is_empty: 'none', is_not_empty: 'none' }
