import { exampleOf } from '../../src/http/openapi/examples.ts'
import type { JsonSchema } from '../../src/http/openapi/schemas.ts'
import { components } from './samples.ts'

const ALL_FIELDS = 100

/** Values by the name of a field whose schema does not say what it may be. */
const NAMED: Record<string, unknown[]> = {
  country: ['New Zealand'],
  timezone: ['Europe/London', 'Asia/Tokyo'],
  locked_timezone: ['Europe/London'],
  currency: ['NZD', 'EUR'],
  metadata: [{ shelf: 'B7' }],
  cron_expression: ['15 10 * * 2'],
  deliver_at_local: ['10:15'],
  signature_header: ['X-Other-Signature'],
  allowed_ranges: [['203.0.113.0/24']],
  scopes: [['contacts:read'], ['contacts:read', 'companies:read']],
  color: ['#00aa55', '#aa0055'],
  colour: ['#00aa55', '#aa0055'],
  required_fields: [['value'], ['notes']],
  mapping: [{ customer_id: 'company.id' }],
  filter: [{ field: 'first_name', op: 'eq', value: 'Zoe' }],
}
const OF_FORMAT: Record<string, unknown[]> = {
  date: ['2024-03-04', '2024-03-05'],
  'date-time': ['2055-03-04T05:06:07.000Z', '2055-03-05T05:06:07.000Z'],
  email: ['other@example.org', 'another@example.org'],
  uri: ['https://example.org/other'],
}
const PHONES = ['+61498765432', '+61498765433']

/** What a field is tried with: the values that differ from the stored one and from the default, the likeliest first. */
export function otherValues(field: string, schema: JsonSchema, stored: unknown, sample: unknown, references: string[]): unknown[] {
  const known = new Set([stored ?? null, ...('default' in schema ? [schema.default] : [])].map(textOf))
  const found = [...(NAMED[field] ?? []), ...references, ...valuesOf(schema, sample, references), null]
  return found.filter((value) => value !== undefined && !known.has(textOf(value)))
}

const textOf = (value: unknown) => JSON.stringify(value)

function valuesOf(schema: JsonSchema, sample: unknown, references: string[] = []): unknown[] {
  if (schema.$ref) return valuesOf(components[schema.$ref.split('/').at(-1)] as JsonSchema, sample, references)
  const either = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  if (either) return [sample, ...either.flatMap((part) => valuesOf(part, undefined, references))]
  if (schema.enum) return [...schema.enum].reverse()
  if ('const' in schema) return [schema.const]
  const examples = schema.examples ?? []
  switch ([schema.type].flat()[0]) {
    case 'boolean':
      return [true, false]
    case 'integer':
    case 'number':
      return [...examples, sample, ...numbersOf(schema)]
    case 'array':
      return [...references.map((id) => [id]), sample, exampleOf(schema, components, ALL_FIELDS), ...listsOf(schema)]
    case 'object':
      return [sample, exampleOf(schema, components, ALL_FIELDS), ...objectsOf(schema, sample)]
    default:
      return textsOf(schema, [...examples.slice(1), ...(typeof sample === 'string' ? [sample] : []), ...examples])
  }
}

function numbersOf({ minimum = 0, maximum = 1_000_000 }: JsonSchema): number[] {
  return [minimum + 1, minimum, maximum, Math.floor((minimum + maximum) / 2)]
}
const listsOf = ({ items = {} }: JsonSchema): unknown[] => [
  ...valuesOf(items, undefined)
    .slice(0, 3)
    .map((item) => [item]),
  [],
]

/** The example with another value of one of its fields. */
function objectsOf({ properties = {} }: JsonSchema, sample: unknown): unknown[] {
  const base = typeof sample === 'object' && sample !== null ? sample : {}
  return Object.entries(properties as Record<string, JsonSchema>).flatMap(([name, part]) =>
    valuesOf(part, (base as Record<string, unknown>)[name])
      .slice(0, 3)
      .map((value) => ({ ...base, [name]: value })),
  )
}

function textsOf({ format, maxLength = 20 }: JsonSchema, known: string[]): string[] {
  if (known.some((text) => text.startsWith('+'))) return [...PHONES, ...known]
  const longer = format ? [] : known.map((text) => `${text} 2`).filter((text) => text.length <= maxLength)
  return [...longer, ...((OF_FORMAT[format] ?? []) as string[]), ...known, 'Some text']
}
