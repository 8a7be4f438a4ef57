import { toJsonSchemaDefs } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { namedSchemas } from '../../schemas/common.ts'
import { partsOf, pipeOf } from '../../schemas/pipes.ts'
import type { Endpoint, Schema } from '../endpoint.ts'

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema is as deep as what it describes
export type JsonSchema = { [keyword: string]: any }
type Parts = {
  params?: Schema | undefined
  query?: Schema | undefined
  body?: Schema | undefined
  returns?: Schema | undefined
  related?: Schema | undefined
}

const COMPONENTS = '#/components/schemas/'
export const ref = (name: string): JsonSchema => ({ $ref: COMPONENTS + name })
export const object = (properties: JsonSchema, required: string[]): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
})

/**
 * The parts of every endpoint and the named schemas that they refer to. One conversion a mode: each converts every named
 * schema anew, so one an endpoint would be quadratic.
 */
export function schemasOf(endpoints: Endpoint[]) {
  const sent = convert(
    'input',
    endpoints.map(({ params, query, body }) => ({ params, query, body: body && documented(body) })),
  )
  const related = relatedOf(endpoints)
  const answered = convert(
    'output',
    endpoints.map(({ returns }) => ({ returns: returns.schema, related: relationsOf(returns) && related.get(returns.schema)?.schema })),
    new Map([...related.values()].map(({ name, schema }) => [name, schema])),
  )
  const names = [...namedSchemas().keys()]
  const twofold = new Set(names.filter((name) => spelled(sent.named, name) !== spelled(answered.named, name)))
  const asSent = (schema: JsonSchema) => renamed(schema, twofold)
  const inputs = sent.parts.map((part) => asSent(part.properties))
  const needed = referencesOf(inputs, (name) => asSent(sent.named[name.replace(/Input$/, '')] as JsonSchema))
  const inputsOf = Object.fromEntries(
    names.filter((name) => needed.has(`${name}Input`)).map((name) => [`${name}Input`, asSent(sent.named[name] as JsonSchema)]),
  )
  return {
    parts: inputs.map((part, index) => ({ ...part, ...answered.parts[index]?.properties }) as Record<keyof Parts, JsonSchema | undefined>),
    components: Object.fromEntries(Object.entries({ ...answered.named, ...inputsOf }).sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

const relationsOf = (returns: Endpoint['returns']) => (returns.as === 'one' || returns.as === 'list' ? returns.relations : undefined)

/**
 * What `include` can add to the records of endpoints, by their schema. A related record that takes the place of a field has all that the
 * field has.
 */
function relatedOf(endpoints: Endpoint[]) {
  const names = new Map([...namedSchemas()].map(([name, schema]) => [schema, name]))
  const related = new Map<object, { name: string; schema: Schema }>()
  for (const { returns } of endpoints) {
    const name = names.get(returns.schema)
    const own = partsOf<{ entries?: object }>(returns.schema).entries ?? {}
    const relations = relationsOf(returns)?.filter(({ name }) => !(name in own)) ?? []
    if (relations.length === 0 || related.has(returns.schema) || !name) continue
    const entries = relations.map(({ name, schema, most }): [string, Schema] => [
      name,
      v.optional(v.pipe(most ? v.array(schema) : v.nullable(schema), v.description('Sent if `include` names it.'))),
    ])
    related.set(returns.schema, { name: `${name}Related`, schema: v.object(Object.fromEntries(entries)) })
  }
  return related
}

function convert(typeMode: 'input' | 'output', list: Parts[], more: ReadonlyMap<string, Schema> = new Map()) {
  const named = Object.fromEntries([...namedSchemas(), ...more])
  // Each schema is wrapped in an object, so that only named schemas become references.
  const wrapped = list.map((parts, index) => [
    `${index}.`,
    v.object(Object.fromEntries(Object.entries(parts).flatMap(([name, part]) => (part ? [[name, part as Schema]] : [])))),
  ])
  const definitions = toJsonSchemaDefs(
    { ...named, ...Object.fromEntries(wrapped) },
    { typeMode, target: 'draft-2020-12', errorMode: 'ignore', overrideRef: ({ referenceId }) => COMPONENTS + referenceId },
  ) as Record<string, JsonSchema>
  const tidied = Object.fromEntries(Object.entries(definitions).map(([name, schema]) => [name, tidy(schema)]))
  return {
    parts: list.map((_, index) => tidied[`${index}.`] as JsonSchema),
    named: Object.fromEntries(Object.keys(named).map((name) => [name, tidied[name] as JsonSchema])),
  }
}

type Each = { record?: Schema; pipe: [unknown, ...unknown[]] }
type Wrapping = { type: string; wrapped: Schema; default?: unknown }

/** The body with its lists of records (see bulkOf) as arrays of that record's schema. */
function documented(body: Schema): Schema {
  const { entries } = partsOf<{ entries?: Record<string, Schema> }>(body)
  if (!entries) return body
  const spelt = (entry: Schema): Schema => {
    const { record, pipe } = partsOf<Each>(entry)
    if (record) return pipeOf<Schema>(v.array(record), ...pipe.slice(1))
    const { type, wrapped } = partsOf<Wrapping>(entry)
    return type === 'optional' && partsOf<Each>(wrapped).record ? v.optional(spelt(wrapped)) : entry
  }
  return Object.assign({}, body, { entries: Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, spelt(entry)])) })
}

/** Keywords whose values are objects of schemas. */
const BY_NAME = ['properties', '$defs', 'patternProperties']
const VERBATIM = ['examples', 'default', 'enum', 'const', 'required']

/** The same schema in its shortest form: `["string", "null"]` in place of two schemas, and no empty lists. */
// biome-ignore lint/suspicious/noExplicitAny: any part of a JSON Schema
function tidy(node: any): any {
  if (Array.isArray(node)) return node.map(tidy)
  if (typeof node !== 'object' || node === null) return node
  const schema: JsonSchema = mapped(node, (part, keyword) => {
    if (VERBATIM.includes(keyword)) return part
    return BY_NAME.includes(keyword) ? mapped(part as JsonSchema, tidy) : tidy(part)
  })
  if (schema.required?.length === 0) delete schema.required
  const [first, second, third] = (schema.anyOf ?? []) as JsonSchema[]
  if (third || second?.type !== 'null' || typeof first?.type !== 'string') return schema
  const { anyOf: _, ...others } = schema
  return { ...first, ...others, type: [first.type, 'null'], ...(first.enum && { enum: [...first.enum, null] }) }
}

const mapped = (of: JsonSchema, change: (value: unknown, key: string) => unknown): JsonSchema =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [key, change(value, key)]))

/** A named schema as text, with its references resolved. */
function spelled(named: Record<string, JsonSchema>, name: string): string {
  return JSON.stringify(named[name], (key, value) => (key === '$ref' ? spelled(named, value.slice(COMPONENTS.length)) : value))
}

const renamed = (schema: JsonSchema, twofold: Set<string>): JsonSchema =>
  JSON.parse(JSON.stringify(schema), (key, value) =>
    key === '$ref' && twofold.has(value.slice(COMPONENTS.length)) ? `${value}Input` : value,
  )

/** The names that schemas refer to, directly and through one another. */
function referencesOf(schemas: unknown, schemaOf: (name: string) => JsonSchema, found = new Set<string>()): Set<string> {
  for (const [, name] of JSON.stringify(schemas).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
    if (!name || found.has(name)) continue
    found.add(name)
    referencesOf(schemaOf(name), schemaOf, found)
  }
  return found
}

/** Every component that a part of a document leads to, directly or through another: `schemas/Contact`. */
export function referencesIn(part: unknown, componentAt: (place: string) => unknown, found = new Set<string>()): Set<string> {
  for (const [, place] of JSON.stringify(part).matchAll(/"#\/components\/([^"]+)"/g)) {
    if (!place || found.has(place)) continue
    found.add(place)
    referencesIn(componentAt(place), componentAt, found)
  }
  return found
}
