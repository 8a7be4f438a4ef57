import type { JsonSchema } from './schemas.ts'

/** Fields that control the write and are not part of the record. */
export const CONTROL = ['require_approval', 'skip_automations']
/** The number of optional fields in an example, few enough to read at a glance. */
const ENOUGH = 6

/** An example value of a schema, composed of the examples of its fields: the required ones and a few others. */
export function exampleOf(schema: JsonSchema, components: Record<string, JsonSchema>, few = ENOUGH): unknown {
  const example = (of: JsonSchema, nth = 0): unknown => {
    if (of.$ref) return example(components[of.$ref.split('/').at(-1)] as JsonSchema)
    if (of.examples?.length > 0) return of.format === 'uuid' ? nthId(of.examples[0], nth) : of.examples[0]
    if ('const' in of) return of.const
    if (of.enum) return of.enum[0]
    const either = of.anyOf ?? of.oneOf
    if (either) return example(either[0])
    if (of.allOf) return Object.assign({}, ...of.allOf.map((part: JsonSchema) => example(part)))
    return plain(of, nth)
  }

  const plain = (of: JsonSchema, nth: number): unknown => {
    switch (Array.isArray(of.type) ? of.type[0] : of.type) {
      case 'object':
        return objectOf(of)
      case 'array':
        return Array.from({ length: Math.max(of.minItems ?? 1, 1) }, (_, index) => example(of.items ?? {}, index))
      case 'string':
        return of.format === 'uuid' ? nthId('01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d', nth) : 'text'.padEnd(of.minLength ?? 0, '.')
      case 'integer':
      case 'number':
        return of.minimum ?? 1
      case 'boolean':
        return true
      default:
        return {}
    }
  }

  const objectOf = ({ properties = {}, required = [] }: JsonSchema) => {
    const entries = Object.entries(properties as Record<string, JsonSchema>)
    const offered = entries
      .filter(([name, field]) => !required.includes(name) && !CONTROL.includes(name) && !isReference(field) && !isGuess(field))
      .map(([name]) => name)
    // An update of references only, such as a move, has no other fields to show.
    const chosen =
      offered.length > 0 || required.length > 0 ? offered : entries.map(([name]) => name).filter((name) => !CONTROL.includes(name))
    const shown = new Set([...required, ...chosen.slice(0, few)])
    return Object.fromEntries(entries.filter(([name]) => shown.has(name)).map(([name, field]) => [name, example(field)]))
  }

  return example(schema)
}

/** Whether a schema contains an id. No record has a sample id, so an example with one could not be tried. */
const isReference = (field: JsonSchema): boolean =>
  field.format === 'uuid' || (field.items ? isReference(field.items) : (field.anyOf ?? []).some(isReference))

/** Text without any hint at its content, such as a cursor. */
const isGuess = ({ type, examples, enum: choices, format, ...rest }: JsonSchema): boolean =>
  [type].flat()[0] === 'string' && !examples && !choices && !format && !('const' in rest)

const nthId = (id: string, nth: number) =>
  nth === 0 ? id : id.slice(0, -3) + (Number.parseInt(id.slice(-3), 16) + nth).toString(16).padStart(3, '0')
