import fc from 'fast-check'
import ICAL from 'ical.js'
import { expect, test } from 'vitest'
import { Steps } from '../../../src/features/calendars/rules/ics-limits.ts'
import { occurrences } from '../../../src/features/calendars/rules/ics-occurrences.ts'
import { readRule } from '../../../src/features/calendars/rules/ics-rule.ts'

const at = (text: string) => Date.parse(`${text}Z`)
const shown = (wall: number) => new Date(wall).toISOString().slice(0, 19)
const endless = Number.POSITIVE_INFINITY
const END = '2040-01-01T00:00:00'

/** The starts of a rule, all of them or those in a range. */
function own(rule: string, start: string, from = start, to = END, limit = 25): string[] {
  const range = { from: at(from), to: at(to), until: endless }
  const found: string[] = []
  for (const wall of occurrences(readRule(rule), at(start), range, new Steps())) {
    if (found.length === limit) break
    found.push(shown(wall))
  }
  return found
}

function foreign(rule: string, start: string, limit = 25): string[] {
  const iterator = ICAL.Recur.fromString(rule).iterator(ICAL.Time.fromDateTimeString(start))
  const found: string[] = []
  for (let next = iterator.next(); next && found.length < limit; next = iterator.next()) found.push(next.toString().slice(0, 19))
  return found.filter((one) => one < END)
}

const some = <T>(values: readonly T[], max = 3) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: max })
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
const days = some(WEEKDAYS).map((list) => `;BYDAY=${list.join(',')}`)
const nths = fc
  .tuple(fc.constantFrom(1, 2, 3, 4, -1, -2), some(WEEKDAYS, 2))
  .map(([nth, list]) => `;BYDAY=${list.map((day) => nth + day).join(',')}`)
const dates = some([1, 2, 13, 28, 29, 30, 31, -1, -2]).map((list) => `;BYMONTHDAY=${list.toSorted((a, b) => a - b).join(',')}`)
/** Days that every month has: ical.js takes the 30th of February for the 2nd of March. */
const safeDates = some([1, 2, 13, 28]).map((list) => `;BYMONTHDAY=${list.toSorted((a, b) => a - b).join(',')}`)
const months = some([1, 2, 3, 6, 10, 12]).map((list) => `;BYMONTH=${list.toSorted((a, b) => a - b).join(',')}`)
const hours = some([0, 7, 9, 17, 23]).map((list) => `;BYHOUR=${list.toSorted((a, b) => a - b).join(',')}`)
const maybe = (part: fc.Arbitrary<string>) => fc.oneof(fc.constant(''), part)
const every = (name: string, ...parts: fc.Arbitrary<string>[]) =>
  fc.tuple(fc.integer({ min: 1, max: 4 }), ...parts).map(([interval, ...rest]) => `FREQ=${name};INTERVAL=${interval}${rest.join('')}`)
const position = fc.constantFrom('', ';BYSETPOS=1', ';BYSETPOS=-1')

/** Rules that ical.js follows as the standard says. It never returns from some others, such as daily ones without a match. */
const rules = fc.oneof(
  every('DAILY', maybe(days), maybe(hours)),
  every('DAILY', months),
  every('WEEKLY', maybe(days), maybe(fc.constantFrom(';WKST=SU', ';WKST=WE'))),
  every('MONTHLY', fc.oneof(days, nths), fc.constant('')),
  every('MONTHLY', days, position),
  every('MONTHLY', dates),
  every('YEARLY', months, safeDates),
  every('YEARLY', months, nths),
  every('YEARLY', fc.constantFrom('', ';BYYEARDAY=1,100,200', ';BYYEARDAY=-1')),
  every('HOURLY', fc.constant('')),
)
const starts = fc
  .date({ min: new Date('2019-01-01T00:00:00Z'), max: new Date('2026-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => shown(date.getTime() - (date.getTime() % 60_000)))

test('300 rules have the occurrences that ical.js finds', () => {
  fc.assert(
    fc.property(rules, starts, (rule, near) => {
      // A series begins with an occurrence of its own rule; the two differ about one that does not.
      const [, start] = own(rule, near, near, END, 2)
      if (start === undefined) return
      expect({ rule, start, found: own(rule, start) }).toEqual({ rule, start, found: foreign(rule, start) })
    }),
    { numRuns: 300 },
  )
})

test('a range begins where it should, however far it is from the start of the series', () => {
  fc.assert(
    fc.property(rules, starts, fc.integer({ min: 0, max: 500 }), (rule, start, days) => {
      const from = shown(at(start) + days * 86_400_000)
      const to = shown(at(from) + 40 * 86_400_000)
      const all = own(rule, start, start, to, endless).filter((one) => one >= from)
      expect({ rule, found: own(rule, start, from, to, endless) }).toEqual({ rule, found: all })
    }),
    { numRuns: 150 },
  )
})

test.each([
  ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO', '1997-05-12T09:00:00', ['1997-05-12', '1998-05-11', '1999-05-17']],
  ['FREQ=YEARLY;BYWEEKNO=-1;BYDAY=WE', '2025-12-24T09:00:00', ['2025-12-24', '2026-12-30', '2027-12-29']],
  ['FREQ=YEARLY;BYDAY=20MO', '1997-05-19T09:00:00', ['1997-05-19', '1998-05-18', '1999-05-17']],
  [
    'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8',
    '1996-11-05T09:00:00',
    ['1996-11-05', '2000-11-07', '2004-11-02'],
  ],
  ['FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13', '1998-02-13T09:00:00', ['1998-02-13', '1998-03-13', '1998-11-13']],
  ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2', '1997-09-29T09:00:00', ['1997-09-29', '1997-10-30', '1997-11-27']],
  ['FREQ=MONTHLY;BYMONTHDAY=31;COUNT=3', '2026-01-31T09:00:00', ['2026-01-31', '2026-03-31', '2026-05-31']],
  ['FREQ=YEARLY', '2024-02-29T09:00:00', ['2024-02-29', '2028-02-29', '2032-02-29']],
  ['FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO', '1997-08-05T09:00:00', ['1997-08-05', '1997-08-10', '1997-08-19', '1997-08-24']],
  ['FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU', '1997-08-05T09:00:00', ['1997-08-05', '1997-08-17', '1997-08-19', '1997-08-31']],
  ['FREQ=DAILY;COUNT=2;INTERVAL=999999999', '2026-01-01T09:00:00', ['2026-01-01']],
  ['FREQ=YEARLY;INTERVAL=999999999', '2026-01-01T09:00:00', ['2026-01-01']],
])('%s from %s, as in the standard', (rule, start, days) => {
  expect(own(rule, start, start, END, days.length).map((one) => one.slice(0, 10))).toEqual(days)
})

test('shorter rules are limited by the longer parts', () => {
  const rule = 'FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10;BYDAY=MO;COUNT=8'
  expect(own(rule, '2026-11-23T09:00:00').slice(-3)).toEqual(['2026-11-23T10:40:00', '2026-11-30T09:00:00', '2026-11-30T09:20:00'])
  expect(own('FREQ=HOURLY;BYMINUTE=0,30;COUNT=3', '2026-11-23T09:00:00')).toEqual([
    ...['2026-11-23T09:00:00', '2026-11-23T09:30:00', '2026-11-23T10:00:00'],
  ])
  expect(own('FREQ=SECONDLY;INTERVAL=45;COUNT=3', '2026-11-23T09:00:00').at(-1)).toBe('2026-11-23T09:01:30')
})

test('rules without an occurrence and without an end come to an end', () => {
  const window = ['2026-11-01T00:00:00', '2027-01-01T00:00:00'] as const
  expect(own('FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', '2001-01-01T00:00:00', ...window)).toEqual([])
  expect(own('FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30', '2001-01-01T00:00:00', ...window)).toEqual([])
  expect(own('FREQ=MONTHLY;BYDAY=1TH;BYSETPOS=2', '2001-01-01T00:00:00', ...window)).toEqual([])
  const costly = () => own('FREQ=SECONDLY;COUNT=900000000', '2001-01-01T00:00:00', ...window)
  expect(costly).toThrow('too many occurrences')
})
