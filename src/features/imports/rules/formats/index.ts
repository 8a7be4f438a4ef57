import { isNamedConsent, mayBeConsent } from '../consent.ts'
import { squash } from '../names.ts'
import { ADDRESS_BOOKS } from './address-books.ts'
import type { Format } from './format.ts'
import { HUBSPOT } from './hubspot.ts'
import { MARKETING } from './marketing.ts'
import { PIPEDRIVE } from './pipedrive.ts'
import { SALESFORCE } from './salesforce.ts'
import { VCARD } from './vcard.ts'
import { ZOHO } from './zoho.ts'

export type { Format }

/** The export formats of other products that are recognised. */
export const FORMATS: Format[] = [...HUBSPOT, ...SALESFORCE, ...PIPEDRIVE, ...ZOHO, ...ADDRESS_BOOKS, ...MARKETING, VCARD]

/** Finds the format of a file by the names of its columns and its own name; undefined for none. */
export function recogniseFormat(columns: string[], fileName: string): Format | undefined {
  const names = new Set(columns.map(squash))
  const has = (column: string) => names.has(squash(column))
  const rated = FORMATS.filter(
    ({ all, any = [], not = [], file_name }) =>
      all.every(has) && (any.length === 0 || any.some(has)) && !not.some(has) && (file_name?.test(fileName) ?? true),
  ).map((format) => ({
    format,
    rate: columns.filter((column) => ruleOf(format, column) !== undefined).length + (format.file_name ? 0.5 : 0),
  }))
  return rated.reduce<(typeof rated)[number] | undefined>((best, one) => (!best || one.rate > best.rate ? one : best), undefined)?.format
}

const patterns = new Map<string, RegExp>()

/** A column's name in the table as a pattern of squashed names. */
function patternOf(name: string): RegExp {
  const known = patterns.get(name)
  if (known) return known
  const parts = name.replace(/\*$/, '').split('#').map(squash)
  const pattern = new RegExp(`^${parts.join('\\d+')}${name.endsWith('*') ? '.*' : ''}$`, 'u')
  patterns.set(name, pattern)
  return pattern
}

/** What a format says of a column: its place in the table and its fields, null for none; undefined for a column that it does not know. */
export function ruleOf({ columns }: Format, column: string): { at: number; fields: string | null } | undefined {
  const squashed = squash(column)
  const entries = Object.entries(columns)
  const at = entries.findIndex(([name]) => patternOf(name).test(squashed))
  return at < 0 ? undefined : { at, fields: (entries[at] as [string, string | null])[1] }
}

/** The settings of an import of a file with this format. Columns about consent that the format has no field for are ignored on purpose. */
export function formatSettings(format: Format | undefined, columns: { name: string; samples: string[] }[]) {
  const isIgnored = (column: { name: string; samples: string[] }) =>
    format && (isNamedConsent(column) || mayBeConsent(column)) && ruleOf(format, column.name)?.fields === null
  return {
    ignored_columns: columns.filter(isIgnored).map(({ name }) => name),
    replacements: format?.replacements ?? [],
    defaults: format?.defaults ?? {},
    external_id_prefix: format?.external_id_prefix ?? null,
  }
}
