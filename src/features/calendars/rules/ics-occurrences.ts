import { DAY } from '../../scheduling/rules/zone-table.ts'
import { civilDay, dayOf, daysOfMonth, meets, weekdayOf } from './ics-days.ts'
import type { Steps } from './ics-limits.ts'
import type { Rule } from './ics-rule.ts'

const SECOND = 1000
const UNITS = { HOURLY: 3600 * SECOND, MINUTELY: 60 * SECOND, SECONDLY: SECOND }

/** What the clocks show: from, inclusive, and to, exclusive; times after `until` are no longer part of the rule. */
type Range = { from: number; to: number; until: number }

/**
 * The starts of a rule's occurrences in a range, in order, as wall clocks. `start` is always the first one, as the common calendars have
 * it. A rule with COUNT is followed from its start; any other one begins shortly before the range, so a rule that never ends costs what its
 * range does.
 */
export function* occurrences(given: Rule, start: number, { from, to, until }: Range, steps: Steps): Generator<number> {
  if (start >= from && start < to) yield start
  const rule = completed(given, start)
  const last = Math.min(until, to - 1)
  const periods = periodsOf(rule, start, steps)
  let left = (rule.count ?? Number.POSITIVE_INFINITY) - 1
  for (let index = rule.count === null ? periods.before(from) : 0; left > 0; index++) {
    steps.take()
    const period = periods.at(index)
    // A year beyond those of the calendar is no number.
    if (!(period.from <= last)) return
    for (const at of chosen(rule, period.times())) {
      if (at <= start) continue
      if (at > last || left <= 0) return
      left--
      if (at >= from) yield at
    }
  }
}

/** A year, a month, a week, a day, an hour … of a rule: its first moment, and its times in order. */
type Period = { from: number; times(): number[] }
type Periods = { at(index: number): Period; before(wall: number): number }

/** What a rule leaves open, it takes from its first occurrence. */
function completed(rule: Rule, start: number): Rule {
  const at = civilDay(Math.floor(start / DAY))
  const names = [rule.weeks, rule.yearDays, rule.monthDays, rule.weekdays]
  const isOpen = names.every((list) => (list as unknown[]).length === 0)
  const weekday = [{ day: weekdayOf(at.day), nth: null }]
  if (rule.frequency === 'WEEKLY' && rule.weekdays.length === 0) return { ...rule, weekdays: weekday }
  if (rule.frequency === 'YEARLY' && rule.weeks.length > 0 && names.slice(1).every((list) => (list as unknown[]).length === 0))
    return { ...rule, weekdays: weekday }
  if (rule.frequency === 'MONTHLY' && isOpen) return { ...rule, monthDays: [at.date] }
  if (rule.frequency === 'YEARLY' && isOpen)
    return { ...rule, monthDays: [at.date], months: rule.months.length > 0 ? rule.months : [at.month] }
  return rule
}

/** Applies BYSETPOS. */
function chosen({ positions }: Rule, times: number[]): number[] {
  if (positions.length === 0) return times
  const found = positions.map((position) => times.at(position > 0 ? position - 1 : position))
  return [...new Set(found.filter((at) => at !== undefined))].sort((a, b) => a - b)
}

function periodsOf(rule: Rule, start: number, steps: Steps): Periods {
  const { frequency, interval } = rule
  if (frequency === 'HOURLY' || frequency === 'MINUTELY' || frequency === 'SECONDLY')
    return shortPeriods(rule, UNITS[frequency], start, steps)
  const clock = clockTimes(rule, start)
  const times = (days: number[]) => {
    steps.take(days.length * clock.length)
    return days.flatMap((day) => clock.map((time) => day * DAY + time))
  }
  const first = civilDay(Math.floor(start / DAY))
  const scan = (from: number, length: number) => {
    steps.take(length)
    return Array.from({ length }, (_, i) => from + i).filter((day) => meets(rule, civilDay(day)))
  }
  if (frequency === 'DAILY' || frequency === 'WEEKLY') {
    const length = frequency === 'DAILY' ? 1 : 7
    const origin = length === 1 ? first.day : first.day - ((weekdayOf(first.day) - rule.weekStart + 7) % 7)
    const dayAt = (index: number) => origin + index * interval * length
    return {
      at: (index) => ({ from: dayAt(index) * DAY, times: () => times(scan(dayAt(index), length)) }),
      before: (wall) => Math.max(0, Math.floor((wall / DAY - origin) / (interval * length)) - 1),
    }
  }
  const length = frequency === 'YEARLY' ? 12 : 1
  const origin = first.year * 12 + (length === 12 ? 0 : first.month - 1)
  return {
    at: (index) => {
      const month = origin + index * interval * length
      const [year, number] = [Math.floor(month / 12), (month % 12) + 1]
      return { from: dayOf(year, number, 1) * DAY, times: () => times(daysIn(rule, year, length === 12 ? null : number, scan)) }
    },
    before: (wall) => {
      const { year, month } = civilDay(Math.floor(wall / DAY))
      return Math.max(0, Math.floor((year * 12 + month - 1 - origin) / (interval * length)) - 1)
    },
  }
}

/** The days of a year, or of one of its months, that meet the rule. Days of a month that the rule names are not searched for. */
function daysIn(rule: Rule, year: number, only: number | null, scan: (from: number, length: number) => number[]): number[] {
  const all = only === null ? Array.from({ length: 12 }, (_, i) => i + 1) : [only]
  const months = rule.months.length > 0 ? all.filter((month) => rule.months.includes(month)) : all
  const isNamed = rule.monthDays.length > 0 && rule.weekdays.length === 0 && rule.yearDays.length === 0 && rule.weeks.length === 0
  return months.flatMap((month) => {
    const length = daysOfMonth(year, month)
    const first = dayOf(year, month, 1)
    if (!isNamed) return scan(first, length)
    const dates = rule.monthDays.map((date) => (date > 0 ? date : length + 1 + date)).filter((date) => date >= 1 && date <= length)
    return [...new Set(dates)].sort((a, b) => a - b).map((date) => first + date - 1)
  })
}

/** The times of a day, in order, in milliseconds since midnight. */
function clockTimes({ hours, minutes, seconds }: Rule, start: number): number[] {
  const at = new Date(start)
  const orElse = (list: number[], own: number) => (list.length > 0 ? list.toSorted((a, b) => a - b) : [own])
  const minutesOf = orElse(minutes, at.getUTCMinutes())
  const secondsOf = orElse(seconds, at.getUTCSeconds())
  return orElse(hours, at.getUTCHours()).flatMap((hour) =>
    minutesOf.flatMap((minute) => secondsOf.map((second) => ((hour * 60 + minute) * 60 + second) * SECOND)),
  )
}

/** Hours, minutes and seconds: the parts of the rule that are longer limit them, the shorter ones add times. */
function shortPeriods(rule: Rule, unit: number, start: number, steps: Steps): Periods {
  const origin = Math.floor(start / unit) * unit
  const step = unit * rule.interval
  let known: { day: number; isMet: boolean } | undefined
  const isDayMet = (day: number): boolean => {
    if (known?.day !== day) known = { day, isMet: meets(rule, civilDay(day)) }
    return known.isMet
  }
  const within = (list: number[], value: number) => list.length === 0 || list.includes(value)
  const timesAt = (from: number): number[] => {
    const at = new Date(from)
    if (!isDayMet(Math.floor(from / DAY)) || !within(rule.hours, at.getUTCHours())) return []
    if (unit < UNITS.HOURLY && !within(rule.minutes, at.getUTCMinutes())) return []
    if (unit < UNITS.MINUTELY) return within(rule.seconds, at.getUTCSeconds()) ? [from] : []
    const times = clockTimes({ ...rule, hours: [0], minutes: unit < UNITS.HOURLY ? [0] : rule.minutes }, start)
    steps.take(times.length)
    return times.map((time) => from + time)
  }
  return {
    at: (index) => ({ from: origin + index * step, times: () => timesAt(origin + index * step) }),
    before: (wall) => Math.max(0, Math.floor((wall - origin) / step) - 1),
  }
}
