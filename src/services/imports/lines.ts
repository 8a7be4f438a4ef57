import type { Scanned } from '../../domain/csv/scan.ts'
import { DEFAULT_COUNTRY } from '../../domain/default-country.ts'
import { toEmailAddress } from '../../domain/email-addresses.ts'
import { readCell } from '../../domain/imports/cells.ts'
import { CUSTOM, type Field, fieldOf, LISTS, type Referred } from '../../domain/imports/fields.ts'
import { toE164 } from '../../domain/phone.ts'
import { countryCode } from '../../domain/time-zones.ts'
import { isId } from '../../lib/ids.ts'
import { looseForm } from '../../lib/text.ts'
import type { Job } from './job.ts'

export type Fault = { field: string | null; message: string }
/** A reference to a record by id, external id, name or email address, as written in the line. */
export type Reference = {
  field: string
  to: Referred
  becomes: string
  text: string
  within?: string
  /** Applies to new records only. */
  initial?: boolean
}
/** A parsed line, before its references are resolved. */
export type Line = Pick<Scanned, 'line' | 'next'> & {
  values: string[]
  /** The values under the API's field names. */
  input: Record<string, unknown>
  /** Defaults for a new record, where the line has no value. */
  initial: Record<string, unknown>
  references: Reference[]
  /** The value that the existing record is matched by. */
  key: string | null
  faults: Fault[]
}

/** Limits for the stored values of a failed line: the number of cells beyond the header's columns, and the characters per cell. */
const MORE_CELLS = 20
const LONGEST = 32_000

/** Parses the cells of a record. */
export function readLine(job: Job, { line, cells, next, fault }: Scanned): Line {
  const values = cells.slice(0, job.width + MORE_CELLS).map((cell) => cell.slice(0, LONGEST).toWellFormed().replaceAll('\0', '\uFFFD'))
  const read: Line = { line, next, values, input: {}, initial: {}, references: [], key: null, faults: [] }
  const broken = fault ?? widthFault(job, cells)
  if (broken !== undefined) return { ...read, faults: [{ field: null, message: broken }] }
  const text = (name: string) =>
    job.filled.map(({ at, field }) => (field.name === name ? (cells[at] ?? '').trim() : '')).find(Boolean) ?? ''
  const manner = { date_format: job.date_format, country: text('country') || job.country }

  const put = (into: Record<string, unknown>, field: Field, raw: string) => {
    const cell = readCell(field, raw, manner)
    if ('message' in cell) read.faults.push({ field: field.name, message: cell.message })
    else if (field.to && field.becomes)
      read.references.push({
        field: field.name,
        to: field.to,
        becomes: field.becomes,
        text: String(cell.value),
        ...(field.to === 'stage' && { within: text('pipeline') || job.defaults.pipeline || '' }),
        ...(into === read.initial && { initial: true }),
      })
    else assign(into, field, cell.value)
  }
  for (const { at, field } of job.filled) {
    const raw = cells[at] ?? ''
    if (raw.trim() !== '') put(read.input, field, raw)
    else if (job.clear_empty) clear(read.input, field)
  }
  for (const [name, raw] of Object.entries(job.defaults)) {
    const field = fieldOf(job.object, name, job.definitions)
    if (field && raw.trim() !== '' && text(name) === '') put(read.initial, field, raw)
  }
  return { ...read, key: keyOf(job, read, manner.country) }
}

function widthFault({ width }: Job, cells: string[]): string | undefined {
  const needed = cells.findLastIndex((cell) => cell.trim() !== '') + 1
  if (cells.length === width || (cells.length > width && needed <= width)) return undefined
  return cells.length < width
    ? `The line has ${cells.length} cells where the header has ${width}: put text that has a line break or a delimiter into quotation marks`
    : `The line has ${needed} cells where the header has ${width}: put text that has a delimiter into quotation marks`
}

function assign(into: Record<string, unknown>, { name, kind }: Field, value: unknown): void {
  if (kind === 'full_name') {
    const [first, ...rest] = String(value).split(/\s+/)
    // With three or more words, the last one is the family name.
    const last = rest.pop()
    Object.assign(into, { first_name: [first, ...rest].join(' '), ...(last !== undefined && { last_name: last }) })
  } else if (name.startsWith(CUSTOM)) into.metadata = { ...(into.metadata as object), [name.slice(CUSTOM.length)]: value }
  else if (LISTS.includes(kind)) into[name] = [...((into[name] ?? []) as unknown[]), ...(value as unknown[])]
  else into[name] = value
}

/** Clears a field with null; fields that require a value, and lists that another column fills, are left unchanged. */
function clear(into: Record<string, unknown>, { name, kind, becomes }: Field): void {
  if (name.startsWith(CUSTOM)) assign(into, { name, kind, also: [] }, null)
  else if (kind === 'reference' && becomes !== 'stage_id' && becomes !== 'pipeline_id') into[becomes as string] = null
  else if (CLEARED.includes(kind) && !NOT_CLEARABLE.includes(name)) into[name] ??= null
}

const CLEARED = ['text', 'lines', 'phone', 'emails', 'phones', 'domains', 'date', 'moment', 'list']
/** Fields that cannot be cleared. */
const NOT_CLEARABLE = ['first_name', 'name', 'currency', 'external_id']

function keyOf(job: Job, line: Line, country: string | null): string | null {
  const value = job.match_by === null ? undefined : (line.input[job.match_by] ?? undefined)
  if (value === undefined) return null
  const text = String(value)
  switch (job.match_by) {
    case 'id':
      if (!isId(text)) line.faults.push({ field: 'id', message: 'must be the id of a record: a UUID' })
      return text.toLowerCase()
    case 'email':
      return toEmailAddress(text) ?? text.toLowerCase()
    case 'phone':
      return toE164(text, (country && countryCode(country)) || DEFAULT_COUNTRY.code) ?? text
    default:
      return text
  }
}

/** The names by which a later line may refer to this line's record: its key and, for a company, its name. */
export function namesOf({ object }: Job, { key, input }: Line): string[] {
  const names = [key, ...(object === 'companies' ? [input.name, input.external_id] : [])]
  return names.filter((name) => typeof name === 'string').map(looseForm)
}

/** The names of earlier lines' records that this line depends on. */
export function dependenciesOf({ object }: Job, { key, references }: Line): string[] {
  const companies = object === 'companies' ? references.filter(({ to }) => to === 'company').map(({ text }) => text) : []
  return [...(key === null ? [] : [key]), ...companies].map(looseForm)
}
