/** A range of days or of whole months, including both ends. */
export type PeriodRange = { period: 'day' | 'month'; first: string; last: string }

const DAY = 86_400_000
const plusDays = (date: string, days: number) => new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10)
const monthOf = (date: string) => `${date.slice(0, -2)}01`
const nextMonth = (date: string) => monthOf(plusDays(monthOf(date), 31))

/**
 * Splits a range of calendar days (inclusive; open where an end is missing) into the fewest runs: at most one run of whole months, with
 * days before and after it.
 */
export function periodsOf(from: string | undefined, to: string | undefined): PeriodRange[] {
  const months = {
    first: from === undefined ? '-infinity' : from === monthOf(from) ? from : nextMonth(from),
    /** The first day after the last whole month. */
    end: to === undefined ? 'infinity' : monthOf(plusDays(to, 1)),
  }
  if (from !== undefined && to !== undefined && months.first >= months.end) return [{ period: 'day', first: from, last: to }]
  return [
    ...(from !== undefined && from < months.first ? [{ period: 'day' as const, first: from, last: plusDays(months.first, -1) }] : []),
    { period: 'month', first: months.first, last: to === undefined ? 'infinity' : plusDays(months.end, -1) },
    ...(to !== undefined && months.end <= to ? [{ period: 'day' as const, first: months.end, last: to }] : []),
  ]
}
