import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isWrite } from '../../src/http/endpoint.ts'
import { newKey } from '../../src/lib/keys.ts'
import { type Harness, start } from '../harness.ts'
import type { Answer, TestWorkspace } from '../workspace.ts'
import { bodyOf, type Ids, idAt, idFor, isId, operations, pathOf, placesOfIds, queryOf, setAt } from './samples.ts'
import { seed } from './seed.ts'
import { stateOf } from './state.ts'

let app: Harness
let mine: TestWorkspace
let ids: Ids
let theirs: Ids
/** By what is wrong with them. */
const badKeys: Record<string, string | undefined> = { 'no key': undefined, 'a malformed key': 'wck_short', 'an unknown key': newKey().key }
/** By the only scope that each lacks. */
const lacking = new Map<string, TestWorkspace>()
let readOnly: TestWorkspace
let viewer: TestWorkspace
let editor: TestWorkspace

const scopes = [...new Set(operations.flatMap(({ endpoint }) => endpoint.scopes))]

beforeAll(async () => {
  app = await start()
  const other = await app.workspace()
  mine = await app.workspace()
  ids = await seed(mine)
  theirs = { ...(await seed(other)), user_id: other.userId }
  for (const scope of scopes) lacking.set(scope, await mine.key({ scopes: scopes.filter((one) => one !== scope) }))
  readOnly = await mine.key({ level: 'read_only' })
  viewer = await mine.key({ role: 'client_viewer' })
  editor = await mine.key({ role: 'client_editor' })
  const spoilt = async (name: string, sql: string) => {
    const key = await mine.key()
    await app.owner.query(sql, [sql.includes('memberships') ? key.userId : key.keyId])
    badKeys[name] = key.apiKey
  }
  await spoilt('a revoked key', 'update api_keys set revoked_at = now() where id = $1')
  await spoilt('an expired key', "update api_keys set expires_at = now() - interval '1 second' where id = $1")
  await spoilt('the key of a former member', "update memberships set status = 'removed' where user_id = $1")
  badKeys['a mistyped key'] = `${mine.apiKey.slice(0, -1)}${mine.apiKey.endsWith('0') ? '1' : '0'}`
  await app.drain()
})
afterAll(() => app.close())

/** The call may change no row of any table, in any workspace. */
async function changingNothing<Out>(call: () => Promise<Out>): Promise<Out> {
  await app.drain()
  const before = await stateOf(app.owner)
  const out = await call()
  expect(await stateOf(app.owner)).toEqual(before)
  return out
}

const codeOf = ({ status, body }: Answer) => `${status} ${body.error?.code}`
const issuesOf = ({ body }: Answer) => body.error?.details?.issues?.map(({ path }: { path: string }) => path)

describe.each(operations)('$name', (operation) => {
  const { endpoint, params, query, body: bodySchema } = operation
  const { method } = endpoint
  const writes = isWrite(endpoint)
  const asking = (more: Record<string, string> = {}, own = ids) => `?${new URLSearchParams({ ...queryOf(operation, own), ...more })}`
  /** The sample as it is, but for what is given. */
  const call = (
    ws: TestWorkspace,
    given: { path?: string; query?: Record<string, string>; body?: unknown; headers?: Record<string, string> } = {},
  ) =>
    ws.call(
      method,
      (given.path ?? pathOf(endpoint, ids)) + asking(given.query),
      'body' in given ? given.body : bodyOf(operation, ids),
      given.headers,
    )
  const raw = (body: string, headers: Record<string, string>) =>
    app
      .fetch(`/v1${pathOf(endpoint, ids)}${asking()}`, { method, body, headers: { authorization: `Bearer ${mine.apiKey}`, ...headers } })
      .then(async (response) => ({ status: response.status, body: (await response.json()) as Answer['body'], headers: response.headers }))

  test.skipIf(endpoint.public || endpoint.direct)('accepts its sample, and leaves no trace of a dry run', async () => {
    const answer = await changingNothing(() => call(mine, writes ? { query: { dry_run: 'true' } } : {}))
    expect(answer.status, JSON.stringify({ sent: bodyOf(operation, ids), answer: answer.body })).toBe(200)
  })

  test.skipIf(endpoint.public)('asks for a valid key', async () => {
    const answers = await changingNothing(async () => {
      const found: Record<string, string> = {}
      for (const [name, key] of Object.entries(badKeys))
        found[name] = codeOf(await call(mine, { headers: { authorization: key === undefined ? '' : `Bearer ${key}` } }))
      return found
    })
    for (const [name, answer] of Object.entries(answers)) expect(answer, name).toBe('401 UNAUTHENTICATED')
  })

  test.skipIf(endpoint.public || endpoint.scopes.length === 0)('asks for each of its scopes', async () => {
    await changingNothing(async () => {
      for (const scope of endpoint.scopes) {
        const answer = await call(lacking.get(scope)!)
        expect(codeOf(answer), scope).toBe('403 INSUFFICIENT_SCOPE')
        expect(answer.body.error.details).toEqual({ required_scopes: endpoint.scopes, missing_scopes: [scope] })
      }
    })
  })

  test.skipIf(endpoint.public || !writes)('is closed to read_only keys and to viewers', async () => {
    await changingNothing(async () => {
      expect(codeOf(await call(readOnly))).toBe('403 FORBIDDEN')
      expect(codeOf(await call(viewer))).toBe('403 FORBIDDEN')
    })
  })

  test.skipIf(!endpoint.admin)('is closed to editors', async () => {
    expect(codeOf(await changingNothing(() => call(editor)))).toBe('403 FORBIDDEN')
  })

  const pathIds = Object.keys(params.properties).filter((name) => isId(params.properties[name]))
  const queryIds = Object.keys(query.properties).filter((name) => isId(query.properties[name]))
  const bodyIds = bodySchema ? placesOfIds(bodySchema) : []

  test.skipIf(endpoint.public || pathIds.length + queryIds.length + bodyIds.length === 0)(
    'knows no record of another workspace',
    async () => {
      const foreign = (name: string) => idFor(name, theirs) ?? randomUUID()
      const withPath = (names: string[]) => ({
        path: pathOf(endpoint, { ...ids, ...Object.fromEntries(names.map((name) => [name, foreign(name)])) }),
      })
      const withBody = (place: (string | number)[]) => {
        const body = bodyOf(operation, ids)
        setAt(body, place, idAt(endpoint, place, theirs) ?? randomUUID())
        return { body }
      }
      const calls: Record<string, Parameters<typeof call>[1]> = Object.fromEntries([
        ...(pathIds.length > 0 ? [['path', withPath(pathIds)]] : []),
        ...(pathIds.length > 1 ? pathIds.map((name) => [`path ${name}`, withPath([name])]) : []),
        ...queryIds.map((name) => [`query ${name}`, { query: { [name]: foreign(name) } }]),
        ...bodyIds.map((place) => [`body ${place.join('.')}`, withBody(place)]),
      ])
      for (const [where, given] of Object.entries(calls)) {
        const answer = await changingNothing(() => call(mine, given))
        expect(refuses(answer, writes), `${where}: ${JSON.stringify({ given, status: answer.status, body: answer.body })}`).toBe(true)
      }
    },
  )

  test.skipIf(pathIds.length === 0)('names a malformed id', async () => {
    for (const name of pathIds) {
      const answer = await call(mine, { path: pathOf(endpoint, { ...ids, [name]: 'not-an-id' }) })
      expect([codeOf(answer), issuesOf(answer)], name).toEqual(['400 VALIDATION_ERROR', [name]])
    }
  })

  test('names an unknown parameter', async () => {
    const answer = await changingNothing(() => call(mine, { query: { zork: '1' } }))
    expect([codeOf(answer), issuesOf(answer)]).toEqual(['400 VALIDATION_ERROR', ['zork']])
  })

  describe.skipIf(!bodySchema)('checks the body:', () => {
    test('names an unknown field', async () => {
      const answer = await changingNothing(() => call(mine, { body: { ...bodyOf(operation, ids), zork: 1 } }))
      expect([codeOf(answer), issuesOf(answer)]).toEqual(['400 VALIDATION_ERROR', ['zork']])
    })

    test('refuses what is no JSON, or not declared as JSON, or too large', async () => {
      const json = { 'content-type': 'application/json' }
      await changingNothing(async () => {
        expect(codeOf(await raw('{"a":', json))).toBe('400 INVALID_JSON')
        for (const body of ['[]', '"text"', '1', 'null']) expect(codeOf(await raw(body, json)), body).toBe('400 VALIDATION_ERROR')
        expect(codeOf(await raw('{}', { 'content-type': 'text/plain' }))).toBe('415 UNSUPPORTED_MEDIA_TYPE')
        expect(codeOf(await raw(`{"a":"${'a'.repeat(1_000_000)}"}`, json))).toBe('413 PAYLOAD_TOO_LARGE')
      })
    })
  })
})

/** Not found, not valid, or nothing of it done and nothing of theirs told. */
function refuses({ status, body }: Answer, writes: boolean): boolean {
  if (status === 404 || status === 400) return true
  if (writes) return status === 200 && body.data?.results?.length === 0 && body.data.errors.length > 0
  const told = JSON.stringify(body)
  return status === 200 && !Object.values(theirs).some((id) => told.includes(id))
}

const paths = [...new Set(operations.map(({ endpoint }) => endpoint.path))]

test.each(paths)('%s has no other methods', async (path) => {
  const served = operations
    .filter(({ endpoint }) => new RegExp(`^${endpoint.path.replace(/:\w+/g, '[^/]+')}$`).test(path))
    .map(({ endpoint }) => endpoint.method)
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !served.includes(method as 'GET'))) {
    const answer = await mine.call(
      method,
      path.replace(/:\w+/g, () => randomUUID()),
    )
    expect([codeOf(answer), answer.headers.get('allow')?.split(', ').sort()], method).toEqual([
      '405 METHOD_NOT_ALLOWED',
      [...new Set(served)].sort(),
    ])
  }
})

test('a key may come as X-API-Key', async () => {
  const { status } = await app.fetch('/v1/contacts', { headers: { 'x-api-key': mine.apiKey } })
  expect(status).toBe(200)
})
