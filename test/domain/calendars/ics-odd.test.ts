import { expect, test } from 'vitest'
import { readIcs } from '../../../src/features/calendars/rules/ics.ts'
import { readRule } from '../../../src/features/calendars/rules/ics-rule.ts'
import { readDuration, readWhen } from '../../../src/features/calendars/rules/ics-values.ts'

const WINDOW = { from: Date.parse('2026-11-01T00:00:00Z'), to: Date.parse('2026-12-01T00:00:00Z'), zone: 'Europe/Berlin' }
const calendar = (...lines: string[]) => ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n')
const event = (...lines: string[]) => ['BEGIN:VEVENT', 'UID:a@example.com', ...lines, 'END:VEVENT'].join('\r\n')
const minute = (at: number) => new Date(at).toISOString().slice(0, 16)
const busy = (...lines: string[]) => readIcs(calendar(...lines), WINDOW).busy.map(([from, to]) => `${minute(from)} ${minute(to)}`)

const zone = (name: string, ...observances: string[][]) => [
  ...['BEGIN:VTIMEZONE', `TZID:${name}`],
  ...observances.flatMap((lines) => ['BEGIN:STANDARD', ...lines, 'END:STANDARD']),
  'END:VTIMEZONE',
]
const at = (name: string) => event(`DTSTART;TZID=${name}:20261123T090000`, 'DURATION:PT1H')

test('a zone of the file may be west of Greenwich, have offsets of minutes and seconds, and changes that are listed or that end', () => {
  const west = zone('West', ['DTSTART:16010101T000000', 'TZOFFSETFROM:-0300', 'TZOFFSETTO:-0330'])
  expect(busy(...west, at('West'))).toEqual(['2026-11-23T12:30 2026-11-23T13:30'])
  const seconds = zone('Old', ['DTSTART:16010101T000000', 'TZOFFSETFROM:+000000', 'TZOFFSETTO:-010030'])
  expect(busy(...seconds, at('Old'))).toEqual(['2026-11-23T10:00 2026-11-23T11:00'])
  const listed = zone(
    'Listed',
    ['DTSTART:20200101T000000', 'TZOFFSETFROM:+0100', 'TZOFFSETTO:+0200', 'RDATE:20261101T000000'],
    ['DTSTART:20200601T000000', 'TZOFFSETFROM:+0200', 'TZOFFSETTO:+0100'],
  )
  expect(busy(...listed, at('Listed'))).toEqual(['2026-11-23T07:00 2026-11-23T08:00'])
  const ended = zone(
    'Ended',
    ['DTSTART:20100101T000000', 'TZOFFSETFROM:+0100', 'TZOFFSETTO:+0500', 'RRULE:FREQ=YEARLY;UNTIL=20150101T000000Z'],
    ['DTSTART:20150601T000000', 'TZOFFSETFROM:+0500', 'TZOFFSETTO:+0300'],
  )
  expect(busy(...ended, at('Ended'))).toEqual(['2026-11-23T06:00 2026-11-23T07:00'])
})

test('a zone that says nothing usable is the own one, unless its place is named', () => {
  const lines: [string, string[]][] = [
    ['no offset before', ['DTSTART:16010101T000000', 'TZOFFSETTO:-0500']],
    ['no offset after', ['DTSTART:16010101T000000', 'TZOFFSETFROM:-0500']],
    ['no start', ['TZOFFSETFROM:-0500', 'TZOFFSETTO:-0500']],
    ['an unreadable offset', ['DTSTART:16010101T000000', 'TZOFFSETFROM:-5', 'TZOFFSETTO:-0500']],
  ]
  for (const [what, observance] of lines)
    expect(busy(...zone('Odd', observance), at('Odd')), what).toEqual(['2026-11-23T08:00 2026-11-23T09:00'])
  const named = ['BEGIN:VTIMEZONE', 'TZID:Odd', 'X-LIC-LOCATION:America/New_York', 'END:VTIMEZONE']
  expect(busy(...named, at('Odd'))).toEqual(['2026-11-23T14:00 2026-11-23T15:00'])
})

test('an event ends on the clocks of where it ends', () => {
  const flight = event('DTSTART;TZID=America/New_York:20261123T180000', 'DTEND;TZID=Europe/London:20261124T060000')
  expect(busy(flight)).toEqual(['2026-11-23T23:00 2026-11-24T06:00'])
  const weekly = event(
    'DTSTART;TZID=America/New_York:20261103T180000',
    'DTEND;TZID=Europe/London:20261104T060000',
    'RRULE:FREQ=WEEKLY;COUNT=2',
  )
  expect(busy(weekly)).toEqual(['2026-11-03T23:00 2026-11-04T06:00', '2026-11-10T23:00 2026-11-11T06:00'])
  // A day that ends at a time still lasts a day.
  expect(busy(event('DTSTART;VALUE=DATE:20261123', 'DTEND:20261123T060000'))).toEqual(['2026-11-22T23:00 2026-11-23T23:00'])
})

const HOUR = 3_600_000
test.each([
  ['PT90M', { days: 0, time: 1.5 * HOUR }],
  ['P1W2DT3H4M5S', { days: 9, time: 3 * HOUR + 245_000 }],
  ['+P1D', { days: 1, time: 0 }],
  ['-PT15M', { days: 0, time: -HOUR / 4 }],
  ['-P1DT1H', { days: -1, time: -HOUR }],
  ['1H', undefined],
  ['P1Y', undefined],
])('the duration %s is %j', (text, duration) => {
  const read = readDuration(text)
  // Zero has no sign.
  expect(read && { days: read.days + 0, time: read.time + 0 }).toEqual(duration)
})

test.each(['20261123T256000Z', '20261123T096000Z', '20261123T090061Z', '20260230', '20261301', '20260001', '20260100', '2026-11-23', ''])(
  '%s is no time',
  (text) => expect(readWhen(text, undefined)).toBeUndefined(),
)
test('the end of a day and a leap second are times', () => {
  expect(readWhen('20261123T240000Z', undefined)?.wall).toBe(Date.parse('2026-11-24T00:00Z'))
  expect(readWhen('20261123T235960Z', undefined)?.wall).toBe(Date.parse('2026-11-23T23:59:59Z'))
})

test.each([
  ['FREQ', 'INTERVAL=2'],
  ['FREQ', 'FREQ=FORTNIGHTLY'],
  ['INTERVAL', 'FREQ=DAILY;INTERVAL=0'],
  ['INTERVAL', 'FREQ=DAILY;INTERVAL=two'],
  ['COUNT', 'FREQ=DAILY;COUNT=-1'],
  ['UNTIL', 'FREQ=DAILY;UNTIL=tomorrow'],
  ['BYMONTH', 'FREQ=YEARLY;BYMONTH=June'],
  ['BYDAY', 'FREQ=WEEKLY;BYDAY=XX'],
])('a rule whose %s cannot be read is refused, since its times are unknown: %s', (name, rule) => {
  expect(() => readRule(rule)).toThrow(`whose ${name} cannot be read`)
})

test('values of a rule that no calendar has are left out', () => {
  expect(readRule('FREQ=YEARLY;BYMONTH=0,2,13;BYMONTHDAY=-31,0,32;BYHOUR=-1,0,24;COUNT=3;FLAG')).toMatchObject({
    months: [2],
    monthDays: [-31],
    hours: [0],
    count: 3,
  })
})
