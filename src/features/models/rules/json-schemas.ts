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

function partFault(part: unknown, path: string, depth: number, isNames = false): string | undefined {
  if (typeof part !== 'object' || part === null) return undefined
  if (depth > MAX_DEPTH) return `must not be nested deeper than ${MAX_DEPTH} levels`
  for (const [key, value] of Object.entries(part)) {
    const at = path ? `${path}.${key}` : key
    if (!isNames && key === '$ref' && typeof value === 'string' && !value.startsWith('#'))
      return `refers at ${at} to another document: only references that begin with # are possible`
    if (!isNames && UNSUPPORTED.includes(key)) return `has ${at}, which is not supported: leave it out`
    const fault = partFault(value, at, depth + 1, !isNames && NAMING.includes(key))
    if (fault) return fault
  }
  return undefined
}

/** The parts that a schema may have when its references are followed: a few of them, each to the next, would otherwise be millions. */
const MAX_PARTS = 5_000

function expansionFault(schema: unknown): string | undefined {
  let parts = 0
  const follow = (part: unknown, within: readonly string[]): string | undefined => {
    if (typeof part !== 'object' || part === null) return undefined
    if (++parts > MAX_PARTS) return `has more than ${MAX_PARTS} parts when its references are followed: write it shorter`
    // A property that is called $ref has a schema, not a text.
    const { $ref } = part as { $ref?: unknown }
    if (typeof $ref === 'string') {
      if (within.includes($ref)) return `refers to itself by ${$ref}: write out as many levels as there are`
      const fault = follow(partAt(schema, $ref), [...within, $ref])
      if (fault) return fault
    }
    for (const value of Object.values(part)) {
      const fault = follow(value, within)
      if (fault) return fault
    }
    return undefined
  }
  return follow(schema, ['#'])
}

/** The part of a schema to which a reference within it leads. */
const partAt = (schema: unknown, reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (part: unknown, name) => (typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[name] : undefined),
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
