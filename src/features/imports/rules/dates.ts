import { instantOf, zoneOffsets } from '../../../domain/zone-offsets.ts'
import { isCalendarDate, toUtcText } from '../../../lib/text.ts'
import type { Cell, DateFormat } from './types.ts'

/** Dates and times as people and other systems write them. */

const wrong = (message: string): Cell => ({ message })

/** A date of birth without its year: `--05-17`, `05/17`, `17 May`, or one of the years that stand for none. */
const NO_YEAR = /^(?:--\d\d-?\d\d|\d{1,2}[/.-]\d{1,2}[.]?|\d{1,2}\.? [a-z]{3,9}|[a-z]{3,9} \d{1,2}|(?:1604|0000)-\d\d-\d\d)$/i

export function birthday(text: string, format: DateFormat): Cell {
  if (YEAR.test(text)) return { warning: `The birthday ${text} has no day, which a date of birth needs: it is not saved` }
  return NO_YEAR.test(text)
    ? { warning: `The birthday ${text} has no year, which a date of birth needs: it is not saved` }
    : date(text, format)
}

const SHORT = /^\s*(\d{1,2})[/.-](\d{1,2})[/.-]\d{4}/

/** Whether the order of day and month decides what a date is. */
export const isShortDate = (text: string): boolean => SHORT.test(text)

/** Which of them comes first in a date, if one is above 12. */
export function orderIn(text: string): 'dmy' | 'mdy' | undefined {
  const [, first, second] = SHORT.exec(text) ?? []
  if (Number(first) > 12) return 'dmy'
  return Number(second) > 12 ? 'mdy' : undefined
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAY_0 = Date.UTC(1899, 11, 30)
/** Excel's serial dates: 1 is 1 January 1900, and this is the last day of 9999. */
const LAST_SERIAL = 2_958_465
/** Nobody writes a day of 1905 as a serial date. */
const YEAR = /^(?:19|20)\d\d$/
const DATE = 'must be a date, such as 2026-03-31'
/** A day and the time after it: `3/31/2026 2:30 PM`, `31.03.2026, 14:30:15`, `Mar 31, 2026 at 2:30 p.m.`, `2026-03-31 14:30 +02:00`. */
const WITH_TIME =
  /^(.*?[^\s,])(?:T|,? at |,? )(\d{1,2}):(\d\d)(?::(\d\d(?:[.,]\d{1,9})?))?(?: ?([ap])\.?m\.?)?(?: ?(Z|UTC|GMT|[+-]\d\d:?\d\d))?$/i

/** The day that is written. One with a time is on that day, in whatever zone. */
export function date(text: string, format: DateFormat): Cell {
  const { day } = partsOf(text, format)
  return day === undefined ? wrong(faultOf(text, format)) : { value: day }
}

/** A day, or an instant if there is a time, which is one of the zone unless it has an offset. */
export function moment(text: string, format: DateFormat, zone: string): Cell {
  const { day, time, offset } = partsOf(text, format)
  const value = day && time ? instantAt(`${day}T${time}`, offset, zone) : day
  return value === undefined ? wrong(`${faultOf(text, format)}, or a time, such as 2026-03-31 09:30`) : { value }
}

/** A day as its first instant of UTC, which is how days are stored. */
export const instant = (cell: Cell): Cell =>
  'value' in cell && isCalendarDate(String(cell.value)) ? { value: `${cell.value}T00:00:00.000Z` } : cell

/** A time with its offset, or without one in the zone, as ISO 8601 in UTC; undefined outside the years 0001 to 9999. */
function instantAt(local: string, offset: string | undefined, zone: string): string | undefined {
  const text = toUtcText(`${local}${offset ?? 'Z'}`)
  if (text === undefined || offset !== undefined) return text
  return new Date(instantOf(zoneOffsets(zone), Date.parse(text) / 1000) * 1000).toISOString()
}

/** The day, the time, and its offset. Undefined for a day or a time that does not exist. */
function partsOf(text: string, format: DateFormat): { day: string | undefined; time?: string; offset?: string | undefined } {
  const [, before, hours = '', minutes, seconds = '00', half, zoned] = WITH_TIME.exec(spaced(text)) ?? []
  if (before === undefined) return { day: dayOf(spaced(text), format) }
  const hour = hourOf(Number(hours), half?.toLowerCase())
  const time = `${String(hour).padStart(2, '0')}:${minutes}:${seconds.replace(',', '.')}`
  const offset = zoned && (/^[+-]/.test(zoned) ? zoned : 'Z')
  if (hour === undefined || !toUtcText(`2000-01-01T${time}${offset ?? 'Z'}`)) return { day: undefined }
  return { day: dayOf(before, format), time, offset }
}

/** A text with plain spaces, where other programs write narrow ones, and without the day of the week. */
const spaced = (text: string): string => text.replace(/\s+/g, ' ').replace(/^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,? /i, '')

/** The hour of a day; of a 12-hour clock, 12 is the first one of each half. Some programs mark the hours of a 24-hour clock, too. */
function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === 'a') return hour <= 12 ? hour % 12 : undefined
  if (half === 'p') return hour === 0 ? undefined : hour < 12 ? hour + 12 : hour
  return hour
}

function dayOf(text: string, format: DateFormat): string | undefined {
  if (isCalendarDate(text)) return text
  if (/^\d{3,7}$/.test(text) && !YEAR.test(text) && Number(text) <= LAST_SERIAL && Number(text) > 366)
    return new Date(DAY_0 + Number(text) * 86_400_000).toISOString().slice(0, 10)
  const [, y, m, d] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text) ?? []
  if (y) return calendar(y, m, d)
  const [, first, second, year] = /^(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4})$/.exec(text) ?? []
  if (year) return format === 'mdy' ? calendar(year, first, second) : calendar(year, second, first)
  const [, day, name, inYear] = /^(\d{1,2})(?:st|nd|rd|th)?[-\s.]+([a-z]{3,9})\.?[-\s,]+(\d{4})$/i.exec(text) ?? []
  if (inYear) return calendar(inYear, monthOf(name), day)
  const [, month, on, ofYear] = /^([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})$/i.exec(text) ?? []
  return ofYear ? calendar(ofYear, monthOf(month), on) : undefined
}

const monthOf = (name = '') => String(MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1)

function calendar(year = '', month = '', day = ''): string | undefined {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isCalendarDate(text) ? text : undefined
}

/** A remedy, when the text shows what went wrong. */
function faultOf(whole: string, format: DateFormat): string {
  const text = WITH_TIME.exec(spaced(whole))?.[1] ?? whole
  if (YEAR.test(text)) return 'is a year: a date has a month and a day, such as 2026-03-31'
  if (/^\d{1,2}[-/.\s](?:\d{1,2}|[a-z]{3,9})[-/.\s]\d{2}$/i.test(text))
    return 'must be a date with all four digits of the year, such as 2026-03-31'
  if (/^\d{1,2}[-/.]\d{1,2}[-/.]\d{4}$/.test(text))
    return `is no date of the calendar with ${format === 'mdy' ? 'the month' : 'the day'} first: mend it, or set date_format`
  return DATE
}
