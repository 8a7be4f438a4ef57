import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { documents } from '../../dev/openapi.ts'
import { root } from '../../dev/settings.ts'
import { AREAS, allEndpoints, endpointsOf } from '../../routes/index.ts'
import { EVENT_TYPES } from '../../src/domain/events.ts'
import { SCOPES_BY_RESOURCE } from '../../src/domain/registered.ts'
import { uploadOf } from '../../src/http/endpoint.ts'
import { newKey } from '../../src/lib/keys.ts'
import { type Harness, start } from '../harness.ts'

const endpoints = await allEndpoints()

const texts = Object.fromEntries(Object.entries(documents).map(([name, textOf]) => [name, textOf()]))
const served = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, JSON.parse(text)]))
/** The operationIds that clients are generated from. A client breaks when one of them disappears or changes. */
const published = JSON.parse(readFileSync(join(import.meta.dirname, 'operation-ids.json'), 'utf8')) as Record<string, string>
const operations = endpoints.map((endpoint) => ({
  endpoint,
  name: `${endpoint.method} ${endpoint.path}`,
  operation:
    served[endpoint.successor ? 'openapi.legacy.json' : 'openapi.json'].paths[endpoint.path.replace(/:(\w+)/g, '{$1}')][
      endpoint.method.toLowerCase()
    ],
}))

test.each(Object.entries(texts))('%s agrees with the endpoints', (name, text) => {
  const file = join(root, name)
  const committed = existsSync(file) ? readFileSync(file, 'utf8') : ''
  expect(committed === text, `${name} is out of date: run \`npm run openapi\` and commit it`).toBe(true)
})

describe('the endpoint registry', () => {
  test('has every method and path once, whatever the names of its parameters', () => {
    const shapes = endpoints.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`)
    expect(shapes.filter((shape, index) => shapes.indexOf(shape) !== index)).toEqual([])
  })

  test('serves every path in the area of its root', async () => {
    const rootsOf = (paths: string[]) => [...new Set(paths.map((path) => path.split('/')[1]))].sort()
    for (const area of AREAS) {
      const served = (await endpointsOf(area)).map(({ path }) => path)
      expect(rootsOf(served)).toEqual(rootsOf([...Object.values(area.paths), ...Object.values(area.outside ?? {})]))
    }
    const roots = AREAS.flatMap(({ paths }) => rootsOf(Object.values(paths)))
    expect(roots).toEqual([...new Set(roots)])
  })

  test('has no path with a parameter before a plain one that it would match', () => {
    const swallowed = endpoints.flatMap((endpoint, index) => {
      const before = endpoints.slice(0, index).find(({ method, path }) => method === endpoint.method && pattern(path).test(endpoint.path))
      return before ? [`${endpoint.method} ${endpoint.path} never runs: ${before.path} comes first`] : []
    })
    expect(swallowed).toEqual([])
  })

  test('declares valid scopes for every endpoint that needs a key', () => {
    const wrong = endpoints.filter(({ access: { public: open, principal, scopes } }) =>
      open ? scopes.length > 0 && !principal : !scopes.every((scope) => /^[a-z_-]+:[a-z]+$/.test(scope)),
    )
    expect(wrong.map(({ method, path }) => `${method} ${path}`)).toEqual([])
  })

  test('requires exactly the scopes that keys may have', () => {
    // No endpoint asks for the scopes of mailboxes: they widen what a role sees, and in whose name it sends.
    const widening = ['personal-email:read', 'personal-email:send']
    const required = [...new Set(endpoints.flatMap(({ access: { scopes } }) => scopes)), ...widening].sort()
    const offered = Object.entries(SCOPES_BY_RESOURCE).flatMap(([resource, actions]) => actions.map((action) => `${resource}:${action}`))
    expect(required, 'src/domain/scopes.ts lists them').toEqual(offered.sort())
  })

  test('gives every path parameter a schema', () => {
    const wrong = endpoints.filter(({ path, params }) => {
      const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)
      return named.join() !== Object.keys((params as unknown as { entries?: object } | undefined)?.entries ?? {}).join()
    })
    expect(wrong.map(({ method, path }) => `${method} ${path}`)).toEqual([])
  })
})

test('every event that the database emits is a documented type', () => {
  const files = readdirSync(join(root, 'schema'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sql'))
  const sql = files.map((name) => readFileSync(join(root, 'schema', name), 'utf8')).join('\n')
  const emitted = [...sql.matchAll(/emit\('([a-z_]+\.[a-z_]+)'/g)].map(([, type]) => type as string)
  expect(emitted.length).toBeGreaterThan(0)
  expect(emitted.filter((type) => !EVENT_TYPES.includes(type))).toEqual([])
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

  test('publishes the operationId of every current operation', () => {
    const isNew = operations.filter(({ operation }) => !operation.deprecated && !(operation.operationId in published))
    expect(
      isNew.map(({ operation }) => operation.operationId),
      'run `npm run openapi`, which publishes them in operation-ids.json',
    ).toEqual([])
  })

  test('gives every operation a summary that stands alone: of its own, an imperative, with a noun and straight apostrophes', () => {
    const summaries = operations.filter(({ operation }) => !operation.deprecated).map(({ operation }) => operation.summary as string)
    expect(summaries.filter((summary, index) => summaries.indexOf(summary) !== index)).toEqual([])
    const odd =
      /^(?![A-Z][a-z]+ [a-zA-Z])|[’.]|^(?:Get|List) (?:what|whether|how|through)\b|^(?:The|An?|All|Whether|What) |\b(?:this|these|here) (?!workspace)/
    expect(summaries.filter((summary) => odd.test(summary))).toEqual([])
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
    app = await start({ docs: true })
  })
  afterAll(() => app.close())

  test.each(Object.entries(served))('serves %s without a key', async (name, document) => {
    const response = await app.fetch(`/v1/${name}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('application/json')
    // The address is that of the server, not one that the file can know.
    const servers = [{ url: 'http://api.test/v1', description: expect.any(String) }]
    expect(await response.json()).toEqual({ ...(document as object), servers })
  })

  test('refuses media types where 415 is documented, and nowhere else', async () => {
    const sent = [
      ['text/plain', '{}'],
      ['application/json; charset=latin1', '{}'],
    ] as const
    const wrong: string[] = []
    let address = 0
    // The form of an upload is read when its record is known: see attachment-files.test.ts.
    const jsonWrites = operations.filter(({ endpoint }) => endpoint.method !== 'GET' && !uploadOf(endpoint))
    const probe = async ({ endpoint, name, operation }: (typeof operations)[number]) => {
      const statuses = sent.map(async ([type, body]) => {
        // An unknown key and an address of its own for each: the media type is looked at before the key is looked up, and no rate is
        // reached.
        address += 1
        const headers = {
          authorization: `Bearer ${newKey().key}`,
          'content-type': type,
          'cf-connecting-ip': `198.51.${100 + (address >> 8)}.${address & 255}`,
        }
        const path = endpoint.path.replace(/:\w+/g, '01900000-0000-7000-8000-000000000001')
        const response = await app.fetch(endpoint.base + path, { method: endpoint.method, headers, body })
        await response.text()
        return response.status
      })
      const seen = await Promise.all(statuses)
      if (seen.includes(415) !== '415' in operation.responses) wrong.push(`${name}: ${seen}`)
    }
    for (let at = 0; at < jsonWrites.length; at += 16) await Promise.all(jsonWrites.slice(at, at + 16).map(probe))
    expect(wrong).toEqual([])
  })
})

const faultsOf = (schema: v.GenericSchema, value: unknown) =>
  (v.safeParse(schema, value).issues ?? []).map((issue) => `${v.getDotPath(issue)}: ${issue.message}`)

/** The fields of a body that are lists of records, which are validated one by one. */
const eachesOf = (body: object) =>
  Object.entries((body as { entries?: Record<string, { record: v.GenericSchema }> }).entries ?? {}).filter(([, entry]) => entry.record)

const pattern = (path: string) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)
