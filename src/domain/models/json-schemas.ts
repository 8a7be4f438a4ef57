import { type Schema, Validator } from '@cfworker/json-schema'

export const MAX_SCHEMA_BYTES = 20_000
const MAX_DEPTH = 20
/** Keywords whose cost an author could make unbounded, or that load something from elsewhere. */
const UNSUPPORTED = ['pattern', 'patternProperties', '$dynamicRef', '$recursiveRef', '$id', '$anchor', '$schema', '$vocabulary']

/** Why an object cannot be used as a JSON Schema, or undefined. */
export function schemaFault(schema: unknown): string | undefined {
  if (new TextEncoder().encode(JSON.stringify(schema)).length > MAX_SCHEMA_BYTES) return `must be at most ${MAX_SCHEMA_BYTES / 1000} KB`
  const fault = partFault(schema, '', 0)
  if (fault) return fault
  if ((schema as { type?: unknown }).type !== 'object') return 'must have the type object: {"type": "object", "properties": {…}}'
  try {
    new Validator(schema as Schema, '2020-12').validate({})
    return undefined
  } catch (error) {
    return `is no valid JSON Schema: ${(error as Error).message.slice(0, 200)}`
  }
}

function partFault(part: unknown, path: string, depth: number): string | undefined {
  if (typeof part !== 'object' || part === null) return undefined
  if (depth > MAX_DEPTH) return `must not be nested deeper than ${MAX_DEPTH} levels`
  for (const [key, value] of Object.entries(part)) {
    const at = path ? `${path}.${key}` : key
    if (key === '$ref' && typeof value === 'string' && !value.startsWith('#'))
      return `refers at ${at} to another document: only references that begin with # are possible`
    if (UNSUPPORTED.includes(key) && !path.endsWith('properties')) return `has ${at}, which is not supported: leave it out`
    const fault = partFault(value, at, depth + 1)
    if (fault) return fault
  }
  return undefined
}

/** The violations of a schema by a value, at most five of each a path and a message; none if it fits. */
export function violationsOf(schema: object, value: unknown): { path: string; message: string }[] {
  try {
    const { valid, errors } = new Validator(schema as Schema, '2020-12', false).validate(value)
    if (valid) return []
    // An error of a part follows from those inside it.
    const inner = errors.filter(({ keyword }) => !['properties', 'items', 'additionalProperties'].includes(keyword) || errors.length === 1)
    return (inner.length > 0 ? inner : errors).slice(0, 5).map(({ instanceLocation, error }) => ({
      path: instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.'),
      message: error,
    }))
  } catch (error) {
    return [{ path: '', message: `cannot be checked: ${(error as Error).message.slice(0, 200)}` }]
  }
}
