import { dayAfter, dayIn } from '../../../domain/local-days.ts'
import { escapeHtml } from '../../../lib/html.ts'

/*
  The language of templates: `{{ contact.first_name | default: "there" }}`. A path starts with a root and continues with names of fields,
  separated by dots. Filters follow, each with at most one quoted or numeric argument. A text that is one template as a whole takes the
  value as it is, so a list stays a list; within other text, values become text, and a missing one is empty. Nothing else can be expressed.
*/
export const ROOTS = ['contact', 'company', 'opportunity', 'trigger', 'steps', 'item', 'workspace', 'run', 'now', 'today'] as const
export const FILTERS = ['default', 'upper', 'lower', 'date', 'add_days', 'join', 'first', 'count'] as const
type Filter = { name: (typeof FILTERS)[number]; argument?: string | number }
type Expression = { path: string[]; filters: Filter[] }
/** `encode` makes a value safe for the text that it is inserted into. */
export type Scope = { values: Record<string, unknown>; zone: string; encode?: (text: string) => string }

const PATH = /^[a-z_][\w-]*(?:\.[\w-]+)*$/i
const FILTER = /^([a-z_]+)(?:\s*:\s*(?:"([^"]*)"|'([^']*)'|(-?\d+(?:\.\d+)?)))?$/

export type TemplateFault = { message: string }

/** @throws TemplateError with what is wrong and how to correct it. */
function parse(source: string): Expression {
  const [head = '', ...rest] = source.split('|').map((part) => part.trim())
  if (!PATH.test(head)) throw new TemplateError(`{{${source}}} must be a path such as contact.first_name`)
  const path = head.split('.')
  if (!ROOTS.includes(path[0] as (typeof ROOTS)[number]))
    throw new TemplateError(`${path[0]} is unknown: a path starts with ${ROOTS.join(', ')}`)
  const filters = rest.map((text): Filter => {
    const [, name, double, single, number] = FILTER.exec(text) ?? []
    if (!name || !FILTERS.includes(name as Filter['name'])) throw new TemplateError(`"${text}" is no filter: use ${FILTERS.join(', ')}`)
    const argument = double ?? single ?? (number === undefined ? undefined : Number(number))
    return { name: name as Filter['name'], ...(argument !== undefined && { argument }) }
  })
  return { path, filters }
}

export class TemplateError extends Error {}

/** The templates of a text in turn, each with its place. A text of many openings without an end is read once, which no pattern does. */
function* templatesIn(text: string): Generator<{ source: string; from: number; to: number }> {
  for (let at = 0; ; ) {
    const from = text.indexOf('{{', at)
    const end = from < 0 ? -1 : text.indexOf('}}', from + 2)
    if (end < 0) return
    at = end + 2
    yield { source: text.slice(from + 2, end), from, to: at }
  }
}

/**
 * Every template in a value, with its path there: for the check before anything runs. `faultOf` says what is wrong with the path of a
 * template.
 */
export function faultsIn(value: unknown, faultOf: (path: string[]) => string | undefined, at = ''): { path: string; message: string }[] {
  if (typeof value === 'string')
    return [...templatesIn(value)].flatMap(({ source }) => {
      try {
        const message = faultOf(parse(source).path)
        return message ? [{ path: at, message }] : []
      } catch (error) {
        return [{ path: at, message: (error as Error).message }]
      }
    })
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => faultsIn(member, faultOf, at ? `${at}.${key}` : key))
}

export const hasTemplate = (value: unknown): boolean => JSON.stringify(value ?? null).includes('{{')

/** The value with its templates filled in. What is inserted into a text named `html` is shown as it is, so its markup is escaped. */
export function fill(value: unknown, scope: Scope): unknown {
  if (typeof value === 'string') return fillText(value, scope)
  if (Array.isArray(value)) return value.map((member) => fill(member, scope))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, fill(member, key === 'html' ? { ...scope, encode: escapeHtml } : scope)]),
  )
}

function fillText(text: string, scope: Scope): unknown {
  const [whole] = text.trim().match(/^\{\{[^{}]*\}\}$/) ?? []
  const { encode } = scope
  if (whole && !encode) return evaluate(whole.slice(2, -2), scope) ?? null
  let [filled, last] = ['', 0]
  for (const { source, from, to } of templatesIn(text)) {
    filled += text.slice(last, from) + (encode ?? String)(asText(evaluate(source, scope)))
    last = to
  }
  return filled + text.slice(last)
}

function evaluate(source: string, { values, zone }: Scope): unknown {
  const { path, filters } = parse(source)
  return filters.reduce((value, filter) => apply(value, filter, zone), valueAt(values, path))
}

/** The value at a path. Only an object's own fields are found. */
export function valueAt(values: unknown, path: string[]): unknown {
  return path.reduce<unknown>(
    (found, name) => (isObject(found) && Object.hasOwn(found, name) ? Reflect.get(found, name) : undefined),
    values,
  )
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isMissing = (value: unknown) => value === undefined || value === null || value === ''

function apply(value: unknown, { name, argument }: Filter, zone: string): unknown {
  switch (name) {
    case 'default':
      return isMissing(value) ? argument : value
    case 'upper':
      return asText(value).toUpperCase()
    case 'lower':
      return asText(value).toLowerCase()
    case 'date':
      return dayOf(value, zone)
    case 'add_days':
      return daysAfter(dayOf(value, zone), Number(argument ?? 0))
    case 'join':
      return Array.isArray(value) ? value.map(asText).join(String(argument ?? ', ')) : asText(value)
    case 'first':
      return Array.isArray(value) ? value[0] : value
    case 'count':
      return Array.isArray(value) ? value.length : isMissing(value) ? 0 : 1
  }
}

/** The calendar day of a date or of an instant, where the run is. */
function dayOf(value: unknown, zone: string): string | undefined {
  const text = asText(value)
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return text
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? undefined : dayIn(zone, at)
}

/** Undefined where there is no such day: of 31 February, after `"many"` days, or in the year 300,000. */
function daysAfter(day: string | undefined, days: number): string | undefined {
  try {
    return day && dayAfter(day, Math.trunc(days))
  } catch {
    return undefined
  }
}

/** A value as text: a missing one is empty, a list is separated by commas, and of a record with a name it is the name. */
export function asText(value: unknown): string {
  if (isMissing(value)) return ''
  if (Array.isArray(value)) return value.map(asText).join(', ')
  if (isObject(value)) return 'name' in value ? asText(value.name) : JSON.stringify(value)
  return String(value)
}
