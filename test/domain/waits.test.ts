import { expect, test } from 'vitest'
import { intoWindow, momentOf, plusDuration } from '../../src/features/automations/rules/waits.ts'

const ROME = 'Europe/Rome'
const at = (text: string) => new Date(text)

test.each([
  ['2026-07-01', '2026-07-01T07:00:00.000Z'],
  ['2026-12-01', '2026-12-01T08:00:00.000Z'],
  ['2026-07-01T10:00:00+10:00', '2026-07-01T00:00:00.000Z'],
  ['2026-07-01T10:00:00Z', '2026-07-01T10:00:00.000Z'],
])('%s is a moment', (text, moment) => {
  expect(momentOf(text, '09:00', ROME)?.toISOString()).toBe(moment)
})

test.each(['2026-02-31', '2026-13-01', '2026-07-01T10:00:00', '2026-07-01T25:00:00Z', 'tomorrow', '1 July 2026', ''])(
  '"%s" is no moment',
  (text) => {
    expect(momentOf(text, '09:00', ROME)).toBeUndefined()
  },
)

test('days and weeks keep the time of day across a change of the clocks, hours and minutes do not', () => {
  const before = at('2026-03-28T08:00:00Z')
  const after = (amount: number, unit: 'minutes' | 'hours' | 'days' | 'weeks') => plusDuration(before, { amount, unit }, ROME).toISOString()
  expect(after(1, 'days')).toBe('2026-03-29T07:00:00.000Z')
  expect(after(1, 'weeks')).toBe('2026-04-04T07:00:00.000Z')
  expect(after(24, 'hours')).toBe('2026-03-29T08:00:00.000Z')
  expect(after(90, 'minutes')).toBe('2026-03-28T09:30:00.000Z')
})

// 30 November 2026 is a Monday.
test.each<[name: string, days: number[] | undefined, from: string, moment: string]>([
  ['within it', undefined, '2026-11-30T09:30:00Z', '2026-11-30T09:30:00.000Z'],
  ['before it', undefined, '2026-11-30T05:00:00Z', '2026-11-30T08:00:00.000Z'],
  ['at its end', undefined, '2026-11-30T16:00:00Z', '2026-12-01T08:00:00.000Z'],
  ['after it, before a day without one', [1], '2026-11-30T20:00:00Z', '2026-12-07T08:00:00.000Z'],
  ['on a day without one', [0], '2026-11-30T09:30:00Z', '2026-12-06T08:00:00.000Z'],
  ['on the last day that has one', [1], '2026-12-01T09:30:00Z', '2026-12-07T08:00:00.000Z'],
])('a moment %s is moved into the window', (_, days, from, moment) => {
  const window = { from: '09:00', to: '17:00', ...(days && { days }) }
  expect(intoWindow(at(from), window, ROME).toISOString()).toBe(moment)
})
