/** How the numbers of a cell style are shown: as they are, with leading zeros up to a number of digits, or as dates or times. */
export type NumberForm = { kind: 'number' } | { kind: 'padded'; digits: number } | { kind: 'date' | 'moment' | 'time' }

const NUMBER: NumberForm = { kind: 'number' }
const DAY_MS = 86_400_000
/** Day 0 of each date system. The 1900 system counts a 29 February 1900 that never was. */
const DAY_0 = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) } as const
const LEAP_BUG = 60
/** The last day of the year 9999. */
const LAST_DAY = { 1900: 2_958_465, 1904: 2_957_003 } as const
export type DateSystem = keyof typeof DAY_0

/** Numbers of built-in formats that have no format code in the file. East Asian ones are dates too. */
const BUILT_IN: [first: number, last: number, form: NumberForm][] = [
  [14, 17, { kind: 'date' }],
  [18, 21, { kind: 'time' }],
  [22, 22, { kind: 'moment' }],
  [27, 31, { kind: 'date' }],
  [32, 35, { kind: 'time' }],
  [36, 36, { kind: 'date' }],
  [45, 47, { kind: 'time' }],
  [50, 58, { kind: 'date' }],
]

/** What a number format makes of a number, by its id and its code, if it has one. */
export function formOf(id: number, code: string | undefined): NumberForm {
  if (code === undefined) return BUILT_IN.find(([first, last]) => id >= first && id <= last)?.[2] ?? NUMBER
  if (/^0{2,15}$/.test(code)) return { kind: 'padded', digits: code.length }
  // Without literal text, colours, conditions and locales. [h] is hours beyond a day.
  const [positive = ''] = code
    .replace(/"[^"]*"|\\.|_.|\*.|E[+-]/gi, '')
    .replace(/\[(?!h+\]|m+\]|s+\])[^[\]]*\]/gi, '')
    .split(';')
  if (/general/i.test(positive)) return NUMBER
  const hasDay = /[dye]/i.test(positive) || (/m/i.test(positive) && !/[hs]/i.test(positive))
  const hasTime = /[hs]/i.test(positive)
  if (!hasDay && !hasTime) return NUMBER
  return { kind: hasDay ? (hasTime ? 'moment' : 'date') : 'time' }
}

/** The text of a number as the sheet shows it: dates as 2026-03-31, with the time after a space if it has one. */
export function numberText(raw: string, form: NumberForm, system: DateSystem): string {
  const number = Number(raw)
  if (raw.trim() === '' || !Number.isFinite(number)) return raw
  if (form.kind === 'padded' && Number.isInteger(number) && number >= 0) return String(number).padStart(form.digits, '0')
  if (form.kind === 'number' || form.kind === 'padded' || number < 0 || number >= LAST_DAY[system] + 1) return plain(number)
  if (form.kind === 'time') return timeOf(number)
  const text = momentOf(number, system)
  return form.kind === 'date' || text.endsWith(' 00:00:00') ? text.slice(0, 10) : text
}

/** A number with the 15 digits that a spreadsheet shows, and without the noise of binary fractions. */
function plain(number: number): string {
  if (Number.isInteger(number)) return String(number)
  const rounded = Number(number.toPrecision(15))
  return Math.abs(rounded) < 1e-6 ? rounded.toFixed(15).replace(/(?<![.0])\.?0+$/, '') : String(rounded)
}

/** A time of day, or a duration of more than 24 hours. */
function timeOf(days: number): string {
  const seconds = Math.round(days * 86_400)
  return [seconds / 3600, (seconds % 3600) / 60, seconds % 60].map((part) => String(Math.floor(part)).padStart(2, '0')).join(':')
}

function momentOf(days: number, system: DateSystem): string {
  if (system === 1900 && Math.floor(days) === LEAP_BUG) return '1900-02-29'
  const shifted = system === 1900 && days < LEAP_BUG ? days + 1 : days
  const time = DAY_0[system] + Math.floor(shifted) * DAY_MS + Math.round((shifted % 1) * 86_400) * 1000
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ')
}
