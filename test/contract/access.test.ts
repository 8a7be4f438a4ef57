import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isWrite } from '../../src/http/endpoint.ts'
import { newKey } from '../../src/lib/keys.ts'
import { settled } from '../database.ts'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'
import { bodyOf, type Ids, idAt, idFor, idsFor, isId, operations, type Place, pathOf, placesOfIds, probed, setAt } from './samples.ts'
import { seed } from './seed.ts'
import { type Change, send, sendSample } from './send.ts'
import { stateOf } from './state.ts'

/** Declares a test if it applies to the endpoint. */
const testUnless = (pointless: unknown) => (name: string, run: () => Promise<void>) => {
  if (!pointless) cases += 1
  if (!pointless) test(name, run)
}
let cases = 0
/** A lower bound for the number of cases, so that a list that is empty by mistake fails. */
const MIN_CASES = 1700

let app: Harness
let mine: TestWorkspace
let ids: Ids
let theirs: Ids
/** Invalid keys, by their fault. */
const badKeys: Record<string, string> = { 'no key': '', 'a malformed key': 'wck_short', 'an unknown key': newKey().key }
/** Keys, by the only scope that the key lacks and by the only scope that its owner's role lacks. */
const lacking = new Map<string, TestWorkspace>()
const lackingInRole = new Map<string, TestWorkspace>()
let readOnly: TestWorkspace
let viewer: TestWorkspace
let editor: TestWorkspace
/** The state that no call may change. */
let before: Record<string, string>

const scopes = [...new Set(operations.flatMap(({ endpoint }) => endpoint.access.scopes))]

beforeAll(async () => {
  app = await start({ own: true })
  const other = await app.workspace()
  mine = await app.workspace()
  ids = await seed(app, mine)
  theirs = { ...(await seed(app, other)), user_id: other.userId }
  for (const scope of scopes) {
    const others = scopes.filter((one) => one !== scope)
    lacking.set(scope, await mine.key({ scopes: others }))
    lackingInRole.set(
      scope,
      await mine.key({ role: (await mine.post('/roles', { name: `All but ${scope}`, scopes: others })).body.data.key }),
    )
  }
  readOnly = await mine.key({ level: 'read_only' })
  viewer = await mine.key({ role: 'client_viewer' })
  editor = await mine.key({ role: 'client_editor' })
  await spoil('a revoked key', 'update api_keys set revoked_at = now() where user_id = $1')
  await spoil('an expired key', "update api_keys set expires_at = now() - interval '1 second' where user_id = $1")
  await spoil('the key of a former member', "update memberships set status = 'removed' where user_id = $1")
  badKeys['a mistyped key'] = mine.apiKey.slice(0, -1) + (mine.apiKey.endsWith('0') ? '1' : '0')
  before = await restingState()
})

/**
 * The state when the events of these keys and members, and those that their delivery leads to, have been delivered, so that they do not
 * affect a later test. They are read when older transactions of the server have ended.
 */
async function restingState(): Promise<typeof before> {
  let [last, state] = [{} as typeof before, await stateOf(app.owner)]
  for (let ticks = 0; ticks < 10 && !isDeepStrictEqual(last, state); ticks++) {
    last = state
    await app.drain()
    await settled(app.owner)
    await app.cron('* * * * *')
    await app.drain()
    state = await stateOf(app.owner)
  }
  return state
}
afterAll(async () => {
  expect(await stateOf(app.owner), 'an operation changed something that it may not: a proof names it').toEqual(before)
  await app.close()
})

async function spoil(name: string, sql: string): Promise<void> {
  const key = await mine.key()
  await app.owner.query(sql, [key.userId])
  badKeys[name] = key.apiKey
}

const codeOf = ({ status, body }: ApiResponse) => `${status} ${body.error?.code}`
const issuesOf = ({ body }: ApiResponse) => body.error?.details?.issues?.map(({ path }: { path: string }) => path)
const summaryOf = ({ status, body }: ApiResponse) => `${status} ${JSON.stringify(body)}`

describe.each(probed)('$name', (operation) => {
  const { endpoint, params, query, body: bodySchema } = operation
  const writes = isWrite(endpoint)
  const sample = () => bodyOf(operation, idsFor(operation, ids))
  const pathWith = (other: Ids) => pathOf(endpoint, { ...idsFor(operation, ids), ...other })
  const call = (as: { apiKey: string } = mine, change: Change = {}) => sendSample(app, as, operation, ids, change)

  // All following calls are refused or dry runs, so no row of any table may change in any workspace. A proof names the operation that
  // changed one.
  if (proving) afterAll(async () => expect(await stateOf(app.owner), `${operation.name} changed something that it may not`).toEqual(before))

  // In each run, the counts of round trips (trips.test.ts) include the answers to the same samples.
  testUnless(!proving || endpoint.access.public || endpoint.access.direct)('accepts its sample, as a dry run if it writes', async () => {
    const answer = await call(mine, writes ? { query: { dry_run: 'true' } } : {})
    expect(answer.status, `${summaryOf(answer)} for ${JSON.stringify(sample())}`).toBe(200)
  })

  testUnless(endpoint.access.public)('requires a valid key', async () => {
    // A key that no isolate has refused yet, so that the database decides.
    expect(codeOf(await call({ apiKey: newKey().key }))).toBe('401 UNAUTHENTICATED')
    const faults = Object.entries(badKeys)
    const some = proving ? faults : [faults[probed.indexOf(operation) % faults.length] as (typeof faults)[number]]
    for (const [name, apiKey] of some) expect(codeOf(await call({ apiKey })), name).toBe('401 UNAUTHENTICATED')
  })

  testUnless(endpoint.access.public || endpoint.access.scopes.length === 0)('requires each of its scopes', async () => {
    for (const scope of endpoint.access.scopes) {
      const answer = await call(lacking.get(scope))
      expect(codeOf(answer), scope).toBe('403 INSUFFICIENT_SCOPE')
      expect(answer.body.error.details).toEqual({ required_scopes: endpoint.access.scopes, missing_scopes: [scope] })
    }
  })

  testUnless(endpoint.access.public || endpoint.access.scopes.length === 0)('requires each of its scopes of the role', async () => {
    for (const scope of endpoint.access.scopes) {
      const answer = await call(lackingInRole.get(scope))
      expect(codeOf(answer), scope).toBe('403 FORBIDDEN')
      expect(answer.body.error.details.missing_scopes).toEqual([scope])
    }
  })

  testUnless(endpoint.access.public || !writes)('is closed to read_only keys and to viewers', async () => {
    expect(codeOf(await call(readOnly))).toBe('403 FORBIDDEN')
    expect(codeOf(await call(viewer))).toBe('403 FORBIDDEN')
  })

  testUnless(!endpoint.access.admin)('is closed to editors', async () => {
    expect(codeOf(await call(editor))).toBe('403 FORBIDDEN')
  })

  const pathIds = Object.keys(params.properties).filter((name) => isId(params.properties[name]))
  const queryIds = Object.keys(query.properties).filter((name) => isId(query.properties[name]))
  const bodyIds = bodySchema ? placesOfIds(bodySchema) : []
  const foreign = (name: string) => idFor(name, theirs) ?? randomUUID()
  const withForeign = (place: Place) => {
    const body = sample()
    setAt(body, place, idAt(endpoint, place, theirs) ?? randomUUID())
    return body
  }

  testUnless(endpoint.access.public || pathIds.length + queryIds.length + bodyIds.length === 0)(
    'knows no record of another workspace',
    async () => {
      const inPath = pathIds.length > 1 ? [pathIds, ...pathIds.map((name) => [name])] : [pathIds]
      const changes: Change[] = [
        ...inPath
          .filter((names) => names.length > 0)
          .map((names) => ({ path: pathWith(Object.fromEntries(names.map((name) => [name, foreign(name)]))) })),
        ...queryIds.map((name) => ({ query: { [name]: foreign(name) } })),
        ...bodyIds.map((place) => ({ body: withForeign(place) })),
      ]
      for (const change of changes) {
        const answer = await call(mine, change)
        expect(refuses(answer, writes, change.path !== undefined), `${summaryOf(answer)} for ${JSON.stringify(change)}`).toBe(true)
      }
    },
  )

  const isSpoken = endpoint.returns.as === 'text' && endpoint.returns.failures === 200
  testUnless(isSpoken || writes || endpoint.access.public || pathIds.length === 0)(
    'finds nothing of or below a record that is not of the workspace',
    async () => {
      for (const id of [randomUUID(), ...pathIds.slice(0, 1).map(foreign)]) {
        const answer = await call(mine, { path: pathWith({ [pathIds[0] as string]: id }) })
        expect(answer.status, summaryOf(answer)).toBe(404)
      }
    },
  )

  testUnless(!isSpoken)('says in a text of status 200 what is wrong with the request', async () => {
    const changes = [{ query: { zork: '1' } }, { body: [] }, ...pathIds.map((name) => ({ path: pathWith({ [name]: 'not-an-id' }) }))]
    for (const change of changes) {
      const { status, body } = await call(mine, change)
      expect([status, String(body)], JSON.stringify(change)).toEqual([200, expect.stringMatching(FAILURE)])
    }
    const broken = {
      method: endpoint.method,
      body: '{"a":',
      headers: { authorization: `Bearer ${mine.apiKey}`, 'content-type': 'application/json' },
    }
    expect(await (await app.fetch(`/v1${pathWith({})}`, broken)).text()).toMatch(FAILURE)
  })

  testUnless(isSpoken || pathIds.length === 0)('names a malformed id', async () => {
    for (const name of pathIds) {
      const answer = await call(mine, { path: pathWith({ [name]: 'not-an-id' }) })
      expect([codeOf(answer), issuesOf(answer)], summaryOf(answer)).toEqual(['400 VALIDATION_ERROR', [name]])
    }
  })

  testUnless(isSpoken)('names an unknown parameter', async () => {
    const answer = await call(mine, { query: { zork: '1' } })
    expect([codeOf(answer), issuesOf(answer)], summaryOf(answer)).toEqual(['400 VALIDATION_ERROR', ['zork']])
  })

  testUnless(isSpoken || !bodySchema)('names an unknown field', async () => {
    const answer = await call(mine, { body: { ...sample(), zork: 1 } })
    expect([codeOf(answer), issuesOf(answer)], summaryOf(answer)).toEqual(['400 VALIDATION_ERROR', ['zork']])
  })

  // Every endpoint reads its body in the same way.
  const isRead = proving || probed.indexOf(operation) % 4 === 0
  testUnless(isSpoken || !bodySchema || !isRead)('refuses a body that is no JSON object, not declared as JSON, or too large', async () => {
    const json = { 'content-type': 'application/json' }
    const raw = (body: string, headers: Record<string, string> = json) =>
      send(app, pathWith({}), { method: endpoint.method, body, headers: { authorization: `Bearer ${mine.apiKey}`, ...headers } })
    expect(codeOf(await raw('{"a":'))).toBe('400 INVALID_JSON')
    for (const body of ['"text"', '1', 'null', ...(bodySchema?.type === 'object' ? ['[]'] : [])])
      expect(codeOf(await raw(body)), body).toBe('400 VALIDATION_ERROR')
    expect(codeOf(await raw('{}', { 'content-type': 'text/plain' }))).toBe('415 UNSUPPORTED_MEDIA_TYPE')
    expect(codeOf(await raw(`{"a":"${'a'.repeat(endpoint.limits?.body ?? 1_000_000)}"}`))).toBe('413 PAYLOAD_TOO_LARGE')
    // The runtime closes a connection whose body it left unread, perhaps under the next request.
    await app.fetch('/healthz').catch(() => {})
  })
})

test('a deprecated path needs what the current one needs', () => {
  for (const { name, endpoint } of operations.filter(({ endpoint }) => endpoint.successor)) {
    const current = operations.find(({ endpoint: { method, path } }) => method === endpoint.method && path === endpoint.successor)
    expect(endpoint.access, name).toEqual(current?.endpoint.access)
  }
})

/** How a text for a voice agent begins that is about a failure. */
const FAILURE = /^[A-Z -]+(FAILED|BOOKED)[A-Z -]*:/

/** Accepted: not found, an invalid query or body, or a success without any effect on or data of the other workspace. */
function refuses({ status, body }: ApiResponse, writes: boolean, inPath: boolean): boolean {
  if (status === 404 || (status === 400 && !inPath)) return true
  if (typeof body === 'string' && FAILURE.test(body)) return true
  if (writes) return status === 200 && body.data?.results?.length === 0 && body.data.errors.length > 0
  const text = JSON.stringify(body)
  const uuids = Object.values(theirs).filter((id) => id.length === 36)
  return status === 200 && !uuids.some((id) => text.includes(id))
}

// Those outside /v1 have tests of their own.
const paths = [...new Set(operations.filter(({ endpoint }) => endpoint.base !== '').map(({ endpoint }) => endpoint.path))]
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

test.each(paths)('%s has no other methods', async (path) => {
  const here = operations.filter(({ endpoint }) => new RegExp(`^${endpoint.path.replace(/:\w+/g, '[^/]+')}$`).test(path))
  const served = METHODS.filter((method) => here.some(({ endpoint }) => endpoint.method === method))
  for (const method of METHODS.filter((method) => !served.includes(method))) {
    const answer = await mine.call(
      method,
      path.replace(/:\w+/g, () => randomUUID()),
    )
    expect([codeOf(answer), answer.headers.get('allow')?.split(', ').sort()], method).toEqual(['405 METHOD_NOT_ALLOWED', served.toSorted()])
  }
})

test('a key can be sent as X-API-Key', async () => {
  const { status } = await app.fetch('/v1/contacts', { headers: { 'x-api-key': mine.apiKey } })
  expect(status).toBe(200)
})

test('every operation has its cases', () => expect(cases).toBeGreaterThan(MIN_CASES))
