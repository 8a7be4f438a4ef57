import { describe, expect, test } from 'vitest'
import { documents } from '../../dev/openapi.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document is walked
type Node = any

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const RECORD_ID = 'uuid'

describe.each(Object.entries(documents))('%s', (_, textOf) => {
  const text = textOf()
  const document: Node = JSON.parse(text)
  const operations = Object.entries(document.paths as Node).flatMap(([path, item]) =>
    Object.entries(item as Node).map(([method, operation]) => ({ path, method, operation: operation as Node })),
  )
  const resolve = (part: Node): Node => (part.$ref ? part.$ref.slice(2).split('/').reduce(step, document) : part)
  const idsWhere = (isWrong: (one: (typeof operations)[number]) => boolean) =>
    operations.filter(isWrong).map(({ operation }) => operation.operationId)

  test('states title, version, licence and servers', () => {
    const { info, servers } = document
    expect(info).toMatchObject({ title: expect.any(String), version: expect.stringMatching(/^\d/), description: expect.any(String) })
    expect(info.license).toEqual({ name: expect.any(String), identifier: expect.any(String) })
    for (const { url, variables = {} } of servers) {
      expect(url).not.toMatch(/\/$|example\.com|localhost/)
      expect([...url.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(Object.keys(variables))
      const filled = url.replace(/\{(\w+)\}/g, (_: string, name: string) => variables[name].default)
      expect(new URL(filled).pathname, 'a client in Node needs an absolute URL').toBe('/v1')
    }
  })

  test('gives every operation an id, a summary, a described tag, security, and responses for success and failure', () => {
    const tags = new Map(document.tags.map(({ name, description }: Node) => [name, description]))
    expect(document.tags).toHaveLength(tags.size)
    expect([...tags].filter(([, description]) => !description)).toEqual([])
    expect(new Set(operations.flatMap(({ operation }) => operation.tags))).toEqual(new Set(tags.keys()))
    expect(idsWhere(({ method }) => !METHODS.includes(method))).toEqual([])
    expect(idsWhere(({ operation }) => !/^[a-z][A-Za-z]+$/.test(operation.operationId) || !operation.summary)).toEqual([])
    const statuses = ({ operation }: (typeof operations)[number]) => Object.keys(operation.responses)
    expect(idsWhere((one) => !statuses(one).some((status) => /^2/.test(status)))).toEqual([])
    expect(idsWhere((one) => !statuses(one).some((status) => /^4/.test(status)))).toEqual([])
    const schemes = Object.keys(document.components.securitySchemes)
    const isSecured = ({ operation }: (typeof operations)[number]) =>
      operation.security?.every((one: Node) => Object.keys(one).every((name) => schemes.includes(name)))
    expect(idsWhere((one) => !isSecured(one))).toEqual([])
  })

  test('declares every parameter once, and those of the path', () => {
    const wrong = idsWhere(({ path, operation }) => {
      const parameters = (operation.parameters ?? []).map(resolve)
      const names = parameters.map((one: Node) => `${one.in} ${one.name}`)
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `path ${name}`)
      const declared = parameters.filter((one: Node) => one.in === 'path' && one.required).map(({ name }: Node) => `path ${name}`)
      return new Set(names).size < names.length || inPath.join() !== declared.join() || parameters.some((one: Node) => !one.description)
    })
    expect(wrong).toEqual([])
  })

  test('has no two paths that one address could mean', () => {
    const steps = Object.entries(document.paths as Node).map(([path, item]) => ({ path, parts: path.split('/'), item: item as Node }))
    const ambiguous = steps.flatMap((one, index) =>
      steps
        .slice(0, index)
        .filter((other) => variables(one.parts) === variables(other.parts) && one.parts.length === other.parts.length)
        .filter((other) => one.parts.every((part, at) => overlaps(part, other.parts[at]!)))
        .map((other) => `${one.path} and ${other.path}`),
    )
    expect(ambiguous.filter((pair) => !isToldApart(pair))).toEqual([])
    // Those that Redocly takes for ambiguous: see redocly.yaml.
    expect(ambiguous.filter((pair) => !/\/merges\/\{merge_id\}|^\/webhooks\/(subscribe|samples)\//.test(pair))).toEqual([])
    expect(steps.filter(({ path }) => /\/$|\?/.test(path))).toEqual([])
  })

  /** A fixed segment such as `merges` is never the id of a record. */
  function isToldApart(pair: string): boolean {
    const [one, other] = pair.split(' and ').map((path) => path.split('/')) as [string[], string[]]
    return one.some((part, at) => {
      const [fixed, variable, path] = part.startsWith('{') ? [other[at]!, part, one] : [part, other[at]!, other]
      if (fixed.startsWith('{') || !variable.startsWith('{')) return false
      const [operation] = Object.values(document.paths[path.join('/')]) as Node[]
      return (
        resolve(operation.parameters.find((parameter: Node) => `{${resolve(parameter).name}}` === variable)).schema.format === RECORD_ID
      )
    })
  }

  test('refers to what it has, and has no component that nothing refers to', () => {
    const refs = new Set([...text.matchAll(/"#\/(components\/[^"]+)"/g)].map(([, path]) => path as string))
    expect([...refs].filter((path) => path.split('/').reduce(step, document) === undefined)).toEqual([])
    const { securitySchemes: _, ...components } = document.components
    const places = Object.entries(components).flatMap(([kind, parts]) =>
      Object.keys(parts as Node).map((name) => `components/${kind}/${name}`),
    )
    expect(places.filter((place) => !refs.has(place))).toEqual([])
    expect(places.filter((place) => !/^[\w./-]+$/.test(place))).toEqual([])
    expect(Object.keys(components.schemas)).not.toContain('Error')
  })

  test('has enums of the type that they declare, and requires only fields that exist', () => {
    const wrong: string[] = []
    walk(document.components.schemas, 'schemas', (schema, place) => {
      const types = [schema.type ?? []].flat()
      if (Array.isArray(schema.enum) && types.length > 0)
        for (const value of schema.enum) if (!types.includes(typeOf(value))) wrong.push(`${place}: ${value}`)
      if (Array.isArray(schema.required) && schema.properties)
        for (const field of schema.required) if (!(field in schema.properties)) wrong.push(`${place}.${field}`)
    })
    expect(wrong).toEqual([])
  })

  test('describes every schema and every field', () => {
    const schemas = document.components.schemas as Record<string, Node>
    expect(
      Object.keys(schemas).filter((name) => !schemas[name].description),
      'add them to src/http/openapi/schema-descriptions.ts',
    ).toEqual([])
    const missing: string[] = []
    const look = (schema: Node, place: string) => {
      for (const [name, field] of Object.entries((schema.properties ?? {}) as Record<string, Node>))
        if (typeof field === 'object' && !field.$ref && !field.description && !place.includes('ApiError')) missing.push(`${place}.${name}`)
    }
    walk(schemas, '', look)
    for (const { operation } of operations) walk(operation.responses, operation.operationId, look)
    expect(missing, 'describe them in src/schemas').toEqual([])
  })
})

const step = (at: Node, key: string) => at?.[key]
const variables = (parts: string[]) => parts.filter((part) => part.startsWith('{')).length
const overlaps = (a: string, b: string) => a === b || a.startsWith('{') || b.startsWith('{')
const typeOf = (value: unknown) =>
  value === null ? 'null' : Number.isInteger(value) ? 'integer' : Array.isArray(value) ? 'array' : typeof value

function walk(node: Node, place: string, visit: (node: Node, place: string) => void): void {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node)) visit(node, place)
  for (const [key, child] of Object.entries(node))
    if (!['example', 'examples', 'default'].includes(key)) walk(child, `${place}.${key}`, visit)
}
