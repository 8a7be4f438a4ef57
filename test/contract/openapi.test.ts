import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openapiFile, openapiText } from '../../dev/openapi.ts'
import { AREAS, allEndpoints, endpointsOf } from '../../routes/index.ts'
import { type Harness, start } from '../harness.ts'

const endpoints = await allEndpoints()

const text = openapiText()
const document = JSON.parse(text)
/** operationIds that clients are generated from: one that disappears or changes breaks them. */
const published = JSON.parse(readFileSync(join(import.meta.dirname, 'operation-ids.json'), 'utf8')) as Record<string, string>
const operations = endpoints.map((endpoint) => ({
  endpoint,
  name: `${endpoint.method} ${endpoint.path}`,
  operation: document.paths[endpoint.path.replace(/:(\w+)/g, '{$1}')][endpoint.method.toLowerCase()],
}))

test('openapi.json is what the endpoints say', () => {
  const committed = existsSync(openapiFile) ? readFileSync(openapiFile, 'utf8') : ''
  expect(committed === text, 'openapi.json is out of date: run `npm run openapi` and commit it').toBe(true)
})

describe('the register', () => {
  test('has every method and path once, whatever its parameters are called', () => {
    const shapes = endpoints.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`)
    expect(shapes.filter((shape, index) => shapes.indexOf(shape) !== index)).toEqual([])
  })

  test('has each area serve all paths below the roots of its paths, and no other', async () => {
    const rootsOf = (paths: string[]) => [...new Set(paths.map((path) => path.split('/')[1]))].sort()
    for (const area of AREAS) {
      const served = (await endpointsOf(area)).map(({ path }) => path)
      expect(rootsOf(served)).toEqual(rootsOf(Object.values(area.paths)))
    }
    const roots = AREAS.flatMap(({ paths }) => rootsOf(Object.values(paths)))
    expect(roots).toEqual([...new Set(roots)])
  })

  test('lets no path with a parameter stand before a plain one that it would swallow', () => {
    const swallowed = endpoints.flatMap((endpoint, index) => {
      const before = endpoints.slice(0, index).find(({ method, path }) => method === endpoint.method && pattern(path).test(endpoint.path))
      return before ? [`${endpoint.method} ${endpoint.path} never runs: ${before.path} comes first`] : []
    })
    expect(swallowed).toEqual([])
  })

  test('declares scopes for all that needs a key, and none that *:* does not cover', () => {
    const wrong = endpoints.filter(({ access: { public: open, scopes } }) =>
      open ? scopes.length > 0 : !scopes.every((scope) => /^[a-z_-]+:[a-z]+$/.test(scope)),
    )
    expect(wrong.map(({ method, path }) => `${method} ${path}`)).toEqual([])
  })

  test('gives every path parameter a schema', () => {
    const wrong = endpoints.filter(({ path, params }) => {
      const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)
      return named.join() !== Object.keys((params as unknown as { entries?: object } | undefined)?.entries ?? {}).join()
    })
    expect(wrong.map(({ method, path }) => `${method} ${path}`)).toEqual([])
  })
})

describe('the document', () => {
  test('names every operation once', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  })

  test('keeps every published operationId for its operation', () => {
    const now = new Map(operations.map(({ operation, name }) => [operation.operationId, name.replace(/:(\w+)/g, '{$1}')]))
    now.set('getOpenApiDocument', 'GET /openapi.json')
    const changed = Object.entries(published).filter(([id, name]) => now.get(id) !== name)
    expect(changed).toEqual([])
  })

  test('publishes the operationId of every operation that is to stay', () => {
    const isNew = operations.filter(({ operation }) => !operation.deprecated && !(operation.operationId in published))
    expect(
      isNew.map(({ operation }) => operation.operationId),
      'add them to operation-ids.json',
    ).toEqual([])
  })

  test('refers to nothing that it does not have', () => {
    const refs = new Set([...text.matchAll(/"\$ref": "#\/([^"]+)"/g)].map(([, path]) => path as string))
    const missing = [...refs].filter((path) => path.split('/').reduce((at, step) => at?.[step], document) === undefined)
    expect(missing).toEqual([])
  })

  const withBody = operations.filter(({ endpoint }) => endpoint.body)
  test.each(withBody)('$name has an example that its own check accepts', ({ endpoint, operation }) => {
    const { example } = operation.requestBody.content['application/json']
    expect(faultsOf(endpoint.body!, example), JSON.stringify(example)).toEqual([])
    for (const [field, { record }] of eachesOf(endpoint.body!)) {
      const faults = example[field].flatMap((item: unknown) => faultsOf(record, item))
      expect(faults, JSON.stringify(example)).toEqual([])
    }
  })
})

describe('the Worker', () => {
  let app: Harness
  beforeAll(async () => {
    app = await start()
  })
  afterAll(() => app.close())

  test('serves the document without a key', async () => {
    const response = await app.fetch('/v1/openapi.json')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(await response.json()).toEqual(document)
  })
})

const faultsOf = (schema: v.GenericSchema, value: unknown) =>
  (v.safeParse(schema, value).issues ?? []).map((issue) => `${v.getDotPath(issue)}: ${issue.message}`)

/** The fields of a body that are lists of records, judged one by one. */
const eachesOf = (body: object) =>
  Object.entries((body as { entries?: Record<string, { record: v.GenericSchema }> }).entries ?? {}).filter(([, entry]) => entry.record)

const pattern = (path: string) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)
