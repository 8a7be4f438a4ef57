import Papa from 'papaparse'
import { Complaint } from '../settings.ts'
import type { Done, Note, Place } from './report.ts'
import { fromCents, tidy, toCents, toDate, toPlainNumber } from './values.ts'

/** The largest amount that the API accepts. */
const MAX_CENTS = 99_999_999_999_999n

/** One line of a file. Corrections of its values are noted as they are read. */
export class Row implements Place {
  readonly file: string
  readonly line: number
  readonly #cells: Record<string, string>
  readonly #notes: Note[]
  readonly #tidied = new Set<string>()

  constructor(place: Place, cells: Record<string, string>, notes: Note[]) {
    this.file = place.file
    this.line = place.line
    this.#cells = cells
    this.#notes = notes
  }

  note(field: string, done: Done, why: string, value?: string): void {
    this.#notes.push({ file: this.file, line: this.line, field, done, why, ...(value !== undefined && { value }) })
  }

  /** The cleaned text; empty if there is none. */
  text(field: string): string {
    const raw = this.#cells[field] ?? ''
    const text = tidy(raw)
    if (text !== raw && !this.#tidied.has(field)) this.note(field, 'mended', 'needless spaces or control characters removed', raw)
    this.#tidied.add(field)
    return text
  }

  /** The text, corrected if it is a known misspelling (in lower case); null if there is none. */
  spelt(field: string, mends: Record<string, string>): string | null {
    const text = this.text(field)
    const right = Object.hasOwn(mends, text.toLowerCase()) ? mends[text.toLowerCase()] : undefined
    if (right !== undefined) this.note(field, 'mended', `${text} → ${right}`)
    return right ?? (text || null)
  }

  /** Notes which of these required fields are empty. */
  missing(...fields: string[]): void {
    for (const field of fields) if (this.text(field) === '') this.note(field, 'kept without', 'empty')
  }

  /** The beginning of a day in UTC; null if there is none. */
  day(field: string): string | null {
    const text = this.text(field)
    const date = toDate(text)
    if (text && !date) this.note(field, 'kept without', 'not a date of the form month/day/year', text)
    return date ? `${date}T00:00:00.000Z` : null
  }

  /** An amount of money in units of ten to the power of `shift`; null if there is none. */
  money(field: string, shift = 0): number | null {
    const plain = this.#number(field, 'not an amount')
    if (plain === undefined) return null
    const { cents, rounded } = toCents(plain, shift)
    if (cents < 0n || cents > MAX_CENTS) {
      this.note(field, 'kept without', cents < 0n ? 'a negative amount' : 'larger than an amount may be', plain)
      return null
    }
    if (rounded) this.note(field, 'mended', 'rounded to cents', plain)
    return fromCents(cents)
  }

  /** A whole number from `min` to `max`; null if there is none. */
  whole(field: string, min: number, max: number): number | null {
    const why = `not a whole number from ${min} to ${max}`
    const plain = this.#number(field, why)
    if (plain === undefined) return null
    const number = Number(plain)
    if (Number.isInteger(number) && number >= min && number <= max) return number
    this.note(field, 'kept without', why, plain)
    return null
  }

  #number(field: string, why: string): string | undefined {
    const text = this.text(field)
    const plain = toPlainNumber(text)
    if (text && plain === undefined) this.note(field, 'kept without', why, text)
    else if (plain !== undefined && plain !== text) this.note(field, 'mended', 'currency sign or separators removed', text)
    return plain
  }
}

/** The lines of a CSV file below its header, which must have these columns, in any order. */
export function readRows(file: string, text: string, columns: string[], notes: Note[]): Row[] {
  const { data, errors } = Papa.parse<string[]>(text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n'), {
    newline: '\n',
    delimitersToGuess: [',', ';', '\t'],
  })
  const lines = lineNumbers(data)
  const quotes = errors.find(({ type }) => type === 'Quotes')
  if (quotes)
    throw new Complaint(`${file}:${lines[quotes.row ?? 0] ?? '?'}: a quotation mark is opened and not closed, or stands inside a value.`)

  const filled = data.map((cells, index) => ({ cells, line: lines[index]! })).filter(({ cells }) => cells.some((cell) => cell.trim()))
  const header = (filled.shift()?.cells ?? []).map((name) => tidy(name).toLowerCase().replaceAll(' ', '_'))
  const missing = columns.filter((name) => !header.includes(name))
  if (missing.length > 0)
    throw new Complaint(
      `${file} has no column ${missing.map((name) => `"${name}"`).join(', ')}: its first line must name ${columns.join(', ')}.`,
    )
  return filled.flatMap(({ cells, line }) => rowOf({ file, line }, header, cells, notes) ?? [])
}

function rowOf(place: Place, header: string[], cells: string[], notes: Note[]): Row | undefined {
  const row = new Row(place, Object.fromEntries(header.map((name, index) => [name, cells[index] ?? '']).reverse()), notes)
  const [has, wants] = [cells.length, header.length]
  if (has < wants) row.note('', 'kept without', `ends after ${has} of ${wants} values`)
  if (has <= wants) return row
  // The values can't be assigned to columns.
  row.note('', 'skipped', `${has} values where the header has ${wants}: one with a comma needs quotation marks`)
  return undefined
}

/** The line on which each row begins; a quoted value may span several lines. */
function lineNumbers(rows: string[][]): number[] {
  let line = 1
  return rows.map((cells) => {
    const begin = line
    line += 1 + cells.reduce((sum, cell) => sum + cell.split('\n').length - 1, 0)
    return begin
  })
}
