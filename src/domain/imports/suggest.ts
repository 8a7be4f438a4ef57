import { CUSTOM, FIELDS, type Field, LISTS, REQUIRED, squash } from './fields.ts'
import { type DateFormat, type Definition, IMPORT_OBJECTS, type ImportObject, type Suggested } from './types.ts'

export type Column = { name: string; samples: string[] }

/** Columns with at least this confidence are mapped automatically. */
export const AUTOMATIC_CONFIDENCE = 0.9

const EMAIL = /^[^\s@]+@[^\s@]+\.[a-z0-9-]{2,}$/i
const PHONE = /^[+(]?[\d\s().-]{8,20}$/

/**
 * Suggests a field for each column. A field that is a list takes every column with one of its names, any other field one column. Confidence
 * 1: the column has the field's name; 0.9: an alternative name; 0.6: part of a name; 0.5: matching values.
 */
export function suggestMapping(object: ImportObject, columns: Column[], definitions: Definition[]): Suggested[] {
  const fields = [
    ...FIELDS[object],
    ...definitions.map(({ key, label }) => ({ name: CUSTOM + key, kind: 'text' as const, also: [squash(label), squash(key)] })),
  ]
  const rated = columns
    .flatMap((column) => fields.map((field) => ({ column: column.name, field: field.name, confidence: confidenceIn(column, field) })))
    .filter(({ confidence }) => confidence > 0)
    .sort((a, b) => b.confidence - a.confidence)
  const lists = new Set(fields.filter(({ kind }) => LISTS.includes(kind)).map(({ name }) => name))
  const taken = new Set<string>()
  const chosen = rated.filter(({ column, field, confidence }) => {
    const isFull = taken.has(`f ${field}`) && !(lists.has(field) && confidence >= AUTOMATIC_CONFIDENCE)
    if (taken.has(`c ${column}`) || isFull) return false
    taken.add(`c ${column}`).add(`f ${field}`)
    return true
  })
  // A full name is used only when no columns hold its parts.
  const hasParts = chosen.some(({ field }) => field === 'first_name')
  const order = new Map(columns.map(({ name }, at) => [name, at]))
  return chosen
    .filter(({ field }) => !(hasParts && object === 'contacts' && field === 'name'))
    .sort((a, b) => (order.get(a.column) ?? 0) - (order.get(b.column) ?? 0))
}

function confidenceIn({ name, samples }: Column, field: Field): number {
  const squashed = squash(name)
  if (name === field.name || squashed === squash(field.name)) return 1
  if (field.also.includes(squashed)) return 0.9
  const parts = [squash(field.name), ...field.also].filter((part) => part.length > 4)
  if (parts.some((part) => squashed.includes(part))) return 0.6
  const form = field.name === 'email' ? EMAIL : field.name === 'phone' ? PHONE : undefined
  return form && samples.length > 0 && samples.every((sample) => form.test(sample)) ? 0.5 : 0
}

/** The object that matches the columns best. */
export function guessObject(suggested: Record<ImportObject, Suggested[]>): ImportObject {
  const rate = (object: ImportObject) => {
    const fields = suggested[object]
    const complete = fields.some(({ field }) => REQUIRED[object].includes(field))
    return fields.reduce((sum, { confidence }) => sum + confidence, 0) + (complete ? 2 : 0)
  }
  return IMPORT_OBJECTS.reduce((best, object) => (rate(object) > rate(best) ? object : best))
}

/** Whether dates have the month first: a second number above 12 proves that they do. */
export function guessDateFormat(samples: Iterable<string>): DateFormat {
  for (const sample of samples) {
    const [, first, second] = /^\s*(\d{1,2})[/.-](\d{1,2})[/.-]\d{4}/.exec(sample) ?? []
    if (Number(first) > 12) return 'dmy'
    if (Number(second) > 12) return 'mdy'
  }
  return 'dmy'
}
