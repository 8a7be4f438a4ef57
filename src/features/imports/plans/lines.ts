import type { Scanned } from '../../../domain/csv/scan.ts'
import { isId } from '../../../lib/ids.ts'
import { looseForm } from '../../../lib/text.ts'
import { readCell, splitCell } from '../rules/cells.ts'
import { fieldOf, isConsent, takesSeveral } from '../rules/fields.ts'
import { isFooter } from '../rules/footers.ts'
import { CUSTOM, type Field, type Referred } from '../rules/kinds.ts'
import { looksLikeId } from '../rules/names.ts'
import type { Cell, ImportObject, MatchField } from '../rules/types.ts'
import { fitted, quoted, takesNull } from './fit.ts'
import type { Reader } from './job.ts'
import { keysOf } from './line-keys.ts'

/** An error or a warning about a line; `column` names the column if several fill the field. */
export type Fault = { field: string | null; column?: string; message: string }
/** A reference to a record by id, external id, name or email address, as written in the line. */
export type Reference = {
  field: string
  to: Referred
  becomes: string
  /** The field that receives all ids if a new record has several. */
  all?: string
  links?: true
  text: string
  within?: string
  /** Whether the column is one of statuses: open, won and lost, as an export has it. */
  status?: true
  /** Applies to new records only. */
  initial?: boolean
}
/**
 * A value by which the line's record is found. With `adopts`, only a record without an external id. `archived`: whether a name, an address
 * or a number stands for an archived record, which another record may share it with.
 */
export type Key = { by: MatchField; text: string; archived: boolean; adopts?: true }
/** What a value of a cell becomes, and the field that it fills: another one than that of the column for a further value. */
export type Outcome = Result & { at: number }
type Result = Cell & { field: string; kind: Field['kind'] }
/** A parsed line, before its references are resolved. */
export type Line = Pick<Scanned, 'line' | 'next'> & {
  values: string[]
  /** The values under the API's field names. */
  input: Record<string, unknown>
  /** Defaults for a new record, where the line has no value. */
  initial: Record<string, unknown>
  /** Further values of a cell, which are added to those of the list. */
  added: Record<string, string[]>
  references: Reference[]
  /** The values that the existing record is matched by, the best one first. */
  keys: Key[]
  /** The values by which another line may find the record of this one. */
  identifiers: string[]
  faults: Fault[]
  warnings: Fault[]
  outcomes: Outcome[]
  /** Whether it is below the records of a report, and none itself. */
  footer?: true
}

/** Limits for the stored values of a failed line: the number of cells beyond the header's columns, and the characters per cell. */
const MORE_CELLS = 20
const LONGEST = 32_000
/** The most values of a cell, and warnings of a line. */
const MAX_PARTS = 100

/** Parses the cells of a record. */
export function readLine(job: Reader, { line, cells, next, fault }: Pick<Scanned, 'line' | 'cells' | 'next' | 'fault'>): Line {
  const values = cells.slice(0, job.width + MORE_CELLS).map((cell) => cell.slice(0, LONGEST).toWellFormed().replaceAll('\0', '\uFFFD'))
  const read: Line = {
    line,
    next,
    values,
    input: {},
    initial: {},
    added: {},
    references: [],
    keys: [],
    identifiers: [],
    faults: [],
    warnings: [],
    outcomes: [],
  }
  if (isFooter(cells)) return { ...read, footer: true }
  const broken = fault ?? widthFault(job, cells)
  if (broken !== undefined) return { ...read, faults: [{ field: null, message: broken }] }
  const { replaced, lists } = job
  const text = (name: string) =>
    job.filled
      .filter(({ field }) => field.name === name)
      .map(({ at }) => replaced(name, cells[at] ?? '').trim())
      .find((value) => value !== '') ?? ''
  const settings = { date_format: job.date_format, zone: job.zone, country: text('country') || job.country }

  const put = (into: Record<string, unknown>, field: Field, column: string, raw: string): Result => {
    const cell = readCell(field, raw, { ...settings, column })
    const { name, kind } = field
    const warn = (message: string): Result => {
      if (read.warnings.length < MAX_PARTS) read.warnings.push({ field: name, column, message })
      return { warning: message, field: name, kind }
    }
    const rest = name === 'address_line1' && text('address_line2') === '' ? restOfStreet(raw) : undefined
    if (rest) {
      const first = put(into, field, column, rest.first)
      put(into, { ...field, name: 'address_line2' }, column, rest.others)
      warn(`The lines after ${quoted(rest.first)} are saved as address_line2`)
      return first
    }
    if ('warning' in cell) return warn(cell.warning)
    if ('message' in cell) {
      read.faults.push({ field: name, column, message: cell.message })
      return { ...cell, field: name, kind }
    }
    const { value, notes } = fitted(job.object, field, cell.value)
    for (const note of notes) warn(note)
    if (value === undefined) return { warning: notes.join('. '), field: name, kind }
    const within =
      field.to === 'stage'
        ? { within: text('pipeline') || job.defaults.pipeline || '', ...(/status$/i.test(column) && { status: true as const }) }
        : {}
    const initial = into === read.initial ? ({ initial: true } as const) : {}
    const filled = field.to
      ? refer(job, read, field, { text: String(value), ...within, ...initial })
      : assign(read, into, field, value, lists)
    return filled === undefined ? warn(notSaved(job, field, raw)) : { value, field: filled, kind }
  }
  for (const { at, column, field } of job.filled) {
    const raw = replaced(field.name, cells[at] ?? '')
    if (raw.trim() === '') continue
    const prefix = (part: string) => (field.name === 'external_id' ? prefixed(job, part.trim(), () => true) : part)
    const parts = splitCell(field, raw)
    for (const part of parts.slice(0, MAX_PARTS)) read.outcomes.push({ ...put(read.input, field, column, prefix(part)), at })
    if (parts.length > MAX_PARTS)
      read.warnings.push({ field: field.name, column, message: `Only the first ${MAX_PARTS} of ${parts.length} values are read` })
  }
  if (job.clear_empty) for (const { field } of job.filled) if (text(field.name) === '') clear(job.object, read.input, field)
  for (const [name, raw] of Object.entries(job.defaults)) {
    const field = fieldOf(job.object, name, job.definitions)
    // Consent is never withheld from an existing record.
    if (field && raw.trim() !== '' && text(name) === '') put(isConsent(name) ? read.input : read.initial, field, name, raw)
  }
  return { ...read, ...keysOf(job, read, settings.country) }
}

/** A street of several lines: its first line, and the others. */
function restOfStreet(raw: string): { first: string; others: string } | undefined {
  const [first, ...others] = raw.trim().split(/[\r\n]+/)
  return first && others.length > 0
    ? {
        first,
        others: others
          .map((line) => line.trim())
          .filter((line) => line !== '')
          .join(', '),
      }
    : undefined
}

const NOUNS: Partial<Record<Field['kind'], string>> = { email: 'email address', phone: 'phone number' }
const notSaved = ({ object }: Reader, { name, kind }: Field, raw: string) =>
  NOUNS[kind]
    ? `${quoted(raw)} is not saved: ${object} have no field for another ${NOUNS[kind]}`
    : `${quoted(raw)} is not saved: another value fills ${name}`

/** An id of another product with the prefix that keeps it apart from those of others. */
const prefixed = ({ external_id_prefix: prefix }: Reader, text: string, isForeign: (text: string) => boolean): string =>
  prefix && !isId(text) && isForeign(text) && !text.startsWith(prefix) ? `${prefix}${text}` : text

function widthFault({ width }: Reader, cells: string[]): string | undefined {
  const needed = cells.findLastIndex((cell) => cell.trim() !== '') + 1
  if (cells.length === width || (cells.length > width && needed <= width)) return undefined
  return cells.length < width
    ? `The line has ${cells.length} cells where the header has ${width}: put text that has a line break or a delimiter into quotation marks`
    : `The line has ${needed} cells where the header has ${width}: put text that has a delimiter into quotation marks`
}

/** Adds a reference to a record. Returns its field, or undefined if the field refers to another record already and to one at most. */
function refer(
  job: Reader,
  line: Line,
  { name, to, becomes, all, links }: Field,
  { text, ...more }: Pick<Reference, 'text' | 'within' | 'status' | 'initial'>,
): string | undefined {
  if (!to || !becomes) return undefined
  const written = to === 'company' || links ? prefixed(job, text, looksLikeId) : text
  const others = line.references.filter(({ field }) => field === name)
  const isKnown = others.some((other) => looseForm(other.text) === looseForm(written))
  if (others.length > 0 && !isKnown && !all && !links) return undefined
  if (!isKnown) line.references.push({ field: name, to, becomes, ...(all && { all }), ...(links && { links }), text: written, ...more })
  return name
}

/** Stores the value of a cell. Returns the field that it fills, or undefined if there is none for a further value. */
function assign(line: Line, into: Record<string, unknown>, field: Field, value: unknown, lists: string[]): string | undefined {
  const { name, kind, spill } = field
  const stored = into[name]
  if (kind === 'full_name') {
    const [first, ...rest] = String(value).split(/\s+/)
    // With three or more words, the last one is the family name.
    const last = rest.pop()
    Object.assign(into, { first_name: [first, ...rest].join(' '), ...(last !== undefined && { last_name: last }) })
  } else if (name.startsWith(CUSTOM)) into.metadata = { ...(into.metadata as object), [name.slice(CUSTOM.length)]: value }
  else if (kind === 'consent') {
    // An import stops messages, and never starts them again: the person may have unsubscribed here since.
    if (value === true) into[name] = true
  } else if (kind === 'line_items') assignItems(line, into, field, value as Row[])
  else if (name === 'due_at' && String(value).endsWith('T00:00:00.000Z'))
    Object.assign(into, { due_at: value, all_day: into.all_day ?? true })
  else if (stored !== undefined && Array.isArray(value)) into[name] = [...(stored as unknown[]), ...value]
  else if (stored === undefined || !takesSeveral(field)) into[name] = value
  else if (spill && lists.includes(spill)) {
    if (stored !== value) line.added[spill] = [...(line.added[spill] ?? []), String(value)]
    return spill
  } else if (stored !== value) return undefined
  return name
}

type Row = Record<string, unknown>
/** Line items, which name their products. */
function assignItems(line: Line, into: Row, { name, becomes = name }: Field, items: Row[]): void {
  const products = new Set(items.flatMap(({ product }) => (typeof product === 'string' ? [product] : [])))
  for (const text of products) line.references.push({ field: name, to: 'product', becomes, text })
  into[becomes] = items
}

/** Clears a field with null; fields that require a value, and lists that another column fills, are left unchanged. */
function clear(object: ImportObject, into: Record<string, unknown>, { name, kind, becomes, links }: Field): void {
  if (links) return
  if (name.startsWith(CUSTOM)) into.metadata = { ...(into.metadata as object), [name.slice(CUSTOM.length)]: null }
  else if (kind === 'reference' && !KEPT.includes(becomes as string)) into[becomes as string] = null
  else if ((CLEARED.includes(kind) && !NOT_CLEARABLE.includes(name)) || (IF_NULLABLE.includes(kind) && takesNull(object, name)))
    into[name] ??= null
}

/** References that a record cannot be without. */
const KEPT = ['stage_id', 'pipeline_id', 'supplier_id']
const CLEARED = [
  'text',
  'web_address',
  'lines',
  'phone',
  'email',
  'emails',
  'phones',
  'domains',
  'date',
  'birthday',
  'moment',
  'instant',
  'list',
  'json',
]
/** Kinds of which only some fields can be without a value. */
const IF_NULLABLE = ['number', 'option']
/** Fields that cannot be cleared. */
const NOT_CLEARABLE = ['first_name', 'name', 'title', 'currency', 'external_id', 'occurred_at']
