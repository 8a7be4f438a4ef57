import { Temporal } from 'temporal-polyfill'

/**
 * The hours of every day in which nobody is contacted, in local time: from `from` until before `to`, also over midnight. Null if there are
 * none.
 */
export type QuietHours = { from: string; to: string } | null

const placed = (at: Date, zone: string) => Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone)
const dateOf = (placed: Temporal.ZonedDateTime) => new Date(placed.epochMilliseconds)

/** The local time of an instant in an IANA zone, `HH:MM`. */
export const timeIn = (zone: string, at: Date): string => placed(at, zone).toPlainTime().toString().slice(0, 5)

/** The instant of a local time on a day. A time that the clocks skip is that much later; of one that they repeat it is the first. */
export const instantAt = (zone: string, day: string, time: string): Date =>
  dateOf(Temporal.PlainDate.from(day).toZonedDateTime({ timeZone: zone, plainTime: Temporal.PlainTime.from(time) }))

export function isQuiet(quiet: QuietHours, at: Date, zone: string): boolean {
  if (!quiet) return false
  const { from, to } = quiet
  const time = timeIn(zone, at)
  return from < to ? from <= time && time < to : from <= time || time < to
}

/** The next instant after `at` that has this local time. */
function next(time: string, at: Date, zone: string): Date {
  const today = placed(at, zone).toPlainDate()
  const candidates = [today, today.add({ days: 1 })].map((day) => instantAt(zone, day.toString(), time))
  return candidates.find((candidate) => candidate > at) as Date
}

/** The first instant from `at` on that is not in the quiet hours. */
export const quietEnd = (quiet: QuietHours, at: Date, zone: string): Date =>
  quiet && isQuiet(quiet, at, zone) ? next(quiet.to, at, zone) : at

/** The end of the local day, or the beginning of the quiet hours if they begin before. */
export function endOfContact(quiet: QuietHours, at: Date, zone: string): Date {
  const midnight = dateOf(placed(at, zone).toPlainDate().add({ days: 1 }).toZonedDateTime(zone))
  const begins = quiet ? next(quiet.from, at, zone) : midnight
  return begins < midnight ? begins : midnight
}
