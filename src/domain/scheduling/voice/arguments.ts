import { isCalendarDate } from '../../../lib/text.ts'
import type { ToolArguments } from './envelope.ts'

const DIGITS: Record<string, string> = Object.fromEntries(
  ['zero oh o nought', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'].flatMap((names, digit) =>
    names.split(' ').map((name) => [name, String(digit)]),
  ),
)
const TIMES: Record<string, number> = { double: 2, triple: 3 }

/** A phone number as it is spoken, in digits: `oh four one two, double three`. A number in digits stays as it is. */
export function spokenPhone(text: string): string {
  const words = text.toLowerCase().split(/[\s,.-]+/)
  if (!words.some((word) => word in DIGITS)) return text
  let times = 1
  let number = /^\s*(\+|plus\b)/.test(text.toLowerCase()) ? '+' : ''
  for (const word of words) {
    const digit = DIGITS[word] ?? word.replace(/\D/g, '')
    number += digit.repeat(times)
    times = TIMES[word] ?? 1
  }
  return number
}

/** The last digits of a number of which no more is known, at least four; undefined for fewer. */
export function lastDigits(text: string): string | undefined {
  const digits = spokenPhone(text).replace(/\D/g, '')
  return digits.length >= 4 && digits.length <= 14 ? digits : undefined
}

const wordsOf = (name: string) =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

/** Whether a name that a caller gives is the name of a booking: each of its words is one of the name, and one has more than one letter. */
export function isNameOf(spokenName: string, name: string): boolean {
  const [words, known] = [wordsOf(spokenName), wordsOf(name)]
  return words.some((word) => word.length > 1) && words.every((word) => known.includes(word))
}

/** An email address as it is spoken: `ana dot lee at example dot com`. */
export function spokenEmail(text: string): string {
  if (text.includes('@')) return text.replace(/\s+/g, '')
  return text
    .toLowerCase()
    .replace(/\s+(dot|point)\s+/g, '.')
    .replace(/\s+at\s+/g, '@')
    .replace(/\s+(underscore)\s+/g, '_')
    .replace(/\s+(dash|hyphen|minus)\s+/g, '-')
    .replace(/\s+/g, '')
}

/** The first of these arguments that is a text or a number, as one trimmed line without control characters. */
export function argument(args: ToolArguments, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = args[name]
    if (typeof value !== 'string' && typeof value !== 'number') continue
    const line = String(value)
      .toWellFormed()
      .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim()
    if (line !== '') return line
  }
  return undefined
}

/** The time that is requested: a booking key, a timestamp, or a date and a time of day. */
export function startArgument(args: ToolArguments): string | undefined {
  const key = argument(args, 'slot', 'booking_key', 'new_slot', 'new_booking_key', 'starts_at', 'start_time', 'start')
  if (key !== undefined) return key.replace(/^\[|\]$/g, '')
  const [date, time] = [argument(args, 'date', 'new_date'), argument(args, 'time', 'new_time')]
  return date && time ? `${date} ${time}` : undefined
}

/** The days that are requested; `to` is at most a month after `from`. */
export function daysArgument(
  args: ToolArguments,
  today: string,
  dayAfter: (day: string, days: number) => string,
): { from: string; to: string } {
  const given = argument(args, 'from', 'start_date', 'date')?.slice(0, 10)
  const from = given !== undefined && isCalendarDate(given) && given >= today ? given : today
  const last = argument(args, 'to', 'end_date')?.slice(0, 10)
  const most = dayAfter(from, 30)
  if (last !== undefined && isCalendarDate(last) && last >= from) return { from, to: last < most ? last : most }
  const days = Number(argument(args, 'days') ?? (given !== undefined && argument(args, 'date') ? 1 : 7))
  return { from, to: dayAfter(from, Number.isInteger(days) && days >= 1 && days <= 31 ? days - 1 : 6) }
}
