import * as v from 'valibot'
import { findUncleanJson } from '../lib/text.ts'

type ObjectLimits = { keys: number; keyLength: number; depth: number; bytes: number }
export const METADATA: ObjectLimits = { keys: 200, keyLength: 100, depth: 8, bytes: 65_536 }

/** Why an object cannot be stored, or undefined. Depth is checked before anything that walks the whole object. */
function objectFault(value: object, limits: ObjectLimits): string | undefined {
  const keys = Object.keys(value)
  if (keys.length > limits.keys) return `must have at most ${limits.keys} keys`
  if (keys.some((key) => key === '' || key.length > limits.keyLength)) return `must have keys of 1 to ${limits.keyLength} characters`
  const path = findUncleanJson(value, limits.depth)
  if (path !== undefined) return `has at ${path} what cannot be stored: malformed text, or objects nested deeper than ${limits.depth}`
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length
  return bytes > limits.bytes ? `must be at most ${limits.bytes / 1024} KB of JSON` : undefined
}

/** A JSON object of any keys, within limits. */
export const JsonObject = (limits: ObjectLimits, sample: string) =>
  v.pipe(
    v.custom<Record<string, unknown>>(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
      `must be an object, such as ${sample}`,
    ),
    v.check(
      (value) => objectFault(value, limits) === undefined,
      (issue) => objectFault(issue.input, limits) ?? '',
    ),
    v.metadata({
      type: 'object',
      additionalProperties: true,
      maxProperties: limits.keys,
      propertyNames: { minLength: 1, maxLength: limits.keyLength },
    }),
    v.description(`A JSON object such as ${sample}, of at most ${limits.keys} keys, ${limits.bytes / 1024} KB and ${limits.depth} levels.`),
    v.examples([{}]),
  )

export const Metadata = JsonObject(METADATA, '{"tier": "gold"}')
