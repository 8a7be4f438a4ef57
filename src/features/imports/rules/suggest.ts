import { isId } from '../../../lib/ids.ts'
import { consentFieldsOf, isClearConsent } from './consent.ts'
import { orderIn } from './dates.ts'
import { FIELDS, REQUIRED, TELLING, takesSeveral } from './fields.ts'
import { type Format, ruleOf } from './formats/index.ts'
import { CUSTOM, type Field, LISTS } from './kinds.ts'
import { squash } from './names.ts'
import { type DateFormat, type Definition, IMPORT_OBJECTS, type ImportObject, type Mapped, type Suggested } from './types.ts'

export type Column = { name: string; samples: string[] }

/** Columns with at least this confidence are mapped automatically. */
const AUTOMATIC_CONFIDENCE = 0.9

/** The part of a suggestion that is used without asking. */
export const automaticMapping = (suggestions: Suggested[] = []): Mapped[] =>
  suggestions.filter(({ confidence }) => confidence >= AUTOMATIC_CONFIDENCE).map(({ column, field }) => ({ column, field }))

/** What the database assigns to a record, and an export has. */
const ASSIGNED = ['created_at', 'updated_at']

const EMAIL = /^[^\s@]+@[^\s@]+\.[a-z0-9-]{2,}$/i
const PHONE = /^[+(]?[\d\s().-]{8,20}$/

/**
 * Suggests a field for each column. Confidence 1: the column has the field's name, or the file's format says so; 0.9: an alternative name;
 * 0.6: part of a name; 0.5: matching values. A field that is a list takes every column with one of its names, any other field one column,
 * unless the format or a column about consent says otherwise.
 */
export function suggestMapping(object: ImportObject, columns: Column[], definitions: Definition[], format?: Format): Suggested[] {
  const fields = [
    ...FIELDS[object],
    ...definitions.map(({ key, label }) => ({ name: CUSTOM + key, kind: 'text' as const, also: [squash(label), squash(key)] })),
  ]
  const known = [
    ...(format?.object === object ? formatMapping(format, columns) : []),
    ...(object === 'contacts' ? consentMapping(columns) : []),
  ]
  const isRuled = ({ name }: Column) =>
    known.some(({ column }) => column === name) || (format?.object === object && ruleOf(format, name) !== undefined)
  // The id of a record that another one refers to, as an export has it, is nothing else.
  const fieldsFor = (name: string) => {
    const referring = FIELDS[object].filter(({ becomes, to }) => to && becomes === name)
    return referring.length > 0 ? referring : fields
  }
  // The times of a record that is already here are those of this system.
  const isOwn = columns.some(({ name, samples }) => name === 'id' && samples.every((sample) => isId(sample)))
  const rated = columns
    .filter((column) => !isRuled(column))
    .flatMap((column) =>
      fieldsFor(column.name).map((field) => ({ column: column.name, field: field.name, confidence: confidenceIn(column, field) })),
    )
    .filter(({ column, confidence }) => confidence > 0 && !(isOwn && ASSIGNED.includes(column)))
    .sort((a, b) => b.confidence - a.confidence)
  const lists = new Set(fields.filter(({ kind }) => LISTS.includes(kind)).map(({ name }) => name))
  const taken = new Set(known.map(({ field }) => `f ${field}`))
  const chosen = rated.filter(({ column, field, confidence }) => {
    const isFull = taken.has(`f ${field}`) && !(lists.has(field) && confidence >= AUTOMATIC_CONFIDENCE)
    if (taken.has(`c ${column}`) || isFull) return false
    taken.add(`c ${column}`).add(`f ${field}`)
    return true
  })
  const all = dedupe([...known, ...chosen])
  // A full name is used only when no columns hold its parts.
  const hasParts = all.some(({ field }) => field === 'first_name')
  const order = new Map(columns.map(({ name }, at) => [name, at]))
  const kept = all.filter(({ field }) => !(hasParts && object === 'contacts' && field === 'name'))
  // A format's table says which of several columns comes first.
  return format?.object === object ? kept : kept.sort((a, b) => (order.get(a.column) ?? 0) - (order.get(b.column) ?? 0))
}

const dedupe = (mapping: Suggested[]) =>
  mapping.filter(({ column, field }, at) => mapping.findIndex((other) => other.column === column && other.field === field) === at)

/** The fields that a format gives to the columns, in the order of its table. */
function formatMapping(format: Format, columns: Column[]): Suggested[] {
  const fields = new Map(FIELDS[format.object].map((field) => [field.name, field]))
  const ruled = columns
    .flatMap(({ name }) => {
      const rule = ruleOf(format, name)
      return rule?.fields ? [{ column: name, at: rule.at, fields: rule.fields }] : []
    })
    .sort((a, b) => a.at - b.at)
  const taken = new Set<string>()
  return ruled.flatMap(({ column, fields: names }) => {
    const options = names.split('|')
    const free = options.find((name) => !taken.has(name)) ?? (options[0] as string)
    return free.split(' ').flatMap((name) => {
      const field = fields.get(name)
      if (!field || (taken.has(name) && !takesSeveral(field))) return []
      taken.add(name)
      return [{ column, field: name, confidence: 1 }]
    })
  })
}

/** The columns whose names say clearly whose consent they record. Others must be decided by the caller. */
const consentMapping = (columns: Column[]): Suggested[] =>
  columns
    .filter(isClearConsent)
    .flatMap(({ name }) => consentFieldsOf(name).map((field) => ({ column: name, field, confidence: name === field ? 1 : 0.9 })))

function confidenceIn({ name, samples }: Column, field: Field): number {
  const squashed = squash(name)
  // The numbers of another system are not ids of this one.
  if (field.name === 'id' && samples.some((sample) => !isId(sample))) return 0
  if (name === field.name || name === field.becomes || squashed === squash(field.name)) return 1
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
  const isTelling = ({ field, confidence }: Suggested, object: ImportObject) =>
    confidence >= AUTOMATIC_CONFIDENCE && TELLING[object]?.includes(field)
  const possible = IMPORT_OBJECTS.filter((object) => !TELLING[object] || suggested[object].some((one) => isTelling(one, object)))
  return possible.reduce((best, object) => (rate(object) > rate(best) ? object : best))
}

/** Whether dates have the day or the month first, which the first one that proves it says. */
export function guessDateFormat(samples: Iterable<string>): DateFormat {
  for (const sample of samples) {
    const order = orderIn(sample)
    if (order) return order
  }
  return 'dmy'
}
