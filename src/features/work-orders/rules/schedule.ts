import { Temporal } from 'temporal-polyfill'

/** The most minutes of a work order: it ends on the next day at the latest. */
export const MAX_DURATION = 1_440
/** How long work without a duration takes, for clashes and calendars. The function work_order_clashes has the same. */
export const USUAL_DURATION = 60

export type LocalTime = { date: string; time: string }

/** How many years of changes of the clocks are looked at, from one on. */
const LOOKED_YEARS = 3

/** The changes of the clocks after which a local time is missing, in the years after a day. */
function gapsAfter(zone: string, day: string): Temporal.ZonedDateTime[] {
  const gaps: Temporal.ZonedDateTime[] = []
  let at: Temporal.ZonedDateTime | null = Temporal.PlainDate.from(day).subtract({ days: 1 }).toZonedDateTime(zone)
  const end = at.add({ years: LOOKED_YEARS })
  for (;;) {
    at = at.getTimeZoneTransition('next')
    if (!at || Temporal.ZonedDateTime.compare(at, end) > 0) return gaps
    if (at.offsetNanoseconds > at.subtract({ nanoseconds: 1 }).offsetNanoseconds) gaps.push(at)
  }
}

/** Whether the clocks of the zone skip this time on some day, so that it matters which day it is for. */
export const isSkippedSometime = (zone: string, time: string, day: string): boolean =>
  gapsAfter(zone, day).some((gap) => validTime(zone, { date: skippedDate(gap), time }).time !== time)

/** Whether the clocks of the zone skip some time of this day, so that it matters which time it is. */
export const hasGap = (zone: string, date: string): boolean => gapsAfter(zone, date).some((gap) => skippedDate(gap) === date)

/** The day of the time before which the clocks skip. */
const skippedDate = (gap: Temporal.ZonedDateTime): string =>
  gap.subtract({ nanoseconds: 1 }).toPlainDateTime().add({ nanoseconds: 1 }).toPlainDate().toString()

/** The same time, or the next one that the clocks of the zone show. */
export function validTime(zone: string, { date, time }: LocalTime): LocalTime {
  const local = Temporal.PlainDateTime.from(`${date}T${time}`)
  const later = local.toZonedDateTime(zone, { disambiguation: 'later' })
  if (later.toPlainDateTime().equals(local)) return { date, time }
  const gap = local.toZonedDateTime(zone, { disambiguation: 'earlier' }).getTimeZoneTransition('next')
  const shown = (gap ?? later).toPlainDateTime()
  return { date: shown.toPlainDate().toString(), time: shown.toPlainTime().toString({ smallestUnit: 'second' }) }
}

/** The instant of a local time that the clocks show; of a repeated one the first. */
export const instantOf = (zone: string, { date, time }: LocalTime): Date =>
  new Date(Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds)
