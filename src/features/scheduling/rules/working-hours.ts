import { type Interval, union } from './intervals.ts'
import { type DateOverride, DEFAULT_HOURS, type Holiday, type Hours, WEEKDAYS, type WeeklyHours } from './limits.ts'
import { DAY, dateOfDay, dayAt, instantsOf, MINUTE, type ZoneTable } from './zone-table.ts'

/** When somebody works: hours on the wall clock of a zone. */
export type Schedule = { table: ZoneTable; weekly: WeeklyHours; overrides: ReadonlyMap<string, Hours[]> }

export type StoredAvailability = {
  timezone: string | null
  weekly_hours: WeeklyHours | null
  date_overrides: DateOverride[]
  /** Null for the company's. */
  holiday_calendar_id?: string | null
}
/** The days off of each holiday calendar. */
export type Holidays = Record<string, Holiday[]>

export const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))

/** The weekday of a day since 1970: 0 is Monday. */
export const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7

/** The hours that begin on a day: those of its override, or else of its weekday. */
export const hoursOf = ({ weekly, overrides }: Pick<Schedule, 'weekly' | 'overrides'>, day: number): Hours[] =>
  overrides.get(dateOfDay(day)) ?? weekly[WEEKDAYS[weekdayOf(day)] as keyof WeeklyHours] ?? []

/** The end of hours in minutes since the start of their day; on the next day if it is not after the start. */
export function endOf({ start, end }: Hours): number {
  const minutes = minutesOf(end)
  return minutes > minutesOf(start) ? minutes : minutes + 1_440
}

/** Working hours of a day as instants: their beginning, and an uninterrupted part of them. Where the clocks are put back, there are two. */
export type Shift = { begin: number; from: number; to: number }

/** The hours that run between two instants, in order. Hours past midnight belong to the day on which they begin. */
export function shiftsOf(schedule: Schedule, from: number, to: number): Shift[] {
  const { table } = schedule
  const found: Shift[] = []
  for (let day = dayAt(table, from) - 2; day <= dayAt(table, to) + 1; day++) {
    for (const hours of hoursOf(schedule, day)) {
      const parts = instantsOf(table, day * DAY + minutesOf(hours.start) * MINUTE, day * DAY + endOf(hours) * MINUTE)
      const begin = parts[0]?.[0]
      if (begin !== undefined) found.push(...parts.map(([start, end]) => ({ begin, from: start, to: end })))
    }
  }
  return found.filter((shift) => shift.to > from && shift.from < to).sort((a, b) => a.from - b.from)
}

/** The instants between two instants at which shifts run. */
export const workingTime = (shifts: Shift[], from: number, to: number): Interval[] =>
  union(shifts.map((shift) => [Math.max(shift.from, from), Math.min(shift.to, to)]))

/**
 * The hours of a host: own ones, or those of the company. Holidays are off, unless the company or the host has other hours for the date;
 * those of the company apply to everyone without own hours for it.
 */
export function scheduleOf(
  own: StoredAvailability | null,
  company: StoredAvailability | null,
  tableOf: (zone: string | null) => ZoneTable,
  calendars: Holidays = {},
): Schedule {
  const holidays = calendars[own?.holiday_calendar_id ?? company?.holiday_calendar_id ?? ''] ?? []
  const off = holidays.map(({ date }): DateOverride => ({ date, hours: [] }))
  const overrides = [...off, ...(company?.date_overrides ?? []), ...(own?.date_overrides ?? [])]
  return {
    table: tableOf(own?.timezone ?? company?.timezone ?? null),
    weekly: own?.weekly_hours ?? company?.weekly_hours ?? DEFAULT_HOURS,
    overrides: new Map(overrides.map(({ date, hours }) => [date, hours])),
  }
}
