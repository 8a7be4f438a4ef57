import { unmarked } from '../../../domain/csv/write.ts'
import { DEFAULT_COUNTRY } from '../../../domain/default-country.ts'
import { toE164 } from '../../../domain/phone.ts'
import { countryCode } from '../../../domain/time-zones.ts'
import { readConsent } from './consent.ts'
import { birthday, date, instant, moment } from './dates.ts'
import type { Field } from './kinds.ts'
import { squash } from './names.ts'
import type { Cell, DateFormat } from './types.ts'

/**
 * The settings for parsing cells: the date format, the time zone of times without an offset, the country of phone numbers without a prefix,
 * if known, and the column's name.
 */
export type ParseSettings = { date_format: DateFormat; zone: string; country?: string | null | undefined; column?: string }

const wrong = (message: string): Cell => ({ message })

/** What a spreadsheet shows where a formula has no result. */
const SHEET_ERROR = /^#(?:N\/A|NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|SPILL!|CALC!|FIELD!|BLOCKED!|CONNECT!|BUSY!|UNKNOWN!|GETTING_DATA)$/

/** Parses a non-empty cell. The API's own validation decides whether the value is allowed. */
export function readCell(field: Field, raw: string, manner: ParseSettings): Cell {
  const text = unmarked(raw)
  const trimmed = text.trim()
  if (text.includes('\uFFFD')) return wrong('has characters that cannot be read: save the file as UTF-8')
  if (SHEET_ERROR.test(trimmed)) return wrong(`is ${trimmed}, the error of a formula: correct the formula, or clear the cell`)
  switch (field.kind) {
    case 'lines':
      return { value: text }
    case 'phone':
      return phone(bare(trimmed), manner)
    case 'consent':
      return readConsent(field.name, manner.column ?? field.name, trimmed)
    case 'birthday':
      return birthday(bare(trimmed), manner.date_format)
    case 'web_address':
      return { value: /^[^\s/:@]+\.[a-z]{2,}(?:\/\S*)?$/i.test(trimmed) ? `https://${trimmed}` : trimmed }
    case 'email':
      return { value: withoutNames(trimmed).trim() }
    case 'emails':
      return { value: many(withoutNames(trimmed), /[;,\s]+/) }
    case 'domains':
      return { value: many(trimmed, /[;,\s]+/) }
    case 'phones':
      return phones(bare(trimmed), manner)
    case 'number':
      return number(bare(trimmed))
    case 'date':
      return date(bare(trimmed), manner.date_format)
    case 'moment':
      return moment(bare(trimmed), manner.date_format, manner.zone)
    case 'instant':
      return instant(moment(bare(trimmed), manner.date_format, manner.zone))
    case 'boolean':
      return boolean(trimmed)
    case 'option':
      return { value: optionIn(field, trimmed) }
    case 'options':
      return { value: many(trimmed, /[;,|]/).map((one) => optionIn(field, one)) }
    case 'list':
      return { value: many(trimmed, /[;,|]/) }
    case 'tags':
      return { value: labelsIn(trimmed).map((name) => ({ name })) }
    case 'line_items':
      return lineItems(trimmed)
    case 'json':
      return { value: jsonIn(trimmed) ?? text }
    default:
      return { value: field.name === 'external_id' ? bare(trimmed) : trimmed }
  }
}

/** The fewest digits of a phone number, to tell two numbers from one that is written with a slash. */
const DIGITS = 6
/** Separates addresses and numbers whatever they are. Google writes three colons. */
const SEPARATOR = /[;|\n]|:::/

const partsOf = (text: string, between: RegExp): string[] => text.split(between).map((part) => part.trim())

const isNumber = (text: string): boolean => text.replace(/\D/g, '').length >= DIGITS

/** The parts of a text at a character that may be part of a value, if each of them can be a value. */
function partsThatFit(text: string, between: RegExp, fits: (part: string) => boolean): string[] {
  const parts = partsOf(text, between).filter((part) => part !== '')
  return parts.every(fits) ? parts : [text]
}

/** The longest text in which names are looked for. */
const MAX_NAMED = 1_000

/** Email addresses without the names in front of them: `"Lee, Ana" <ana@example.com>`. */
const withoutNames = (text: string): string =>
  text.length > MAX_NAMED || !text.includes('<')
    ? text
    : text.replace(/"[^"]*"\s*(?=<)/g, '').replace(/(?<=^|[<>;,|\n])[^<>;,|\n]*<(?:mailto:)?([^<>\s@]+@[^<>\s]+)>/gi, '$1')

/** The values of a cell that may have several. */
export function splitCell({ kind, between, to }: Field, raw: string): string[] {
  if (!between) return [raw]
  const list = to && jsonIn(unmarked(raw).trim())
  if (Array.isArray(list)) return list.map(String)
  const fits = (part: string) =>
    kind === 'phone' ? isNumber(part) : kind === 'email' ? part.includes('@') : to !== undefined || part.includes('.')
  const hasSeparators = kind === 'phone' || kind === 'email'
  const text = kind === 'email' ? withoutNames(unmarked(raw)) : unmarked(raw)
  const sure = hasSeparators ? partsOf(text, SEPARATOR) : [text.trim()]
  const values = sure.flatMap((text) => partsThatFit(text, between, fits)).filter((part) => part !== '')
  return values.length > 1 ? values : [kind === 'email' ? text : raw]
}

/** Removes the apostrophe that marks text in Excel. */
const bare = (text: string) => text.replace(/^'+/, '')

function jsonIn(text: string): unknown {
  if (!/^[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** As an export writes them. */
function lineItems(text: string): Cell {
  const items = jsonIn(text)
  const isList = Array.isArray(items) && items.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item))
  return isList ? { value: items } : wrong('must be a list of line items, such as [{"name": "Desk", "quantity": 2, "unit_price": 40}]')
}

/** The system's own groups of Google Contacts, which nobody chose as labels. */
const SYSTEM_LABEL = /^\* ?(?:my ?contacts|starred)$/i
/** A label that is quoted because it has a separator, as Mailchimp does with every tag, or one without. */
const LABEL = /\s*"(?:[^"]|"")*"\s*(?=[;,|]|$)|[^;,|]+/g

/** The tags of a cell. Google Contacts divides labels with three colons, and marks its own with an asterisk. */
function labelsIn(text: string): string[] {
  if (jsonIn(text) !== undefined) return many(text, LABEL)
  const labels = text.includes(':::') ? text.split(':::') : (text.match(LABEL) ?? [])
  return labels
    .map((label) => label.trim())
    .filter((label) => !SYSTEM_LABEL.test(label))
    .map((label) => (/^".*"$/s.test(label) ? label.slice(1, -1).replaceAll('""', '"').trim() : label.replace(/^\* /, '')))
    .filter((label) => label !== '')
}

function many(text: string, between: RegExp): string[] {
  const list = jsonIn(text)
  const values = Array.isArray(list) ? list.map(String) : partsOf(text, between)
  return values.map((value) => value.trim()).filter((value) => value !== '')
}

const optionIn = ({ options = [] }: Field, text: string): string =>
  options.includes(text) ? text : (options.find((option) => squash(option) === squash(text)) ?? text)

const SCIENTIFIC = /^([+-]?)(\d)(?:[.,](\d+))?E\+?(\d+)$/i

/** Expands `6.1412345678E+10`, or returns undefined when Excel has dropped digits. */
function unfolded(text: string): string | undefined {
  const [, sign, whole = '', fraction = '', power] = SCIENTIFIC.exec(text) ?? []
  return fraction.length > 4 && fraction.length <= Number(power) && Number(power) < 16
    ? `${sign}${whole}${fraction.padEnd(Number(power), '0')}`
    : undefined
}

function phone(text: string, { country }: ParseSettings): Cell {
  const digits = SCIENTIFIC.test(text) ? unfolded(text) : text.replace(/[.,]0+$/, '')
  if (digits === undefined || (SCIENTIFIC.test(text) && digits.endsWith('0000')))
    return wrong('A spreadsheet has rounded this number: format the column as text and enter it again')
  const code = country == null ? undefined : countryCode(country)
  const known = code === undefined ? undefined : toE164(digits, code)
  // A country prefix without its plus sign.
  const abroad =
    known ?? (/^[1-9]\d{9,14}$/.test(digits) && !toE164(digits, code ?? DEFAULT_COUNTRY.code) ? toE164(`+${digits}`) : undefined)
  return { value: abroad ?? digits }
}

function phones(text: string, manner: ParseSettings): Cell {
  // In some countries a slash is part of a number.
  const numbers = many(text, SEPARATOR).flatMap((part) => partsThatFit(part, /[,/]/, isNumber))
  const cells = numbers.map((one) => phone(one, manner))
  return cells.find((cell) => 'message' in cell) ?? { value: cells.map((cell) => 'value' in cell && cell.value) }
}

function number(text: string): Cell {
  const unfoldedText = SCIENTIFIC.test(text) ? String(Number(text.replace(',', '.'))) : text
  const negative = /^\(.*\)$/.test(unfoldedText) || /^[^\d]*-/.test(unfoldedText) || /\d-$/.test(unfoldedText)
  const digits = unfoldedText.replace(/^[A-Z]{3}(?=[\s\d])|^[A-Z]{1,3}(?=\$)|(?<=[\s\d])[A-Z]{3}$|[\s\u00a0\u202f'’()$€£¥₹%+-]/g, '')
  const plain = decimal(digits)
  if (plain === undefined) return wrong('must be a number, such as 40 or 1250.5')
  return { value: Number(negative ? `-${plain}` : plain) }
}

/**
 * With two kinds of separators, the last one is the decimal separator. A comma before exactly three digits is a thousands separator if it
 * can be one: no number of thousands begins with a zero, or has four digits in front of its first comma. In India only the last three
 * digits are together, and before them two.
 */
function decimal(digits: string): string | undefined {
  if (/^\d+(\.\d+)?$|^\.\d+$/.test(digits)) return digits
  if (/^[1-9]\d{0,2}(,\d{3})+(\.\d+)?$|^[1-9]\d?(,\d\d)+,\d{3}(\.\d+)?$/.test(digits)) return digits.replaceAll(',', '')
  if (/^[1-9]\d{0,2}(\.\d{3})+(,\d+)?$/.test(digits)) return digits.replaceAll('.', '').replace(',', '.')
  return /^\d+,\d+$/.test(digits) ? digits.replace(',', '.') : undefined
}

const YES = /^(y|yes|true|t|1|x|on|ja|si|oui)$/i
const NO = /^(n|no|false|f|0|off|nein|non)$/i

function boolean(text: string): Cell {
  if (YES.test(text)) return { value: true }
  return NO.test(text) ? { value: false } : wrong('must be yes or no')
}
