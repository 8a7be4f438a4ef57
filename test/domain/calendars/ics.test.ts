import { expect, test } from 'vitest'
import { readIcs } from '../../../src/features/calendars/rules/ics.ts'
import { windowsZones, zoneOfWindows } from '../../../src/features/calendars/rules/windows-zones.ts'

const WINDOW = { from: Date.parse('2026-11-01T00:00:00Z'), to: Date.parse('2026-12-01T00:00:00Z'), zone: 'Europe/Berlin' }
const calendar = (...lines: string[]) => ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n')
const event = (...lines: string[]) => ['BEGIN:VEVENT', 'UID:a@example.com', ...lines, 'END:VEVENT'].join('\r\n')
const minute = (at: number) => new Date(at).toISOString().slice(0, 16)
const read = (text: string, window = WINDOW) => readIcs(text, window)
const busy = (...lines: string[]) => read(calendar(...lines)).busy.map(([from, to]) => `${minute(from)} ${minute(to)}`)
const starts = (...lines: string[]) => busy(...lines).map((one) => one.slice(0, 16))

test('single events: instants, times in a zone, floating times, days', () => {
  expect(busy(event('DTSTART:20261123T090000Z', 'DTEND:20261123T100000Z'))).toEqual(['2026-11-23T09:00 2026-11-23T10:00'])
  expect(busy(event('DTSTART;TZID=America/New_York:20261123T090000', 'DURATION:PT90M'))).toEqual(['2026-11-23T14:00 2026-11-23T15:30'])
  expect(busy(event('DTSTART:20261123T090000', 'DTEND:20261123T100000'))).toEqual(['2026-11-23T08:00 2026-11-23T09:00'])
  expect(busy(event('DTSTART;VALUE=DATE:20261123'))).toEqual(['2026-11-22T23:00 2026-11-23T23:00'])
  expect(busy(event('DTSTART;VALUE=DATE:20261123', 'DTEND;VALUE=DATE:20261125'))).toEqual(['2026-11-22T23:00 2026-11-24T23:00'])
  expect(busy(event('DTSTART;VALUE=DATE:20261123', 'DTEND;VALUE=DATE:20261123'))).toEqual(['2026-11-22T23:00 2026-11-23T23:00'])
  expect(busy(event('DTSTART:20261123T090000Z'))).toEqual([])
})

test('the zone of the feed goes before that of the calendar', () => {
  const text = calendar('X-WR-TIMEZONE:Australia/Sydney', 'X-WR-CALNAME:Ana', event('DTSTART:20261123T090000', 'DTEND:20261123T100000'))
  expect(read(text)).toMatchObject({
    name: 'Ana',
    timezone: 'Australia/Sydney',
    busy: [[Date.parse('2026-11-22T22:00Z'), Date.parse('2026-11-22T23:00Z')]],
  })
})

test('what does not occupy time is left out; what touches the range is cut at it', () => {
  const times = ['DTSTART:20261123T090000Z', 'DTEND:20261123T100000Z']
  expect(busy(event(...times, 'TRANSP:TRANSPARENT'), event(...times, 'STATUS:CANCELLED'))).toEqual([])
  expect(busy(event(...times, 'X-MICROSOFT-CDO-BUSYSTATUS:FREE'), event('DTSTART:20250101T090000Z', 'DTEND:20250101T100000Z'))).toEqual([])
  expect(busy(event('DTSTART:20261031T230000Z', 'DTEND:20261101T010000Z'))).toEqual(['2026-11-01T00:00 2026-11-01T01:00'])
  const two = ['BEGIN:VALARM', 'TRIGGER:-PT15M', 'DURATION:PT5H', 'END:VALARM']
  expect(busy(event(...times, ...two), event('DTSTART:20261123T093000Z', 'DTEND:20261123T110000Z'))).toEqual([
    '2026-11-23T09:00 2026-11-23T11:00',
  ])
})

test('a series that never ends is read where the range is, at its local time across the change of the clocks', () => {
  const series = event(
    'DTSTART;TZID=Europe/Berlin:19990104T090000',
    'DTEND;TZID=Europe/Berlin:19990104T100000',
    'RRULE:FREQ=WEEKLY;BYDAY=MO',
  )
  expect(starts(series)).toEqual(['2026-11-02T08:00', '2026-11-09T08:00', '2026-11-16T08:00', '2026-11-23T08:00', '2026-11-30T08:00'])
  const summer = { from: Date.parse('2026-10-19T00:00Z'), to: Date.parse('2026-10-28T00:00Z'), zone: 'UTC' }
  expect(read(calendar(series), summer).busy.map(([from]) => minute(from))).toEqual(['2026-10-19T07:00', '2026-10-26T08:00'])
})

test('occurrences that are excluded, added, moved and cancelled', () => {
  const at = (day: string) => `TZID=Europe/Berlin:202611${day}T090000`
  const series = event(
    ...[`DTSTART;${at('02')}`, 'DTEND;TZID=Europe/Berlin:20261102T100000', 'RRULE:FREQ=WEEKLY;UNTIL=20261123T080000Z'],
    ...['EXDATE:20261109T080000Z', 'RDATE;TZID=Europe/Berlin:20261126T170000', 'RDATE;VALUE=PERIOD:20261127T100000Z/PT3H'],
  )
  expect(busy(series)).toEqual([
    ...['2026-11-02T08:00 2026-11-02T09:00', '2026-11-16T08:00 2026-11-16T09:00', '2026-11-23T08:00 2026-11-23T09:00'],
    ...['2026-11-26T16:00 2026-11-26T17:00', '2026-11-27T10:00 2026-11-27T13:00'],
  ])
  const moved = event(`RECURRENCE-ID;${at('16')}`, 'DTSTART:20261117T120000Z', 'DTEND:20261117T130000Z')
  const cancelled = event('RECURRENCE-ID:20261123T080000Z', 'STATUS:CANCELLED', `DTSTART;${at('23')}`, 'DURATION:PT1H')
  expect(starts(cancelled, moved, series)).toEqual(['2026-11-02T08:00', '2026-11-17T12:00', '2026-11-26T16:00', '2026-11-27T10:00'])
})

test('an occurrence that is moved with all that follow it', () => {
  const series = event('DTSTART:20261102T090000Z', 'DTEND:20261102T100000Z', 'RRULE:FREQ=DAILY;COUNT=4')
  const later = event('RECURRENCE-ID;RANGE=THISANDFUTURE:20261104T090000Z', 'DTSTART:20261104T110000Z', 'DTEND:20261104T113000Z')
  expect(busy(series, later).slice(1)).toEqual([
    ...['2026-11-03T09:00 2026-11-03T10:00', '2026-11-04T11:00 2026-11-04T11:30', '2026-11-05T11:00 2026-11-05T11:30'],
  ])
})

test('days that recur, with exceptions by day', () => {
  const days = event('DTSTART;VALUE=DATE:20261102', 'RRULE:FREQ=DAILY;COUNT=3', 'EXDATE;VALUE=DATE:20261103')
  expect(starts(days)).toEqual(['2026-11-01T23:00', '2026-11-03T23:00'])
  const times = event('DTSTART:20261102T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;UNTIL=20261104', 'EXDATE;VALUE=DATE:20261103')
  expect(starts(times)).toEqual(['2026-11-02T09:00', '2026-11-04T09:00'])
})

const DEFINED = [
  ...['BEGIN:VTIMEZONE', 'TZID:Our office', 'BEGIN:STANDARD', 'DTSTART:16010101T030000', 'TZOFFSETFROM:+0200', 'TZOFFSETTO:+0100'],
  ...['RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10', 'END:STANDARD', 'BEGIN:DAYLIGHT', 'DTSTART:16010101T020000', 'TZOFFSETFROM:+0100'],
  ...['TZOFFSETTO:+0200', 'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3', 'END:DAYLIGHT', 'END:VTIMEZONE'],
]

test('zones: names of Windows, the definition in the file, wherever it is, and names that nobody knows', () => {
  const at = (zone: string, day = '20261123') => event(`DTSTART;TZID=${zone}:${day}T090000`, 'DURATION:PT1H')
  expect(starts(at('"AUS Eastern Standard Time"'))).toEqual(['2026-11-22T22:00'])
  expect(starts(at('/freeassociation.sourceforge.net/America/New_York'))).toEqual(['2026-11-23T14:00'])
  expect(starts(...DEFINED, at('Our office'))).toEqual(['2026-11-23T08:00'])
  const october = { from: Date.parse('2026-10-20T00:00Z'), to: Date.parse('2026-10-30T00:00Z'), zone: 'Asia/Tokyo' }
  const file = calendar(at('Our office', '20261024'), at('Our office', '20261026'), ...DEFINED)
  expect(read(file, october).busy.map(([from]) => minute(from))).toEqual(['2026-10-24T07:00', '2026-10-26T08:00'])
  expect(starts(at('Atlantis Standard Time'))).toEqual(['2026-11-23T08:00'])
})

test('every zone of Windows is one that the runtime knows', () => {
  const names = [
    'W. Europe Standard Time',
    'eastern standard time',
    'UTC-02',
    'Morocco Standard Time',
    'Yukon Standard Time',
    'Tonga Standard Time',
  ]
  const zones = names.map((name) => zoneOfWindows(name) as string)
  expect(zones).toEqual(['Europe/Berlin', 'America/New_York', 'Etc/GMT+2', 'Africa/Casablanca', 'America/Whitehorse', 'Pacific/Tongatapu'])
  expect(windowsZones().size).toBe(141)
  for (const timeZone of windowsZones().values()) expect(() => new Intl.DateTimeFormat('en', { timeZone })).not.toThrow()
  expect(zoneOfWindows('Customized Time Zone')).toBeUndefined()
})

test('times that the clocks skip or show twice', () => {
  const window = { from: Date.parse('2026-03-01T00:00Z'), to: Date.parse('2026-11-30T00:00Z'), zone: 'UTC' }
  const at = (time: string) =>
    read(calendar(event(`DTSTART;TZID=Europe/Berlin:${time}`, 'DURATION:PT1H')), window).busy.map(([from]) => minute(from))
  expect(at('20260329T023000')).toEqual(['2026-03-29T01:30'])
  expect(at('20261025T023000')).toEqual(['2026-10-25T00:30'])
})

test('folded lines, quoted parameters, lower case, a mark at the start and periods of VFREEBUSY', () => {
  const folded = 'dtstart;tzid="Europe/B\r\n erlin";x-note="a:b":2026\r\n\t1123T090000'
  expect(busy(event(folded, 'DURATION:PT1H'))).toEqual(['2026-11-23T08:00 2026-11-23T09:00'])
  const free = [
    'BEGIN:VFREEBUSY',
    'FREEBUSY:20261123T090000Z/PT1H,20261123T120000Z/20261123T130000Z',
    'FREEBUSY;FBTYPE=FREE:20261124T090000Z/PT1H',
  ]
  expect(read(`\ufeff${calendar(...free, 'END:VFREEBUSY')}`).busy).toHaveLength(2)
})

test('texts that are no calendar, or only a part of one, are refused', () => {
  expect(() => read('<!DOCTYPE html>\n<a href="https://example.com/">Sign in</a>')).toThrow('not a calendar')
  expect(() => read('')).toThrow('not a calendar')
  expect(() => read('BEGIN:VCARD\r\nEND:VCARD')).toThrow('not a calendar')
  expect(() => read(calendar().replace('END:VCALENDAR', ''))).toThrow('incomplete')
  expect(() => read(calendar(event('DTSTART:20261123T090000Z', 'RRULE:FREQ=SOMETIMES')))).toThrow('FREQ')
  expect(() => read(calendar(event('DTSTART:20200123T090000Z', 'DURATION:PT1S', 'RRULE:FREQ=SECONDLY;COUNT=999999999')))).toThrow(
    'too many occurrences',
  )
  expect(() => read(calendar(event(`DTSTART:${'2'.repeat(500_001)}`)))).toThrow('line of more than')
  expect(busy(event('DTSTART:20261323T090000Z'), event('DTSTART:20260231T090000Z'), event('SUMMARY:no time'))).toEqual([])
})

test('50,000 events are read, one more is refused, and their times are few enough to be stored', () => {
  const at = (i: number) => new Date(WINDOW.from + i * 50_000).toISOString().replace(/[-:]|\.\d+/g, '')
  const one = (i: number) => `BEGIN:VEVENT\r\nUID:${i}\r\nDTSTART:${at(i)}\r\nDURATION:PT20S\r\nEND:VEVENT`
  const events = Array.from({ length: 50_000 }, (_, i) => one(i))
  const found = read(calendar(...events)).busy
  expect(found.length).toBeLessThanOrEqual(20_000)
  expect(found[0]?.[0]).toBe(WINDOW.from)
  expect(found.at(-1)?.[1]).toBeGreaterThan(WINDOW.from + 49_999 * 50_000)
  expect(() => read(calendar(...events, one(1)))).toThrow('more than 50,000 events')
})
