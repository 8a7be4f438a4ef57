import { Temporal } from 'temporal-polyfill'
import { dayIn } from '../../../domain/local-days.ts'

/** The first day of the month of an instant in a zone, `YYYY-MM-01`, which stands for the month. */
export const monthIn = (zone: string, at: Date): string => `${dayIn(zone, at).slice(0, 7)}-01`

/** The month that is this number of months after a month. */
export const monthAfter = (month: string, months: number): string => Temporal.PlainDate.from(month).add({ months }).toString()

/** The months from the first to the one before the last. */
export function monthsBetween(from: string, until: string): string[] {
  const months: string[] = []
  for (let month = from; month < until; month = monthAfter(month, 1)) months.push(month)
  return months
}
