import { DAY } from '../../scheduling/rules/zone-table.ts'
import { type Property, paramOf } from './ics-lines.ts'

/**
 * A date, or a date with a time. `wall` is what the clocks show, in milliseconds as if it were UTC. `zone`: `UTC`, the name that the file
 * gives, or null if there is none.
 */
export type When = { wall: number; zone: string | null; isDay: boolean }

/** A duration: whole days of the calendar, and an exact time, in milliseconds. */
export type Duration = { days: number; time: number }

const HOUR = 3_600_000
const DATE_TIME = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z)?)?$/i
const DURATION = /^([+-])?P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,7})H)?(?:(\d{1,7})M)?(?:(\d{1,9})S)?)?$/i
/** The most values of one property. */
const MAX_VALUES = 20_000

/** Reads a date or a date-time in the zone of its property; undefined if it is neither. */
export function readWhen(text: string, zone: string | undefined): When | undefined {
  const match = DATE_TIME.exec(text.trim())
  if (!match) return undefined
  const [year, month, day, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => (part === undefined ? undefined : Number(part)))
  const date = Date.UTC(year as number, (month as number) - 1, day)
  if (new Date(date).getUTCMonth() + 1 !== month || hour > 24 || minute > 59 || second > 60) return undefined
  const isDay = match[4] === undefined
  const wall = date + hour * HOUR + minute * 60_000 + Math.min(second, 59) * 1000
  return { wall, zone: isDay ? null : match[7] ? 'UTC' : (zone ?? null), isDay }
}

export const whenOf = (property: Property | undefined): When | undefined => property && readWhen(property.value, paramOf(property, 'TZID'))

export function readDuration(text: string): Duration | undefined {
  const match = DURATION.exec(text.trim())
  if (!match) return undefined
  const [weeks, days, hours, minutes, seconds] = match.slice(2).map((part) => Number(part ?? 0)) as [number, number, number, number, number]
  const sign = match[1] === '-' ? -1 : 1
  return { days: sign * (weeks * 7 + days), time: sign * (hours * HOUR + minutes * 60_000 + seconds * 1000) }
}

/** A value of a list, with its own end if it is a period. */
export type Listed = When & { until?: When | Duration }

/** The dates, times and periods of properties such as EXDATE, RDATE and FREEBUSY. */
export function listOf(properties: Property[] = []): Listed[] {
  const found: Listed[] = []
  for (const property of properties) {
    const zone = paramOf(property, 'TZID')
    for (const item of property.value.split(',', MAX_VALUES)) {
      const [from = '', to] = item.split('/')
      const when = readWhen(from, zone)
      const until = to === undefined ? undefined : (readDuration(to) ?? readWhen(to, zone))
      if (when) found.push({ ...when, ...(until && { until }) })
    }
  }
  return found
}

/** The day of a wall clock, as its first moment. */
export const midnightOf = (wall: number): number => Math.floor(wall / DAY) * DAY
