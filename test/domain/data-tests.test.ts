import { expect, test } from 'vitest'
import { DATA_OPERATORS, type DataTest, meets } from '../../src/features/automations/rules/data-tests.ts'

const DATA = {
  payload: {
    title: 'Call Ana',
    value: 500,
    due: '2026-11-29T10:00:00.000Z',
    tags: [{ name: 'VIP' }, { name: 'old' }],
    note: '',
    none: null,
  },
  changes: { title: { before: 'Call', after: 'Call Ana' }, note: { before: 'x', after: null } },
}
type Case = [field: string, value?: unknown]
/** What meets each operator, and what does not. */
const CASES: Record<(typeof DATA_OPERATORS)[number], [met: Case[], unmet: Case[]]> = {
  eq: [
    [
      ['payload.title', 'call ana'],
      ['payload.value', 500],
      ['payload.none', null],
    ],
    [
      ['payload.title', 'Call'],
      ['payload.value', '500'],
      ['payload.missing', 'x'],
    ],
  ],
  not_eq: [[['payload.title', 'Call']], [['payload.title', 'CALL ANA']]],
  in: [
    [['payload.value', [1, 500]]],
    [
      ['payload.value', [1, 2]],
      ['payload.value', []],
    ],
  ],
  not_in: [[['payload.value', [1, 2]]], [['payload.title', ['x', 'CALL ANA']]]],
  contains: [
    [
      ['payload.title', 'ANA'],
      ['payload.tags', 'vip'],
    ],
    [
      ['payload.title', 'Bo'],
      ['payload.tags', 'vi'],
      ['payload.value', '5'],
    ],
  ],
  not_contains: [[['payload.tags', 'new']], [['payload.tags', 'OLD']]],
  starts_with: [
    [['payload.title', 'CALL']],
    [
      ['payload.title', 'Ana'],
      ['payload.value', '5'],
    ],
  ],
  lt: [
    [
      ['payload.value', 501],
      ['payload.due', '2026-11-30'],
    ],
    [
      ['payload.value', 500],
      ['payload.note', 'x'],
    ],
  ],
  lte: [
    [['payload.value', 500]],
    [
      ['payload.value', 499],
      ['payload.missing', 1],
    ],
  ],
  // Not as texts, of which '500' follows '1000'.
  gt: [
    [['payload.value', '99']],
    [
      ['payload.value', '1000'],
      ['payload.value', 500],
    ],
  ],
  gte: [
    [['payload.value', 500]],
    [
      ['payload.value', 501],
      ['payload.none', 0],
    ],
  ],
  is_empty: [
    [['payload.note'], ['payload.none'], ['payload.missing']],
    [['payload.value'], ['payload.tags']],
  ],
  is_not_empty: [
    [['payload.tags'], ['payload.value']],
    [['payload.note'], ['payload.none']],
  ],
  changed: [[['title'], ['payload.title'], ['note']], [['payload.value']]],
  changed_from: [
    [
      ['title', 'call'],
      ['payload.note', 'X'],
    ],
    [
      ['title', 'Call Ana'],
      ['value', null],
    ],
  ],
  changed_to: [
    [
      ['title', 'Call Ana'],
      ['note', null],
    ],
    [
      ['title', 'Call'],
      ['value', 500],
    ],
  ],
}

test.each(DATA_OPERATORS)('a condition with %s', (op) => {
  const [met, unmet] = CASES[op]
  const of = ([field, value]: Case): DataTest => ({ field, op, value })
  for (const one of met) expect(meets(DATA, of(one)), JSON.stringify(one)).toBe(true)
  for (const one of unmet) expect(meets(DATA, of(one)), JSON.stringify(one)).toBe(false)
})

test('groups of conditions', () => {
  const [yes, no] = [
    { field: 'payload.value', op: 'eq', value: 500 },
    { field: 'payload.value', op: 'eq', value: 1 },
  ] as [DataTest, DataTest]
  expect([meets(DATA, { all: [yes, yes] }), meets(DATA, { all: [yes, no] })]).toEqual([true, false])
  expect([meets(DATA, { any: [no, yes] }), meets(DATA, { any: [no, no] })]).toEqual([true, false])
  expect([meets(DATA, { not: no }), meets(DATA, { not: yes })]).toEqual([true, false])
})
