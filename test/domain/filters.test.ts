import { describe, expect, test } from 'vitest'
import { CATALOGUE, catalogueOf } from '../../src/domain/filters/catalogue.ts'
import { keyFrom } from '../../src/domain/filters/custom-types.ts'
import { operatorsOf } from '../../src/domain/filters/kinds.ts'
import { parseFilter } from '../../src/domain/filters/parse.ts'
import { type ObjectName, ROOTS } from '../../src/domain/filters/types.ts'

const id = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'
const city = { field: 'city', op: 'eq', value: 'Perth' }
const issuesOf = (filter: unknown, object: ObjectName = 'contacts') => parseFilter(object, filter).issues.map(({ path }) => path)
const testOf = (field: string, op: string, value?: unknown, object: ObjectName = 'contacts') => {
  const { filter, issues } = parseFilter(object, { field, op, value })
  expect(issues).toEqual([])
  return filter as unknown
}
/** Groups in groups, `depth` of them. */
const nested = (depth: number, filter: unknown) => Array.from({ length: depth }).reduce((inner) => ({ all: [inner] }), filter)

test.each<[string, unknown, string[]]>([
  ['no object', 'city', ['']],
  ['a list', [city], ['']],
  ['null', null, ['']],
  ['nothing', {}, ['']],
  ['two forms at once', { all: [city], any: [city] }, ['']],
  ['an empty group', { all: [] }, ['.all']],
  ['a group that is no list', { any: city }, ['.any']],
  ['an unknown key beside a group', { all: [city], also: 1 }, ['.also']],
  ['an unknown key in a condition', { ...city, case: true }, ['.case']],
  ['an unknown field', { field: 'colour', op: 'eq', value: 1 }, ['.field']],
  ['a field of the prototype', { field: 'constructor', op: 'eq', value: 1 }, ['.field']],
  ['a field that is no text', { field: 7, op: 'eq', value: 1 }, ['.field']],
  ['a column that is not public', { field: 'workspace_id', op: 'eq', value: id }, ['.field']],
  ['a hidden column', { field: 'search_text', op: 'contains', value: 'x' }, ['.field']],
  ['metadata as a whole', { field: 'metadata', op: 'is_empty' }, ['.field']],
  ['a custom key that cannot be one', { field: "metadata.x' or 1=1", op: 'is_empty' }, ['.field']],
  ['a day that depends on the clock, of a timestamp', { field: 'created_at', op: 'days_ago', value: { days: 1 } }, ['.op']],
  ['no operator', { field: 'city', value: 'x' }, ['.op']],
  ['an unknown operator', { field: 'city', op: 'like', value: 'x' }, ['.op']],
  ['an operator of the prototype', { field: 'city', op: 'toString', value: 'x' }, ['.op']],
  ['an operator of another kind', { field: 'city', op: 'gt', value: 1 }, ['.op']],
  ['an unknown operator of a custom field', { field: 'metadata.tier', op: 'like', value: 'x' }, ['.op']],
  ['a value that no type of custom field has', { field: 'metadata.tier', op: 'eq', value: {} }, ['.value']],
  ['no value', { field: 'city', op: 'eq' }, ['.value']],
  ['null as a value', { field: 'city', op: 'eq', value: null }, ['.value']],
  ['a number for text', { field: 'city', op: 'eq', value: 1 }, ['.value']],
  ['blank text', { field: 'city', op: 'eq', value: ' ' }, ['.value']],
  ['text with a NUL', { field: 'city', op: 'eq', value: 'a\0' }, ['.value']],
  ['too long a text', { field: 'city', op: 'eq', value: 'x'.repeat(501) }, ['.value']],
  ['a value where none is due', { field: 'city', op: 'is_empty', value: true }, ['.value']],
  ['an empty list', { field: 'city', op: 'in', value: [] }, ['.value']],
  ['too long a list', { field: 'city', op: 'in', value: Array(101).fill('x') }, ['.value']],
  ['a bad member of a list', { field: 'city', op: 'in', value: ['a', 'b', 3] }, ['.value.2']],
  ['a choice that is not offered', { field: 'source', op: 'eq', value: 'fax' }, ['.value']],
  ['a bad choice in a list', { field: 'source', op: 'in', value: ['api', 'fax'] }, ['.value.1']],
  ['a malformed id', { field: 'customer_id', op: 'eq', value: '7' }, ['.value']],
  ['text for a boolean', { field: 'is_primary', op: 'eq', value: 'true' }, ['.value']],
  ['a day that does not exist', { field: 'date_of_birth', op: 'on', value: '2026-02-30' }, ['.value']],
  ['a moment for a date', { field: 'date_of_birth', op: 'before', value: '2026-02-03T00:00:00Z' }, ['.value']],
  ['a moment to be on', { field: 'created_at', op: 'on', value: '2026-02-03T00:00:00Z' }, ['.value']],
  ['a range of one', { field: 'created_at', op: 'between', value: ['2026-01-01'] }, ['.value']],
  ['a range backwards', { field: 'created_at', op: 'between', value: ['2026-02-01', '2026-01-01'] }, ['.value']],
  ['days as a number', { field: 'created_at', op: 'within_last', value: 30 }, ['.value']],
  ['days and more', { field: 'created_at', op: 'within_last', value: { days: 1, hours: 2 } }, ['.value']],
  ['days below zero', { field: 'created_at', op: 'within_next', value: { days: -1 } }, ['.value']],
  ['half a day', { field: 'created_at', op: 'within_last', value: { days: 0.5 } }, ['.value']],
  ['letters in part of a phone number', { field: 'phone', op: 'contains', value: 'abc' }, ['.value']],
  ['an unknown relation', { has: 'friends' }, ['.has']],
  ['a relation of the prototype', { has: 'toString' }, ['.has']],
  ['a field that the related object lacks', { has: 'company', where: { field: 'first_name', op: 'eq', value: 'x' } }, ['.where.field']],
  ['an empty where', { has: 'company', where: {} }, ['.where']],
  [
    'several faults, each where it is',
    { all: [city, { field: 'x', op: 'eq', value: 1 }, { not: { field: 'city', op: 'gt' } }] },
    ['.all.1.field', '.all.2.not.op'],
  ],
])('refuses %s', (_, filter, paths) => {
  expect(issuesOf(filter)).toEqual(paths)
  expect(parseFilter('contacts', filter).filter).toBeUndefined()
})

test.each<[string, string, unknown]>([
  ['a number as text', 'eq', '5'],
  ['a number that is none', 'gt', Number.POSITIVE_INFINITY],
  ['a range backwards', 'between', [2, 1]],
])('refuses %s for a number', (_, op, value) => {
  expect(issuesOf({ field: 'value', op, value }, 'opportunities')).toEqual(['.value'])
})

describe('limits', () => {
  test('fifty conditions, wherever they stand', () => {
    expect(issuesOf({ all: Array(50).fill(city) })).toEqual([])
    expect(parseFilter('contacts', { all: Array(51).fill(city) }).issues).toEqual([
      { path: '', message: 'must have at most 50 conditions' },
    ])
    expect(issuesOf({ any: [{ all: Array(25).fill(city) }, { has: 'company', where: { all: Array(25).fill(city) } }] })).toEqual([''])
  })

  test('five groups in one another', () => {
    expect(issuesOf(nested(5, city))).toEqual([])
    expect(issuesOf(nested(6, city))).toEqual(['.all.0.all.0.all.0.all.0.all.0'])
    expect(issuesOf({ not: { not: { not: { has: 'company', where: { any: [{ all: [city] }] } } } } })).toEqual(['.not.not.not.where.any.0'])
    expect(issuesOf(nested(10_000, city))).toHaveLength(1)
  })
})

describe('what an operator comes down to', () => {
  test.each<[string, string, unknown, object]>([
    ['city', 'eq', ' Perth ', { test: { is: 'in', values: ['Perth'] }, not: false }],
    ['city', 'not_in', ['a', 'b'], { test: { is: 'in', values: ['a', 'b'] }, not: true }],
    ['city', 'not_contains', 'x', { test: { is: 'like', texts: ['x'], from: 'anywhere' }, not: true }],
    ['city', 'is_not_empty', undefined, { test: { is: 'empty' }, not: true }],
    ['email', 'eq', 'ANA@Example.com', { test: { is: 'in', values: ['ana@example.com'] } }],
    ['phone', 'eq', '0412 345 678', { test: { is: 'in', values: ['+61412345678'] } }],
    ['phone', 'starts_with', '+61 (4)', { test: { is: 'like', texts: ['+614'], from: 'start' } }],
    ['customer_id', 'eq', id.toUpperCase(), { test: { is: 'in', values: [id] } }],
    [
      'date_of_birth',
      'on',
      '2026-01-02',
      { test: { is: 'times', low: { at: { day: '2026-01-02' }, open: false }, high: { at: { day: '2026-01-02' }, open: false } } },
    ],
    [
      'created_at',
      'after',
      '2026-01-02T10:00:00+10:00',
      { test: { is: 'times', low: { at: { instant: '2026-01-02T00:00:00.000Z' }, open: true } } },
    ],
    [
      'created_at',
      'between',
      ['2026-01-02', '2026-01-02T09:00:00Z'],
      { test: { is: 'times', high: { at: { instant: '2026-01-02T09:00:00.000Z' }, open: false } } },
    ],
    [
      'created_at',
      'within_last',
      { days: 7 },
      { test: { is: 'times', low: { at: { days: -7 }, open: false }, high: { at: { days: 0 }, open: false } } },
    ],
    ['alternate_emails', 'contains', 'A@x.co', { test: { is: 'in', values: ['a@x.co'] }, not: false }],
    ['alternate_phones', 'in', ['0412 345 678'], { test: { is: 'in', values: ['+61412345678'] }, not: false }],
    ['alternate_emails', 'not_contains', ['a@x.co'], { test: { is: 'in', values: ['a@x.co'] }, not: true }],
  ])('%s %s', (field, op, value, expected) => {
    expect(testOf(field, op, value)).toMatchObject({ type: 'field', field, ...expected })
  })

  test('a custom field is of a type that fits operator and value', () => {
    expect(testOf('metadata.score', 'gt', 5)).toMatchObject({ key: 'score', offered: ['number', 'money'], fits: ['number'] })
    expect(testOf('custom.since', 'between', ['2026-01-01', '2026-02-01'])).toMatchObject({
      offered: ['number', 'date', 'money'],
      fits: ['date'],
    })
    expect(testOf('metadata.tier', 'eq', 'Gold')).toMatchObject({
      offered: ['text', 'number', 'boolean', 'select', 'url', 'email', 'phone', 'money', 'member', 'contact', 'company', 'opportunity'],
      fits: ['text', 'select', 'url', 'email', 'phone'],
    })
    expect(testOf('metadata.likes', 'not_contains', ['A'])).toMatchObject({ fits: ['multi_select'], not: true })
  })
})

test.each(ROOTS)('every field of %s has operators, and every relation leads somewhere', (object) => {
  const { fields, relations } = catalogueOf(object)
  for (const { kind } of Object.values(fields)) expect(Object.keys(operatorsOf(kind)).length).toBeGreaterThan(1)
  for (const target of Object.values(relations)) expect(Object.keys(CATALOGUE)).toContain(target)
})

test.each([
  ['Account tier', 'account_tier'],
  ['Höhe (cm)', 'hohe_cm'],
  ['2nd choice', 'nd_choice'],
  ['  Très  cher! ', 'tres_cher'],
  ['日本', undefined],
])('a key made of %s', (label, key) => {
  expect(keyFrom(label)).toBe(key)
})
