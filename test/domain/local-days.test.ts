import { expect, test } from 'vitest'
import { needsPlace, placeDays } from '../../src/domain/filters/local-days.ts'
import type { Filter } from '../../src/domain/filters/types.ts'
import { dayAfter, dayIn, startOfDay } from '../../src/domain/local-days.ts'

const ZONES = [
  'Australia/Sydney',
  'America/Edmonton',
  'Africa/Casablanca',
  'Africa/Cairo',
  'America/Havana',
  'Asia/Beirut',
  'Pacific/Apia',
  'Australia/Lord_Howe',
]
const DAYS = [
  '2026-03-08',
  '2026-03-29',
  '2026-04-05',
  '2026-04-24',
  '2026-10-04',
  '2026-10-29',
  '2026-11-01',
  '2027-01-15',
  '2027-07-15',
  '2011-12-29',
  '2011-12-31',
]

test.each(ZONES)('the days of %s have no gap and no overlap, also when its clocks change', (zone) => {
  for (const day of DAYS) {
    const start = new Date(startOfDay(zone, day))
    expect(dayIn(zone, start)).toBe(day)
    expect(dayIn(zone, new Date(start.getTime() - 1)) < day).toBe(true)
  }
})

test('a day that does not exist where the date line was crossed begins with the next one', () => {
  expect(startOfDay('Pacific/Apia', '2011-12-30')).toBe(startOfDay('Pacific/Apia', '2011-12-31'))
})

test('the first and the last days of the calendar', () => {
  expect(startOfDay('Australia/Sydney', '0001-01-01')).toBe('-infinity')
  expect(startOfDay('America/New_York', dayAfter('9999-12-31', 1))).toBe('infinity')
  expect(startOfDay('UTC', '0001-01-01')).toBe('0001-01-01T00:00:00.000Z')
})

const on = (field: string, day: string): Filter => ({
  type: 'field',
  field,
  not: false,
  test: { is: 'times', low: { at: { day }, open: false }, high: { at: { day }, open: false } },
})
const within = (field: string, from: number, to: number): Filter => ({
  type: 'field',
  field,
  not: false,
  test: { is: 'times', low: { at: { days: from }, open: false }, high: { at: { days: to }, open: false } },
})
const place = { now: new Date('2026-11-01T05:30:00Z'), zone: 'America/New_York' }

test('a day of a timestamp becomes instants, and 25 hours long when the clocks go back', () => {
  const placed = placeDays('contacts', { type: 'not', of: { type: 'all', of: [on('created_at', '2026-11-01')] } }, place)
  expect(JSON.stringify(placed)).toContain(
    '"low":{"at":{"instant":"2026-11-01T04:00:00.000Z"},"open":false},"high":{"at":{"instant":"2026-11-02T05:00:00.000Z"},"open":true}',
  )
})

test('days from today become dates, also of related records and custom fields', () => {
  const custom: Filter = { ...within('x', -1, 0), type: 'custom', key: 'since', at: '', offered: [], fits: [] } as never
  const related: Filter = { type: 'has', relation: 'opportunities', object: 'opportunities', where: within('expected_close_date', 0, 31) }
  const text = JSON.stringify(placeDays('contacts', { type: 'any', of: [custom, related] }, place))
  for (const day of ['2026-10-31', '2026-11-01', '2026-12-02']) expect(text).toContain(`{"day":"${day}"}`)
  expect(text).not.toContain('"days"')
})

test('what needs no time zone', () => {
  expect(needsPlace('contacts', on('date_of_birth', '2026-11-01'))).toBe(false)
  expect(needsPlace('contacts', within('created_at', -7, 0))).toBe(false)
  expect(needsPlace('contacts', within('date_of_birth', -7, 0))).toBe(true)
  expect(needsPlace('contacts', on('created_at', '2026-11-01'))).toBe(true)
})
