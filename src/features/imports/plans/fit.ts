import * as v from 'valibot'
import { DEFAULT_COUNTRY } from '../../../domain/default-country.ts'
import { toE164 } from '../../../domain/phone.ts'
import { countryCode, toZone, ZONE_MESSAGE } from '../../../domain/time-zones.ts'
import { flatPipe, oneLine, partsOf } from '../../../schemas/pipes.ts'
import { NewActivity } from '../../activities/schemas/activities.ts'
import { ImportedCompany } from '../../companies/schemas/companies.ts'
import { ImportedContact } from '../../contacts/schemas/contacts.ts'
import { ImportedLead } from '../../lead-gen/schemas/results.ts'
import { ImportedOpportunity } from '../../opportunities/schemas/opportunities.ts'
import { ImportedProduct } from '../../products/schemas/products.ts'
import { NewCatalogEntry } from '../../supplier-catalog/schemas/supplier-catalog.ts'
import { ImportedTask } from '../../tasks/schemas/tasks.ts'
import type { Field } from '../rules/kinds.ts'
import type { ImportObject } from '../rules/types.ts'

/** What the API accepts as the text of a field: the most characters, and whether they are in one line. */
type Rule = { schema: v.GenericSchema; max: number; isLine: boolean }

const SCHEMAS: Record<ImportObject, Record<string, v.GenericSchema>> = {
  contacts: ImportedContact.entries,
  companies: ImportedCompany.entries,
  opportunities: ImportedOpportunity.entries,
  products: ImportedProduct.entries,
  supplier_catalog_entries: NewCatalogEntry.entries,
  tasks: ImportedTask.entries,
  activities: NewActivity.entries,
  notes: NewActivity.entries,
  lead_results: ImportedLead.entries,
}

/** Whether the API refuses a value of a field by itself. A value of a list may be one of several, or all of them. */
export function isRefused({ object, country }: { object: ImportObject; country: string | null }, name: string, value: unknown): boolean {
  const schema = SCHEMAS[object][name]
  if (!schema || value == null) return false
  const isPhone = /phone|landline/.test(name)
  const isOk = (one: unknown) =>
    v.safeParse(schema, /^alternate_|^domains$/.test(name) && !Array.isArray(one) ? [one] : one).success &&
    !(isPhone && typeof one === 'string' && toE164(one, (country && countryCode(country)) || DEFAULT_COUNTRY.code) === undefined)
  return !(Array.isArray(value) && isPhone ? value.every(isOk) : isOk(value))
}

/** Whether a field of a record can be without a value. */
export const takesNull = (object: ImportObject, name: string): boolean => {
  const schema = SCHEMAS[object][name]
  return schema !== undefined && v.is(schema, null)
}

/** The rule of a text, of the texts of a list, or of the names in a list of tags. */
function ruleOf(schema: v.GenericSchema): Rule | undefined {
  const { wrapped, item, entries, pipe } = partsOf<{
    wrapped?: v.GenericSchema
    item?: v.GenericSchema
    entries?: Record<string, v.GenericSchema>
    pipe?: v.GenericSchema[]
  }>(schema)
  if (wrapped) return ruleOf(wrapped)
  if (item) return ruleOf(item)
  if (entries) return entries.name && ruleOf(entries.name)
  if (pipe?.[0]?.type === 'array') return ruleOf(pipe[0])
  const items = flatPipe(schema)
  const max = Math.min(...items.filter(({ type }) => type === 'max_length').map(({ requirement }) => Number(requirement)))
  return Number.isFinite(max) ? { schema, max, isLine: items.some((one) => one === oneLine) } : undefined
}

const RULES = Object.fromEntries(
  Object.entries(SCHEMAS).map(([object, fields]) => [
    object,
    new Map(Object.entries(fields).flatMap(([name, schema]) => [[name, ruleOf(schema)] as const].filter(([, rule]) => rule))),
  ]),
) as Record<ImportObject, Map<string, Rule>>

/** The rules of what is created under the name that a line refers to. */
const NAMES: Record<string, Rule | undefined> = {
  company: RULES.companies.get('name'),
  lead_source: { schema: v.string(), max: 120, isLine: true },
}

/** A text of which a part would be something else. It is left out if the API refuses it. */
const WHOLE = ['external_id', 'sku', 'supplier_sku', 'timezone', 'country', 'website_url', 'website', 'source_id']
const BREAKS = /[\r\n\v\f\u0085\u2028\u2029]/

const linesOf = (text: string): string[] =>
  text
    .split(BREAKS)
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** What is stored of a text, undefined for nothing, and what was done with it. */
export type Fitted = { value: unknown; notes: string[] }

/**
 * Makes a text acceptable to the API as well as possible, so that a record is not lost because of it. Other values are returned as they
 * are.
 */
export function fitted(object: ImportObject, field: Field, value: unknown): Fitted {
  const notes: string[] = []
  const fit = (text: string, rule: Rule | undefined) => (rule ? fitText(text, rule, field.name, notes) : text)
  const rule = field.max === undefined ? RULES[object].get(field.name) : customRule(field.max, String(value))
  if (field.to) return { value: fit(String(value), NAMES[field.to]), notes }
  if (field.kind === 'full_name') return { value: fitName(String(value), (name, text) => fit(text, RULES[object].get(name))), notes }
  if (field.kind === 'tags' || field.kind === 'list') {
    const names = (value as (string | { name: string })[]).map((one) => (typeof one === 'string' ? one : one.name))
    const kept = names.map((name) => fit(name, rule)).filter((name) => name !== undefined)
    return { value: field.kind === 'tags' ? kept.map((name) => ({ name })) : kept, notes }
  }
  return typeof value === 'string' && TEXTS.includes(field.kind) ? { value: fit(value, rule), notes } : { value, notes }
}

/** The rule of a custom text that is too long: the database counts characters. */
const customRule = (max: number, text: string): Rule | undefined =>
  [...text].length > max ? { schema: v.string(), max, isLine: false } : undefined

const TEXTS: readonly Field['kind'][] = ['text', 'lines', 'web_address']

function fitText(text: string, rule: Rule, name: string, notes: string[]): string | undefined {
  if (WHOLE.includes(name)) {
    const refusal = v.safeParse(rule.schema, text).issues?.[0].message ?? (name === 'timezone' && !toZone(text) ? ZONE_MESSAGE : undefined)
    if (refusal !== undefined) notes.push(`${quoted(text)} is not saved: ${refusal}`)
    return refusal === undefined ? text : undefined
  }
  const lines = rule.isLine ? linesOf(text) : [text]
  const line = rule.isLine
    ? lines
        .join(name.startsWith('address_') ? ', ' : ' ')
        .replace(/\p{Cc}/gu, ' ')
        .trim()
    : text
  if (lines.length > 1) notes.push(`${lines.length} lines are saved as one: ${quoted(line)}`)
  if (line.length <= rule.max) return line
  notes.push(`Only the first ${rule.max} of ${line.length} characters are saved`)
  return line
    .slice(0, rule.max)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trim()
}

/** A whole name whose parts fit, divided as it is for the record: the last of several words is the family name. */
function fitName(text: string, fit: (name: string, text: string) => string | undefined): string {
  const words = text.trim().split(/\s+/)
  const last = words.length > 1 ? words.pop() : undefined
  return [fit('first_name', words.join(' ')), ...(last === undefined ? [] : [fit('last_name', last)])].join(' ')
}

/** A value of the file in a message. */
export const quoted = (raw: string) => JSON.stringify(raw.trim().slice(0, 200))
