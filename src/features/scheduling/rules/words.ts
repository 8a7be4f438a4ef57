import { weekdayOf } from './working-hours.ts'
import { dateOfDay, dayAt, MINUTE, offsetAt, wallAt, type ZoneTable } from './zone-table.ts'

const WEEKDAY_NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const MONTH_NAMES = 'January February March April May June July August September October November December'.split(' ')
const UNITS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty']
const ORDINALS: Record<string, string> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
}

const pad = (value: number) => String(value).padStart(2, '0')

/** The date and time on a wall clock. */
function partsAt(table: ZoneTable, instant: number) {
  const day = dayAt(table, instant)
  const [year, month, date] = dateOfDay(day).split('-').map(Number) as [number, number, number]
  const minutes = Math.floor(wallAt(table, instant) / MINUTE) - day * 1_440
  return { day, year, month, date, hour: Math.floor(minutes / 60), minute: minutes % 60 }
}

/** `+11:00`. */
export function offsetText(table: ZoneTable, instant: number): string {
  const minutes = Math.round(offsetAt(table, instant) / MINUTE)
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`
}

/** `2026-12-01`. */
export const localDate = (table: ZoneTable, instant: number): string => dateOfDay(dayAt(table, instant))

/** `2026-12-01 09:30`: identifies a slot in a phone call. */
export function bookingKey(table: ZoneTable, instant: number): string {
  const { day, hour, minute } = partsAt(table, instant)
  return `${dateOfDay(day)} ${pad(hour)}:${pad(minute)}`
}

/** `Tuesday 1 December 2026`. */
export function dateLabel(table: ZoneTable, instant: number): string {
  const { day, year, month, date } = partsAt(table, instant)
  return `${WEEKDAY_NAMES[weekdayOf(day)]} ${date} ${MONTH_NAMES[month - 1]} ${year}`
}

/** `9:30 am`. */
export function timeLabel(table: ZoneTable, instant: number): string {
  const { hour, minute } = partsAt(table, instant)
  return `${hour % 12 || 12}:${pad(minute)} ${hour < 12 ? 'am' : 'pm'}`
}

/** A number below 60 as it is spoken. */
export function spokenNumber(value: number): string {
  if (value < 20) return UNITS[value] as string
  const rest = value % 10
  return `${TENS[Math.floor(value / 10)]}${rest ? `-${UNITS[rest]}` : ''}`
}

/** `first`, `twenty-third`. */
export function spokenOrdinal(value: number): string {
  const words = spokenNumber(value).split('-')
  const last = words.at(-1) as string
  const ordinal = ORDINALS[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`)
  return [...words.slice(0, -1), ordinal].join('-')
}

/** `half past nine in the morning`. */
export function spokenClock(hour: number, minute: number): string {
  if (minute === 0 && hour === 0) return 'midnight'
  if (minute === 0 && hour === 12) return 'noon'
  const part = (at: number) => (at < 12 ? 'in the morning' : at < 18 ? 'in the afternoon' : at < 22 ? 'in the evening' : 'at night')
  const name = (at: number) => spokenNumber(at % 12 || 12)
  if (minute === 0) return `${name(hour)} o’clock ${part(hour)}`
  if (minute === 15) return `a quarter past ${name(hour)} ${part(hour)}`
  if (minute === 30) return `half past ${name(hour)} ${part(hour)}`
  if (minute === 45) return `a quarter to ${name(hour + 1)} ${part(hour)}`
  return `${name(hour)} ${minute < 10 ? `oh ${spokenNumber(minute)}` : spokenNumber(minute)} ${part(hour)}`
}

/** `Tuesday the first of December, half past nine in the morning`. */
export function spokenTime(table: ZoneTable, instant: number): string {
  const { day, month, date, hour, minute } = partsAt(table, instant)
  return `${WEEKDAY_NAMES[weekdayOf(day)]} the ${spokenOrdinal(date)} of ${MONTH_NAMES[month - 1]}, ${spokenClock(hour, minute)}`
}

/** `Sydney time` for Australia/Sydney. */
export const spokenZone = (zone: string): string =>
  zone === 'UTC' || zone.startsWith('Etc/')
    ? `${zone.replace('Etc/', '')} time`
    : `${(zone.split('/').at(-1) as string).replaceAll('_', ' ')} time`
