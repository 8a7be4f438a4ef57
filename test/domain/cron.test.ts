import { CronExpressionParser } from 'cron-parser'
import { IANAZone } from 'luxon'
import { expect, test } from 'vitest'
import { type Fire, firesAfter, nextLocalTime } from '../../src/features/schedules/rules/cron/fires.ts'
import { type Cron, fromCron, parseCron, toCron } from '../../src/features/schedules/rules/cron/parse.ts'
import { proving, sampling } from '../proof.ts'

const cronOf = (text: string) => parseCron(text).cron as Cron
const faultOf = (text: string) => parseCron(text).fault

const ZONES = [
  ...['Australia/Lord_Howe', 'Pacific/Chatham', 'Asia/Kathmandu', 'America/Santiago', 'Australia/Sydney', 'Pacific/Auckland', 'UTC'],
  ...['Europe/London', 'Europe/Dublin', 'America/New_York', 'America/St_Johns', 'America/Havana', 'America/Nuuk', 'Atlantic/Azores'],
  ...['Africa/Casablanca', 'Africa/Cairo', 'Asia/Beirut', 'America/Asuncion', 'Pacific/Norfolk', 'Antarctica/Troll'],
]
const YEAR = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)] as const
const MINUTE = 60_000

/** All minutes of a year as the clocks of a zone show them. Luxon has the offsets, which change only at quarters of an hour. */
function clockOf(name: string): { at: number; local: number }[] {
  const zone = IANAZone.create(name)
  const minutes: { at: number; local: number }[] = []
  // Two days before, so that the rules of gaps and overlaps have what precedes the year.
  for (let quarter = YEAR[0] - 2 * 1440 * MINUTE; quarter < YEAR[1]; quarter += 15 * MINUTE) {
    const offset = zone.offset(quarter)
    for (let n = 0; n < 15; n++) minutes.push({ at: quarter + n * MINUTE, local: quarter / MINUTE + n + offset })
  }
  return minutes
}

/** The fires of an expression by a walk over every minute of the clock, with the fields as cron-parser reads them. */
function slowly(text: string, clock: { at: number; local: number }[]): number[] {
  const { fields } = CronExpressionParser.parse(text)
  const [minutes, hours, months] = [fields.minute, fields.hour, fields.month].map(({ values }) => new Set(values as number[]))
  const [days, weekdays] = [fields.dayOfMonth, fields.dayOfWeek].map(({ values }) => new Set((values as number[]).map(Number)))
  const sent = text.split(' ') as [string, string, string, string, string]
  const both = sent[2].includes('*') || sent[4].includes('*')
  const fixed = !sent[1].includes('*')
  const matches = (local: number) => {
    const of = local % 1440
    if (!minutes?.has(of % 60) || !hours?.has(Math.floor(of / 60))) return false
    const date = new Date(local * MINUTE)
    const [day, weekday] = [days?.has(date.getUTCDate()), weekdays?.has(date.getUTCDay())]
    return months?.has(date.getUTCMonth() + 1) && (both ? day && weekday : day || weekday)
  }
  const found: number[] = []
  let shown = clock[0]!.local - 1
  for (const { at, local } of clock) {
    // What the clocks have skipped fires now; what they have shown before does not fire again.
    const skipped = fixed && local > shown + 1 && Array.from({ length: local - shown - 1 }, (_, n) => shown + 1 + n).some(matches)
    if ((skipped || ((local > shown || !fixed) && matches(local))) && at >= YEAR[0]) found.push(at)
    shown = Math.max(shown, local)
  }
  return found
}

function quickly(text: string, zone: string): number[] {
  const found: number[] = []
  for (const { at } of firesAfter(cronOf(text), zone, YEAR[0] - 1)) {
    if (at >= YEAR[1]) break
    found.push(at)
  }
  return found
}

const EXPRESSIONS = [
  ...['0 9 * * 1-5', '30 2 * * *', '0,15,45 0,1,2,3,23 * * *', '*/20 * * * *', '5 */6 1,15 * FRI', '0 0 29 feb *'],
  ...['59 23 31 * *', '0 0 13 * 5', '30 1-3 */2 3-4,9-11 SUN,SAT', '10 * * 4,10 7'],
]
/** The usual run compares one of so many expressions in each zone. */
const EACH = 3

test.each(sampling ? ZONES.slice(0, 1) : ZONES)('a year in %s is that of an independent walk over its minutes', (zone) => {
  const clock = clockOf(zone)
  for (const text of EXPRESSIONS.filter((_, at) => proving || (at + ZONES.indexOf(zone)) % EACH === 0))
    expect(quickly(text, zone), text).toEqual(slowly(text, clock))
})

const next = (text: string, zone: string, after: string, count = 2): string[] => {
  const found: Fire[] = []
  for (const fire of firesAfter(cronOf(text), zone, Date.parse(after))) if (found.push(fire) === count) break
  return found.map(({ at, local, dst }) => `${new Date(at).toISOString().slice(0, 16)} ${local} ${dst ?? ''}`.trim())
}

test('a time in a gap fires at the first minute after it, and a repeated time fires once', () => {
  expect(next('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00:00Z')).toEqual([
    '2026-10-03T15:30 2026-10-04T02:30 dst_gap',
    '2026-10-04T15:15 2026-10-05T02:15',
  ])
  expect(next('0 0 * * 0', 'America/Santiago', '2026-09-01T00:00:00Z', 1)).toEqual(['2026-09-06T04:00 2026-09-06T01:00 dst_gap'])
  expect(next('30 2 * * *', 'Australia/Sydney', '2026-04-04T00:00:00Z')).toEqual([
    '2026-04-04T15:30 2026-04-05T02:30 dst_overlap',
    '2026-04-05T16:30 2026-04-06T02:30',
  ])
  // Every half hour goes on through the repeated hour, and through the gap.
  expect(next('*/30 * * * *', 'Australia/Sydney', '2026-04-04T15:00:00Z', 4).map((line) => line.slice(11, 16))).toEqual([
    ...['15:30', '16:00', '16:30', '17:00'],
  ])
  // Four times of a gap are one minute.
  expect(next('0,15,30,45 2 * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z')).toEqual([
    '2026-03-29T01:00 2026-03-29T03:00 dst_gap',
    '2026-03-30T00:00 2026-03-30T02:00',
  ])
})

test('names, lists, ranges and steps are read, and 0 and 7 are Sunday', () => {
  expect(cronOf('1-10/4,50 0 1,2 JAN-MAR,dec sun,5-7')).toEqual({
    minutes: [1, 5, 9, 50],
    hours: [0],
    days: [1, 2],
    months: [1, 2, 3, 12],
    weekdays: [0, 5, 6],
    needsBoth: false,
    isInterval: false,
  })
  expect(cronOf('  */25   *  *  *  * ')).toMatchObject({ minutes: [0, 25, 50], needsBoth: true, isInterval: true })
  // 29 February on a Monday.
  expect(next('0 0 29 2 */7', 'UTC', '2026-01-01T00:00:00Z', 2)).toEqual([
    '2032-02-29T00:00 2032-02-29T00:00',
    '2060-02-29T00:00 2060-02-29T00:00',
  ])
})

test.each([
  ['*/0 * * * *', 'a whole number from 1 to 59'],
  ['61 * * * *', 'the minute 61: it must be 0 to 59'],
  ['*/90 * * * *', 'a whole number from 1 to 59'],
  ['5/15 * * * *', 'a step needs * or a range, such as 5-59/15'],
  ['* 24 * * *', 'hour 24'],
  ['* * 0 * *', 'day of month 0'],
  ['* * * 13 *', 'month 13'],
  ['* * * foo *', 'or a name such as FEB'],
  ['* * * * 8', 'day of week 8'],
  ['0 9 * * 5-1', 'must not run backwards'],
  ['0 9 * * 1-2-3', 'two ends'],
  ['0 9 * * 1,', 'an empty day of week'],
  ['0 0 31 2 *', 'no month of the expression has a day 31'],
  ['0 0 31 4,6,9,11 *', 'never fires'],
  ['0 9 * *', 'five fields'],
  ['0 0 9 * * *', 'five fields'],
  ['', 'five fields'],
  ['@daily', 'five fields'],
  ['0 9 L * *', 'day of month L'],
  ['0 9 ? * 1#2', 'day of month ?'],
  ['-1 * * * *', 'an empty minute'],
  ['1.5 * * * *', 'minute 1.5'],
])('%s is refused', (text, message) => {
  expect(faultOf(text)).toContain(message)
})

test('a time of day and days are a cron expression, and back', () => {
  expect(toCron('09:05', [5, 1, 1])).toBe('5 9 * * 1,5')
  expect(toCron('00:00', null)).toBe('0 0 * * *')
  expect(fromCron('5 9 * * 1,5')).toEqual({ time_of_day: '09:05', days_of_week: [1, 5] })
  expect(fromCron('0 0 * * *')).toEqual({ time_of_day: '00:00', days_of_week: null })
  for (const other of ['*/5 9 * * *', '0 9 1 * *', '0 9 * * 1-5', '0 9 * * MON'])
    expect(fromCron(other)).toEqual({ time_of_day: null, days_of_week: null })
})

test('the next local time of a day is found in each zone, on the same or the next day', () => {
  const at = (zone: string, time: string, from: string) => new Date(nextLocalTime(zone, time, Date.parse(from))).toISOString().slice(0, 16)
  expect(at('Australia/Perth', '09:00', '2026-05-01T00:00:00Z')).toBe('2026-05-01T01:00')
  expect(at('Australia/Perth', '09:00', '2026-05-01T01:00:00Z')).toBe('2026-05-01T01:00')
  expect(at('Australia/Perth', '09:00', '2026-05-01T01:00:01Z')).toBe('2026-05-02T01:00')
  expect(at('Asia/Kathmandu', '06:15', '2026-05-01T00:00:00Z')).toBe('2026-05-01T00:30')
  expect(at('Australia/Lord_Howe', '02:10', '2026-10-03T12:00:00Z')).toBe('2026-10-03T15:30')
})
