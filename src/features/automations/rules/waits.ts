import { Temporal } from 'temporal-polyfill'

export const UNITS = ['minutes', 'hours', 'days', 'weeks'] as const
export type Duration = { amount: number; unit: (typeof UNITS)[number] }
/** Days of the week (0 is Sunday) and times of day, `HH:MM`, between which a wait may end. */
export type Window = { days?: number[]; from: string; to: string }
/** The longest wait. */
export const MAX_WAIT_DAYS = 366

const MINUTES = { minutes: 1, hours: 60, days: 1440, weeks: 10_080 }
export const minutesOf = ({ amount, unit }: Duration): number => amount * MINUTES[unit]

const zoned = (at: Date, zone: string) => Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone)
const dateOf = (moment: Temporal.ZonedDateTime) => new Date(moment.epochMilliseconds)

/** The time after a duration. Days and weeks keep the time of day in the zone. */
export function plusDuration(from: Date, { amount, unit }: Duration, zone: string): Date {
  if (unit === 'minutes' || unit === 'hours') return new Date(from.getTime() + minutesOf({ amount, unit }) * 60_000)
  return dateOf(zoned(from, zone).add({ [unit]: amount }))
}

/** The instant that a text names: an instant, or a time of a calendar day in the zone. Undefined for anything else, such as 31 February. */
export function momentOf(text: string, time: string, zone: string): Date | undefined {
  try {
    if (/^\d{4}-\d\d-\d\d$/.test(text))
      return dateOf(Temporal.PlainDate.from(text, { overflow: 'reject' }).toZonedDateTime({ timeZone: zone, plainTime: time }))
    return new Date(Temporal.Instant.from(text).epochMilliseconds)
  } catch {
    return undefined
  }
}

/** Whether calendars and the database have this instant: in the years 1 to 9999 of UTC. */
export const isInCalendar = (at: Date): boolean => at.getUTCFullYear() >= 1 && at.getUTCFullYear() <= 9999

/** The first moment from `at` on that lies in the window, in the zone. */
export function intoWindow(at: Date, { days, from, to }: Window, zone: string): Date {
  let moment = zoned(at, zone)
  for (let count = 0; count < 9; count++) {
    const allowed = !days || days.includes(moment.dayOfWeek % 7)
    const time = moment.toPlainTime().toString({ smallestUnit: 'minute' })
    if (allowed && time >= from && time < to) return dateOf(moment)
    if (allowed && time < from) return dateOf(moment.withPlainTime(from))
    moment = moment.add({ days: 1 }).startOfDay()
  }
  return at
}
