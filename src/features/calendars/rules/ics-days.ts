import type { Rule, Weekday } from './ics-rule.ts'

/** A day as days since 1970, with its place in the calendar. `month` and `date` count from 1. */
export type CivilDay = { day: number; year: number; month: number; date: number }

export const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7

/** Days since 1970 of a date; `month` may be beyond 12. */
export const dayOf = (year: number, month: number, date: number): number => Date.UTC(year, month - 1, date) / 86_400_000

export function civilDay(day: number): CivilDay {
  const at = new Date(day * 86_400_000)
  return { day, year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, date: at.getUTCDate() }
}

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
export const daysOfMonth = (year: number, month: number): number => (month === 2 && isLeap(year) ? 29 : (DAYS[month - 1] as number))

/** Whether a list contains a place counted from the start, or from the end with a negative number. */
const hasPlace = (list: number[], place: number, length: number): boolean => list.includes(place) || list.includes(place - length - 1)

/** Whether a day meets the parts of a rule that concern days. */
export function meets(rule: Rule, at: CivilDay): boolean {
  if (rule.months.length > 0 && !rule.months.includes(at.month)) return false
  if (rule.monthDays.length > 0 && !hasPlace(rule.monthDays, at.date, daysOfMonth(at.year, at.month))) return false
  if (rule.weekdays.length > 0 && !rule.weekdays.some((weekday) => isWeekday(rule, weekday, at))) return false
  if (rule.yearDays.length > 0 && !hasPlace(rule.yearDays, dayOfYear(at), isLeap(at.year) ? 366 : 365)) return false
  return rule.weeks.length === 0 || rule.frequency !== 'YEARLY' || isInWeeks(rule, at)
}

const dayOfYear = ({ day, year }: CivilDay): number => day - dayOf(year, 1, 1) + 1

/** The number before a weekday counts within the month, or within the year for a yearly rule without months. Other rules have none. */
function isWeekday({ frequency, months, weeks }: Rule, { day, nth }: Weekday, at: CivilDay): boolean {
  if (weekdayOf(at.day) !== day) return false
  if (nth === null || weeks.length > 0) return true
  if (frequency === 'MONTHLY' || (frequency === 'YEARLY' && months.length > 0)) return isNth(nth, at.date, daysOfMonth(at.year, at.month))
  return frequency !== 'YEARLY' || isNth(nth, dayOfYear(at), isLeap(at.year) ? 366 : 365)
}

const isNth = (nth: number, place: number, length: number): boolean =>
  nth > 0 ? Math.ceil(place / 7) === nth : Math.ceil((length - place + 1) / 7) === -nth

/** Weeks as ISO 8601 counts them, with the rule's first day of the week. */
function isInWeeks({ weeks, weekStart }: Rule, { day, year }: CivilDay): boolean {
  const started = [
    firstWeek(year - 1, weekStart),
    firstWeek(year, weekStart),
    firstWeek(year + 1, weekStart),
    firstWeek(year + 2, weekStart),
  ]
  const own = started.findLastIndex((start) => start <= day)
  const start = started[own] as number
  return hasPlace(weeks, Math.floor((day - start) / 7) + 1, ((started[own + 1] as number) - start) / 7)
}

/** The first day of the first week that has four days or more in the year. */
function firstWeek(year: number, weekStart: number): number {
  const fourth = dayOf(year, 1, 4)
  return fourth - ((weekdayOf(fourth) - weekStart + 7) % 7)
}
