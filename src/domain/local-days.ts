import { Temporal } from 'temporal-polyfill'

/** What decides which day it is: an instant and an IANA time zone. */
export type Place = { now: Date; zone: string }

/** The calendar day of an instant in an IANA time zone, `YYYY-MM-DD`. */
export const dayIn = (zone: string, at: Date): string =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).toPlainDate().toString()

/** The day that is this number of days after a day, `YYYY-MM-DD`. */
export const dayAfter = (day: string, days: number): string => Temporal.PlainDate.from(day).add({ days }).toString()

/**
 * The first instant of a calendar day (years 0001 to 9999) in an IANA time zone, as text that PostgreSQL reads: ISO 8601 in UTC, or an
 * infinity where the instant lies outside those years. Where the clocks skip midnight the day begins later, and where they repeat it with
 * the first one.
 */
export function startOfDay(zone: string, day: string): string {
  const text = Temporal.PlainDate.from(day).toZonedDateTime(zone).toInstant().toString({ smallestUnit: 'millisecond' })
  if (/^(-|0000)/.test(text)) return '-infinity'
  return text.startsWith('+') ? 'infinity' : text
}

/** The local time of an instant in an IANA time zone, `YYYY-MM-DDTHH:mm:ss`. */
export const localTimeIn = (zone: string, at: Date): string =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).toPlainDateTime().toString({ smallestUnit: 'second' })
