import { DAY, dayOfDate } from './zone-table.ts'

export const FREQUENCIES = ['daily', 'weekly', 'monthly'] as const
export type Frequency = (typeof FREQUENCIES)[number]
/** What happens to a series if one of its occurrences is not free. */
export const UNAVAILABLE_MODES = ['fail', 'skip'] as const

export type Recurrence = { frequency: Frequency; interval: number; count: number }

const DAYS: Record<Frequency, number> = { daily: 1, weekly: 7, monthly: 31 }
/** The days from the first to the last occurrence, at most. */
export const spanOf = ({ frequency, interval, count }: Recurrence): number => DAYS[frequency] * interval * (count - 1)

/**
 * The wall clocks of the occurrences, which are all at the same time of day. A month without the day of the first occurrence has it on its
 * last day. In milliseconds, as UTC would show them.
 */
export function occurrencesOf(firstWall: number, { frequency, interval, count }: Recurrence): number[] {
  const numbers = Array.from({ length: count }, (_, n) => n * interval)
  if (frequency !== 'monthly') return numbers.map((n) => firstWall + n * (frequency === 'weekly' ? 7 : 1) * DAY)
  const first = new Date(firstWall)
  const [year, month, date] = [first.getUTCFullYear(), first.getUTCMonth(), first.getUTCDate()]
  const timeOfDay = firstWall - dayOfDate(first.toISOString().slice(0, 10)) * DAY
  return numbers.map((n) => {
    const last = new Date(Date.UTC(year, month + n + 1, 0)).getUTCDate()
    return Date.UTC(year, month + n, Math.min(date, last)) + timeOfDay
  })
}
