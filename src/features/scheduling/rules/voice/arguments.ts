import { dayAfter } from '../../../../domain/local-days.ts'
import type { DayRange, DayReader } from './days.ts'
import type { ToolArguments } from './envelope.ts'
import type { Tool } from './texts.ts'
import { type ArgumentName, namesOf, TOOL_ARGUMENTS } from './tools.ts'

/** What is wrong with an argument; the voice agent gets it as a question. */
export class UnreadableArgument extends Error {
  readonly argument: ArgumentName

  constructor(argument: ArgumentName, message: string) {
    super(message)
    this.argument = argument
  }
}

const DIGITS = new Map(
  ['zero oh o nought', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'].flatMap((names, digit) =>
    names.split(' ').map((name): [string, string] => [name, String(digit)]),
  ),
)
const TIMES = new Map([
  ['double', 2],
  ['triple', 3],
])

/** A phone number as it is spoken, in digits: `oh four one two, double three`. A number in digits stays as it is. */
export function spokenPhone(text: string): string {
  const words = text.toLowerCase().split(/[\s,.-]+/)
  if (!words.some((word) => DIGITS.has(word))) return text
  let times = 1
  let number = /^\s*(\+|plus\b)/.test(text.toLowerCase()) ? '+' : ''
  for (const word of words) {
    const digit = DIGITS.get(word) ?? word.replace(/\D/g, '')
    number += digit.repeat(times)
    times = TIMES.get(word) ?? 1
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
    .replace(/\s+/g, ' ')
    .replace(/ (dot|point) /g, '.')
    .replace(/ at /g, '@')
    .replace(/ underscore /g, '_')
    .replace(/ (dash|hyphen|minus) /g, '-')
    .replace(/ /g, '')
}

/** The arguments of a tool, by their own names: each one trimmed line without control characters. */
export type KnownArguments = Partial<Record<ArgumentName, string>>

/** Reads the arguments of a tool under any of their names. @throws UnreadableArgument for one that is neither a text nor a number. */
export function readArguments(tool: Tool, args: ToolArguments): KnownArguments {
  const known: KnownArguments = {}
  for (const name of TOOL_ARGUMENTS[tool]) {
    const values = namesOf(name).map((alias) => args[alias])
    const value = values.map((each) => lineOf(name, each)).find((line) => line !== undefined)
    if (value !== undefined) known[name] = value
  }
  return known
}

function lineOf(name: ArgumentName, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  const line = textLine(value)
  if (line === undefined) throw new UnreadableArgument(name, 'it must be a text')
  return line === '' ? undefined : line
}

/** A text or a number as one trimmed line. */
export function textLine(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  return String(value)
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

const pad = (value: number) => String(value).padStart(2, '0')

/** The time that is requested: a booking key, a timestamp, or a date and a time of day. @throws UnreadableArgument. */
export function startArgument({ slot, date, time }: KnownArguments): string | undefined {
  if (slot !== undefined) return slot.replace(/^\[|\]$/g, '')
  if (date === undefined || time === undefined) return undefined
  const minutes = clockOf('time', time)
  return `${date} ${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`
}

const NOON = 720
const CLOCK = /^(\d{1,2})(?:\s*[:.h]\s*(\d\d))?(?::00)?\s*(am|pm|uhr|h|heures?|horas?|uur|o['’]clock)?$/

/**
 * A time of day in minutes since midnight: `14:00`, `2 pm`, `14 Uhr`, `noon`. An hour alone could be in the morning or in the afternoon
 * until seven.
 */
function clockOf(name: ArgumentName, text: string): number {
  const spoken = text.toLowerCase().replace(/\b([ap])\.?\s?m\.?(?!\w)/, '$1m')
  if (/^(noon|midday|12 noon|mittag|mittags|midi|mediodía)$/.test(spoken)) return NOON
  if (/^(midnight|24:00)$/.test(spoken)) return name === 'before' ? 2 * NOON : 0
  const [, hours, minutes = '0', unit] = CLOCK.exec(spoken) ?? []
  const [hour, minute] = [Number(hours), Number(minutes)]
  const isHalfDay = unit === 'am' || unit === 'pm'
  const isClear = isHalfDay ? hour >= 1 && hour <= 12 : hour <= 23 && (spoken !== hours || hour > 7)
  if (hours === undefined || minute > 59 || !isClear) throw new UnreadableArgument(name, 'it must be a time of day, such as 14:00 or 2 pm')
  return (isHalfDay ? (hour % 12) + (unit === 'pm' ? 12 : 0) : hour) * 60 + minute
}

/** The parts of a day, each from its first minute to the minute after its last one. */
export const PARTS_OF_DAY = { morning: [0, NOON], afternoon: [NOON, 1_080], evening: [1_080, 2 * NOON] } as const
const PART_NAMES: [RegExp, keyof typeof PARTS_OF_DAY][] = [
  [/^(in the )?mornings?$|^vormittags?$|^matin$|^mañana$|^ochtend$/, 'morning'],
  [/^(in the )?afternoons?$|^nachmittags?$|^après-midi$|^tarde$|^middag$/, 'afternoon'],
  [/^(in the )?evenings?$|^abends?$|^soir$|^noche$|^avond$/, 'evening'],
]

/**
 * Reads the times of day that are requested, in minutes since midnight: the first, and the one after the last. @throws UnreadableArgument.
 */
export function clockArguments({ part_of_day, after, before }: KnownArguments): [from: number, to: number] {
  const part = part_of_day === undefined ? undefined : PART_NAMES.find(([pattern]) => pattern.test(part_of_day.toLowerCase()))?.[1]
  if (part_of_day !== undefined && part === undefined)
    throw new UnreadableArgument('part_of_day', 'it must be morning, afternoon or evening')
  const [first, last] = part ? PARTS_OF_DAY[part] : [0, 2 * NOON]
  const from = Math.max(first, after === undefined ? 0 : clockOf('after', after))
  const to = Math.min(last, before === undefined ? 2 * NOON : clockOf('before', before))
  if (from >= to) throw new UnreadableArgument(before === undefined ? 'after' : 'before', 'it leaves no time of the day')
  return [from, to]
}

/** The most days that are listed at once. */
export const MOST_DAYS = 31
const UNKNOWN_DAY = 'it must be a day, such as 2026-12-01, tomorrow, Friday or next week'

/**
 * The days that are requested, seen from today; `to` is at most a month after `from`. `since`: earlier days are over. @throws
 * UnreadableArgument.
 */
export function daysArgument(args: KnownArguments, today: string, read: DayReader, since = today): DayRange {
  const range = (name: 'date' | 'from' | 'to') => {
    const text = args[name]
    if (text === undefined) return undefined
    const days = read(text, today)
    if (!days) throw new UnreadableArgument(name, UNKNOWN_DAY)
    if (days.to < since) throw new UnreadableArgument(name, `it is ${days.from}, which is over: today is ${today}`)
    return days
  }
  const [date, first, last] = [range('date'), range('from'), range('to')]
  const from = date?.from ?? first?.from ?? today
  const most = dayAfter(from, MOST_DAYS - 1)
  const to = last?.to ?? endOf(args, from, date ?? first, date !== undefined)
  if (to < from) throw new UnreadableArgument('to', `it is ${to}, which is before ${from}`)
  return { from, to: to < most ? to : most }
}

/** The last day where none is given: that of a range, or after the number of days. */
function endOf({ days }: KnownArguments, from: string, range: DayRange | undefined, isDate: boolean): string {
  const count = days === undefined ? undefined : Number(days)
  if (count !== undefined && !(Number.isInteger(count) && count >= 1 && count <= MOST_DAYS))
    throw new UnreadableArgument('days', `it must be a number from 1 to ${MOST_DAYS}`)
  if (count !== undefined) return dayAfter(from, count - 1)
  return range && (isDate || range.to > range.from) ? range.to : dayAfter(from, 6)
}
