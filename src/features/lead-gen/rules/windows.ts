import { Temporal } from 'temporal-polyfill'
import type { Cadence } from './initiatives.ts'

type Window = Pick<Cadence, 'send_window_start' | 'send_window_end' | 'send_days' | 'timezone'>

const placed = (zone: string, at: Date) => Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone)

/**
 * The day on which the window opened that is open at an instant, YYYY-MM-DD; undefined outside. A window is open from its start until
 * before its end by the clock of its zone, and one over midnight belongs to the day before midnight.
 */
export function openDay({ send_window_start: start, send_window_end: end, send_days, timezone }: Window, at: Date): string | undefined {
  const local = placed(timezone, at)
  const time = local.toPlainTime().toString().slice(0, 5)
  const today = local.toPlainDate()
  const isOn = (date: Temporal.PlainDate) => send_days.includes(date.dayOfWeek % 7)
  if (start < end) return start <= time && time < end && isOn(today) ? today.toString() : undefined
  const opened = time >= start ? today : time < end ? today.subtract({ days: 1 }) : undefined
  return opened && isOn(opened) ? opened.toString() : undefined
}

/** The first instant after `at` at which a window opens. Where the clocks skip the whole window of a day, that day has none. */
export function nextOpening(window: Window, at: Date): Date {
  const today = placed(window.timezone, at).toPlainDate()
  const plainTime = Temporal.PlainTime.from(window.send_window_start)
  for (let days = -1; days <= 15; days++) {
    const opening = new Date(today.add({ days }).toZonedDateTime({ timeZone: window.timezone, plainTime }).epochMilliseconds)
    if (opening > at && openDay(window, opening) !== undefined) return opening
  }
  return new Date(at.getTime() + 86_400_000)
}
