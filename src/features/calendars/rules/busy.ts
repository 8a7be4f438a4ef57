import { Temporal } from 'temporal-polyfill'

const DAY = 86_400_000

/** The time of an event: an instant, or a day of the calendar's zone. */
type Time = { at: string } | { date: string }
type Event = { booking_id: string | null; status: 'confirmed' | 'cancelled'; starts: Time | null; ends: Time | null; busy: boolean }

/** The window that calendars are read for: bookings lie in it. */
export const windowOf = (now: number): [from: number, to: number] => [now - DAY, now + 400 * DAY]

/** An instant in milliseconds; a day begins when the clocks of the zone show it first. NaN for what is neither. */
function instantOf(time: Time, zone: string): number {
  if ('at' in time) return Date.parse(time.at)
  try {
    return Temporal.PlainDate.from(time.date).toZonedDateTime(zone).epochMilliseconds
  } catch {
    return Number.NaN
  }
}

/**
 * The times at which an event occupies its calendar, within the window, in pieces of at most a day. Deleted events have none, and neither
 * have those that do not count as busy and our own copies of bookings, which claim their time themselves.
 */
export function busyTimesOf(event: Event, zone: string, [from, to]: [number, number]): [from: string, to: string][] {
  if (event.status === 'cancelled' || !event.busy || event.booking_id !== null || !event.starts || !event.ends) return []
  const start = Math.max(instantOf(event.starts, zone), from)
  const end = Math.min(instantOf(event.ends, zone), to)
  const pieces: [string, string][] = []
  for (let at = start; at < end; at += DAY) pieces.push([new Date(at).toISOString(), new Date(Math.min(at + DAY, end)).toISOString()])
  return pieces
}
