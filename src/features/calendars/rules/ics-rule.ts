import { FeedError } from './ics-limits.ts'
import { readWhen, type When } from './ics-values.ts'

export type Frequency = 'YEARLY' | 'MONTHLY' | 'WEEKLY' | 'DAILY' | 'HOURLY' | 'MINUTELY' | 'SECONDLY'
const FREQUENCIES = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY']

/** A weekday, 0 for Sunday; with `nth`, only that one of a month or year, counted from its end if negative. */
export type Weekday = { day: number; nth: number | null }

/** A recurrence rule (RFC 5545, section 3.3.10). An empty list means that the part is not there. */
export type Rule = {
  frequency: Frequency
  interval: number
  count: number | null
  until: When | null
  weekStart: number
  months: number[]
  weeks: number[]
  yearDays: number[]
  monthDays: number[]
  weekdays: Weekday[]
  hours: number[]
  minutes: number[]
  seconds: number[]
  positions: number[]
}

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']
const MAX_LIST = 400

/** @throws FeedError for a rule that cannot be understood, since an event whose times are unknown must not count as free. */
export function readRule(text: string): Rule {
  const parts = new Map(text.split(';').map((part) => splitAt(part.trim().toUpperCase())))
  const fail = (name: string): never => {
    throw new FeedError(`A recurring event has a rule whose ${name} cannot be read: ${text.slice(0, 100).toWellFormed()}`)
  }
  const whole = (name: string, fallback: number | null): number | null => {
    const given = parts.get(name)
    if (given === undefined) return fallback
    return /^\d{1,9}$/.test(given) && Number(given) > 0 ? Number(given) : fail(name)
  }
  const list = (name: string, lowest: number, highest: number): number[] => {
    const given = parts.get(name)
    if (!given) return []
    const values = given.split(',', MAX_LIST).map((value) => (/^[+-]?\d{1,3}$/.test(value) ? Number(value) : fail(name)))
    return [
      ...new Set(values.filter((value) => Math.abs(value) >= lowest && Math.abs(value) <= highest && (lowest === 0 ? value >= 0 : true))),
    ]
  }
  const frequency = parts.get('FREQ') ?? ''
  const until = parts.get('UNTIL')
  return {
    frequency: FREQUENCIES.includes(frequency) ? (frequency as Frequency) : fail('FREQ'),
    interval: whole('INTERVAL', 1) as number,
    count: whole('COUNT', null),
    until: until === undefined ? null : (readWhen(until, undefined) ?? fail('UNTIL')),
    weekStart: Math.max(WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO'), 0),
    months: list('BYMONTH', 1, 12),
    weeks: list('BYWEEKNO', 1, 53),
    yearDays: list('BYYEARDAY', 1, 366),
    monthDays: list('BYMONTHDAY', 1, 31),
    weekdays: (parts.get('BYDAY') || undefined)?.split(',', MAX_LIST).map((item) => readWeekday(item) ?? fail('BYDAY')) ?? [],
    hours: list('BYHOUR', 0, 23),
    minutes: list('BYMINUTE', 0, 59),
    seconds: list('BYSECOND', 0, 59),
    positions: list('BYSETPOS', 1, 366),
  }
}

function readWeekday(item: string): Weekday | undefined {
  const match = /^([+-]?\d{1,2})?(SU|MO|TU|WE|TH|FR|SA)$/.exec(item.trim())
  return match ? { day: WEEKDAYS.indexOf(match[2] as string), nth: match[1] ? Number(match[1]) : null } : undefined
}

function splitAt(part: string): [string, string] {
  const at = part.indexOf('=')
  return at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)]
}
