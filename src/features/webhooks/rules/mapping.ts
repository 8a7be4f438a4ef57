import type { Mapping } from './types.ts'

/** A path in a payload: names and indexes with dots between them. */
export const PATH = /^[\w$ -]{1,80}(?:\.[\w$ -]{1,80}){0,9}$/

/** The value at a path of a payload; undefined where there is none. */
export function valueAtPath(payload: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (at, name) => (typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? (at as Record<string, unknown>)[name] : undefined),
      payload,
    )
}

const METADATA = 'metadata.'
/** Fields that are numbers, which forms send as text. Other numbers become text, as phone numbers and ids are. */
const NUMBERS = ['value', 'probability']

/**
 * The fields of a record from a payload. A path without a value, or with an empty one, leaves its field out. `metadata.<key>` is a value of
 * a custom field.
 */
export function mapPayload(mapping: Mapping, payload: unknown): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  const metadata: Record<string, unknown> = {}
  for (const [name, from] of Object.entries(mapping)) {
    const value = typeof from === 'string' ? valueAtPath(payload, from) : from.value
    if (value === undefined || value === null || value === '') continue
    if (name.startsWith(METADATA)) metadata[name.slice(METADATA.length)] = value
    else fields[name] = typeof from === 'string' ? fitting(name, value) : value
  }
  return Object.keys(metadata).length > 0 ? { ...fields, metadata } : fields
}

function fitting(name: string, value: unknown): unknown {
  if (typeof value === 'string' && NUMBERS.includes(name) && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value)
  return typeof value === 'number' && !NUMBERS.includes(name) ? String(value) : value
}
