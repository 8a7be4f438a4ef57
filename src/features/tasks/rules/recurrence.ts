import { Temporal } from 'temporal-polyfill'
import { dayIn } from '../../../domain/local-days.ts'

export const FREQUENCIES = ['daily', 'weekly', 'monthly', 'yearly'] as const
export type Frequency = (typeof FREQUENCIES)[number]
/** In the order of the ISO week. */
export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
/** The most days, weeks, months or years from one task of a series to the next. */
export const MAX_INTERVAL = 100
export const MAX_OCCURRENCES = 1_000
const LAST_YEAR = 9999

/**
 * How a task recurs: every `interval` days, weeks, months or years. `until` is the last day of the series, `count` the number of its tasks.
 */
export type Recurrence = {
  frequency: Frequency
  interval: number
  weekdays: (typeof WEEKDAYS)[number][]
  month: number | null
  day_of_month: number | null
  until: string | null
  count: number | null
}

type Fault = { path: keyof Recurrence; message: string }

/** What each frequency needs, and what it cannot have. */
const NEEDS: Record<Frequency, (keyof Recurrence)[]> = {
  daily: [],
  weekly: ['weekdays'],
  monthly: ['day_of_month'],
  yearly: ['month', 'day_of_month'],
}
const PARTS = ['weekdays', 'month', 'day_of_month'] as const

/** What is wrong with a recurrence as a whole, by field. */
export function recurrenceFaults(rule: Recurrence): Fault[] {
  const needed = NEEDS[rule.frequency]
  const faults = PARTS.flatMap((path): Fault[] => {
    const isGiven = Array.isArray(rule[path]) ? rule[path].length > 0 : rule[path] !== null
    if (needed.includes(path) === isGiven) return []
    return [
      { path, message: isGiven ? `A ${rule.frequency} recurrence has none: leave it out` : `Required for a ${rule.frequency} recurrence` },
    ]
  })
  const { month, day_of_month } = rule
  if (faults.length > 0 || month === null || day_of_month === null) return faults
  // A leap year, because 29 February is a day of the calendar.
  const last = Temporal.PlainYearMonth.from({ year: 2024, month }).daysInMonth
  return day_of_month > last ? [{ path: 'day_of_month', message: `Month ${month} never has more than ${last} days` }] : []
}

type Day = Temporal.PlainDate

/** A day of a month, or the last day of a shorter one. */
const dayOfMonth = (month: Day, day: number): Day => month.with({ day: Math.min(day, month.daysInMonth) })

const UNITS = { daily: 'days', weekly: 'weeks', monthly: 'months', yearly: 'years' } as const

/** The first day of the period that the day belongs to. */
function startOfPeriod({ frequency }: Recurrence, day: Day): Day {
  if (frequency === 'weekly') return day.subtract({ days: day.dayOfWeek - 1 })
  if (frequency === 'monthly') return day.with({ day: 1 })
  return frequency === 'yearly' ? day.with({ month: 1, day: 1 }) : day
}

/** The days of the series in the period that begins on this day, in order. */
function daysOf({ frequency, weekdays, month, day_of_month }: Recurrence, start: Day): Day[] {
  if (frequency === 'weekly') return WEEKDAYS.flatMap((name, days) => (weekdays.includes(name) ? [start.add({ days })] : []))
  if (frequency === 'monthly') return [dayOfMonth(start, day_of_month ?? 1)]
  return frequency === 'yearly' ? [dayOfMonth(start.with({ month: month ?? 1 }), day_of_month ?? 1)] : [start]
}

/** The first day of the series that is after `from` and not before `today`; undefined after the year 9999. */
function nextDay(rule: Recurrence, from: Day, today: Day): Day | undefined {
  const start = startOfPeriod(rule, from)
  const unit = UNITS[rule.frequency]
  const passed = start.until(today, { largestUnit: unit })[unit]
  // The period that today is in may have no more days.
  for (let n = Math.max(0, Math.floor(passed / rule.interval)); ; n++) {
    const period = start.add({ [unit]: n * rule.interval })
    if (period.year > LAST_YEAR) return undefined
    const found = daysOf(rule, period).find(
      (day) => Temporal.PlainDate.compare(day, from) > 0 && Temporal.PlainDate.compare(day, today) >= 0,
    )
    if (found) return found.year > LAST_YEAR ? undefined : found
  }
}

export type Times = { due_at: string; reminder_at: string | null }
/** `former`: the times of the task before this one, if there is one. */
export type Recurring = Times & { recurrence: Recurrence; occurrence: number; former?: Times | null }

type Place = { zone: string; now: Date }
type Local = { due: Temporal.PlainDateTime; lead: Temporal.Duration | null }

const instantIn = (zone: string, at: Temporal.PlainDateTime) => at.toZonedDateTime(zone).toInstant()
const isSame = (zone: string, at: Temporal.PlainDateTime, text: string) => instantIn(zone, at).equals(Temporal.Instant.from(text))

/** The local time at which a task is due, and how long after it the reminder is (before it: a negative time). */
function localOf({ due_at, reminder_at }: Times, zone: string): Local {
  const local = (text: string) => Temporal.Instant.from(text).toZonedDateTimeISO(zone).toPlainDateTime()
  const due = local(due_at)
  return { due, lead: reminder_at === null ? null : due.until(local(reminder_at), { largestUnit: 'hours' }) }
}

/** The same, with what the task before has in place of a time that the clocks have skipped on the day of this one. */
function meantBy({ former, ...times }: Recurring, zone: string): Local {
  const { due, lead } = localOf(times, zone)
  if (!former) return { due, lead }
  const before = localOf(former, zone)
  const meant = due.toPlainDate().toPlainDateTime(before.due.toPlainTime())
  if (!isSame(zone, meant, times.due_at)) return { due, lead }
  const keepsLead = before.lead !== null && times.reminder_at !== null && isSame(zone, meant.add(before.lead), times.reminder_at)
  return { due: meant, lead: keepsLead ? before.lead : (lead?.add(meant.until(due)) ?? null) }
}

/**
 * When the next task of a series is due and reminded of: on the next day of the series that has not passed, at the same local time, with
 * the reminder as far from it as it was. Null when the series has ended.
 */
export function nextTimes(task: Recurring, { zone, now }: Place): Times | null {
  const { recurrence, occurrence } = task
  if (recurrence.count !== null && occurrence >= recurrence.count) return null
  const { due, lead } = meantBy(task, zone)
  const day = nextDay(recurrence, due.toPlainDate(), Temporal.PlainDate.from(dayIn(zone, now)))
  if (!day || (recurrence.until !== null && Temporal.PlainDate.compare(day, recurrence.until) > 0)) return null
  const next = day.toPlainDateTime(due.toPlainTime())
  const text = (at: Temporal.PlainDateTime) => instantIn(zone, at).toString({ smallestUnit: 'millisecond' })
  return { due_at: text(next), reminder_at: lead && text(next.add(lead)) }
}
