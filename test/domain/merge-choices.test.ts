import { expect, test } from 'vitest'
import type { Row } from '../../src/features/merges/rules/draft.ts'
import { type Case, decide } from './merge-cases.ts'

test.each<Case>([
  [
    'notes are appended to none when nothing is filled',
    { notes: null },
    [{ notes: 'Met in May' }],
    { fill: false, appendNotes: true },
    { notes: 'Met in May' },
    { notes: ['a'] },
  ],
  ['notes of spaces are not appended', { notes: 'Own' }, [{ notes: '  ' }, { notes: ' Own ' }], { appendNotes: true }, {}, {}],
  [
    'a first name that was chosen is kept against one of a loser',
    { first_name: 'ana', first_name_derived: true },
    [{ first_name: 'Ana', first_name_derived: false }],
    { overrides: { first_name: 'Anna' } },
    { first_name: 'Anna' },
  ],
  [
    'a first name that nobody chose gives way',
    { first_name: 'ana', first_name_derived: true },
    [{ first_name: 'Ana', first_name_derived: false }],
    {},
    { first_name: 'Ana' },
  ],
  [
    'a person who was the primary contact stays one, unless the caller says otherwise',
    { is_primary: false, customer_id: 'c' },
    [{ is_primary: true, customer_id: 'c' }],
    { overrides: { is_primary: false } },
    {},
  ],
  [
    'a primary contact of another company makes no primary contact',
    { is_primary: false, customer_id: 'c' },
    [{ is_primary: true, customer_id: 'd' }],
    {},
    {},
  ],
  [
    'a withdrawn consent stays withdrawn without filling',
    { sms_unsubscribed: false, is_referrer: false },
    [{ sms_unsubscribed: true, is_referrer: true }],
    { fill: false },
    { sms_unsubscribed: true },
    { sms_unsubscribed: ['a'] },
  ],
  [
    'null in the metadata of the caller removes a key, and null that was stored stays',
    { metadata: { tier: 'Gold', code: 'A', old: null } },
    [{ metadata: { tier: 'Silver' } }],
    { overrides: { metadata: { tier: null } } },
    { metadata: { code: 'A', old: null } },
  ],
])('%s', (...of: Case) => {
  const [, , , , values, sources] = of
  const decided = decide(of)
  expect(decided.issues).toEqual([])
  expect(decided.values).toEqual(values)
  if (sources) expect(decided.sources).toEqual(sources)
})

test('a value or a currency is no choice while the line items of the winner decide it, unless it is what is stored', () => {
  const of = (overrides: Row) =>
    decide(['', { value: 5, currency: 'AUD', value_source: 'total' }, [{ currency: 'AUD' }], { entity: 'opportunity', overrides }, {}])
  for (const [field, other, same] of [
    ['value', 6, 5],
    ['currency', 'EUR', 'AUD'],
  ] as const) {
    expect(of({ [field]: other }).issues).toMatchObject([{ path: `field_overrides.${field}` }])
    expect(of({ [field]: same }).issues).toEqual([])
  }
})
