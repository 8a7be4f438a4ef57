import { type Schema, Validator } from '@cfworker/json-schema'

export const MAX_SCHEMA_BYTES = 20_000
const MAX_DEPTH = 20
/** Keywords whose cost an author could make unbounded, or that load something from elsewhere. */
const UNSUPPORTED = [
  'pattern',
  'patternProperties',
  'uniqueItems',
  '$dynamicRef',
  '$recursiveRef',
  '$id',
  'id',
  '$anchor',
  '$schema',
  '$vocabulary',
]

/** Why an object cannot be used as a JSON Schema, or undefined. */
export function schemaFault(schema: unknown): string | undefined {
  if (new TextEncoder().encode(JSON.stringify(schema)).length > MAX_SCHEMA_BYTES) return `must be at most ${MAX_SCHEMA_BYTES / 1000} KB`
  const fault = partFault(schema, '', 0)
  const bound = fault ?? expansionFault(schema)
  if (bound) return bound
  if ((schema as { type?: unknown }).type !== 'object') return 'must have the type object: {"type": "object", "properties": {…}}'
  try {
    new Validator(schema as Schema, '2020-12').validate({})
    return undefined
  } catch (error) {
    return `is no valid JSON Schema: ${(error as Error).message.slice(0, 200)}`
  }
}

/** Keywords whose values name schemas: a name may be any word, also that of a keyword. */
const NAMING = ['properties', '$defs', 'definitions', 'dependentSchemas']
/** Keywords whose values are no schemas. */
const DATA = ['default', 'enum', 'const', 'examples']
type Kind = 'schema' | 'names' | 'data'
const kindOf = (key: string, kind: Kind): Kind =>
  kind === 'schema' ? (NAMING.includes(key) ? 'names' : DATA.includes(key) ? 'data' : 'schema') : kind === 'names' ? 'schema' : 'data'

function partFault(part: unknown, path: string, depth: number, kind: Kind = 'schema'): string | undefined {
  if (typeof part !== 'object' || part === null) return undefined
  if (depth > MAX_DEPTH) return `must not be nested deeper than ${MAX_DEPTH} levels`
  for (const [key, value] of Object.entries(part)) {
    const at = path ? `${path}.${key}` : key
    const fault =
      (kind === 'schema' && !Array.isArray(part) ? keywordFault(key, value, at) : undefined) ??
      partFault(value, at, depth + 1, Array.isArray(part) ? kind : kindOf(key, kind))
    if (fault) return fault
  }
  return undefined
}

function keywordFault(key: string, value: unknown, at: string): string | undefined {
  if (key === '$ref' && typeof value === 'string' && !value.startsWith('#'))
    return `refers at ${at} to another document: only references that begin with # are possible`
  return UNSUPPORTED.includes(key) ? `has ${at}, which is not supported: leave it out` : undefined
}

/** The parts that a schema may have when its references are followed: a few of them, each to the next, would otherwise be millions. */
const MAX_PARTS = 5_000

function expansionFault(schema: unknown): string | undefined {
  let parts = 0
  const follow = (part: unknown, kind: Kind, within: readonly string[]): string | undefined => {
    if (typeof part !== 'object' || part === null) return undefined
    if (++parts > MAX_PARTS) return `has more than ${MAX_PARTS} parts when its references are followed: write it shorter`
    const { $ref } = part as { $ref?: unknown }
    if (kind === 'schema' && typeof $ref === 'string') {
      const target = pointerOf($ref)
      if (within.includes(target)) return `refers to itself by ${$ref}: write out as many levels as there are`
      const referred = partAt(schema, target)
      if (typeof referred !== 'object' && typeof referred !== 'boolean') return `refers by ${$ref} to what it does not have`
      const fault = follow(referred, 'schema', [...within, target])
      if (fault) return fault
    }
    for (const [key, value] of Object.entries(part)) {
      const fault = follow(value, Array.isArray(part) ? kind : kindOf(key, kind), within)
      if (fault) return fault
    }
    return undefined
  }
  return follow(schema, 'schema', ['#'])
}

/** A reference in one form, because the same one can be written with and without percent encoding. */
function pointerOf(reference: string): string {
  try {
    return decodeURIComponent(reference)
  } catch {
    return reference
  }
}

/** The part of a schema to which a reference within it leads. */
const partAt = (schema: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (part: unknown, name) =>
        typeof part === 'object' && part !== null && Object.hasOwn(part, name) ? (part as Record<string, unknown>)[name] : undefined,
      schema,
    )

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
