import { FIELDS, FIELDS_OF } from './field-descriptions.ts'
import { SCHEMAS } from './schema-descriptions.ts'
import type { JsonSchema } from './schemas.ts'

/** Keywords whose values are data and not schemas. */
const VERBATIM = ['example', 'examples', 'default', 'enum', 'const', 'required', 'mapping']

/** Gives every field of these schemas, and with `named` each schema itself, the description that it lacks. */
export function describeSchemas<T>(schemas: T, named = false): T {
  return Object.fromEntries(
    Object.entries(schemas as Record<string, JsonSchema>).map(([name, schema]) => {
      const described = fieldsDescribed(schema, named ? name : '')
      return [name, !named || described.description ? described : { ...described, ...entry('description', describeSchema(name)) }]
    }),
  ) as T
}

// biome-ignore lint/suspicious/noExplicitAny: any part of a document
function fieldsDescribed(node: any, path: string): any {
  if (Array.isArray(node)) return node.map((part) => fieldsDescribed(part, path))
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node as JsonSchema).map(([keyword, part]) => {
      if (VERBATIM.includes(keyword)) return [keyword, part]
      return [keyword, keyword === 'properties' ? propertiesDescribed(part, path) : fieldsDescribed(part, path)]
    }),
  )
}

const propertiesDescribed = (properties: JsonSchema, path: string): JsonSchema =>
  Object.fromEntries(
    Object.entries(properties).map(([name, field]) => {
      const described = fieldsDescribed(field, `${path}.${name}`)
      if (described.$ref || described.description) return [name, described]
      return [name, { ...described, ...entry('description', FIELDS_OF[`${path}.${name}`] ?? FIELDS[name]) }]
    }),
  )

/** The description of a schema. Its form for requests, `…Input`, has the same one. */
const describeSchema = (name: string) => SCHEMAS[name] ?? SCHEMAS[name.replace(/Input$/, '')]

const entry = (key: string, value: string | undefined) => (value === undefined ? {} : { [key]: value })
