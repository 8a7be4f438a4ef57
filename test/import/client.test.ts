import { describe, expect, test } from 'vitest'
import { Client, type ClientOptions, type Fetch, Refused } from '../../dev/import/client.ts'

type Reply = { status: number; body?: unknown; headers?: Record<string, string> } | Error
type Seen = { url: string; method: string; key: string | undefined; body: unknown }

const ok = (data: unknown = {}): Reply => ({ status: 200, body: { data } })
const failed = (status: number, code: string, more: object = {}, headers = {}): Reply => ({
  status,
  body: { error: { code, message: `It is ${code}`, request_id: 'r1', ...more } },
  headers,
})
const lost = (code = 'ECONNRESET') => Object.assign(new TypeError('fetch failed'), { cause: { code } })

/** A client whose requests are answered by these replies, one after the other, and whose clock is a list of pauses. */
function scripted(replies: Reply[], options: Partial<ClientOptions> = {}) {
  const seen: Seen[] = []
  const pauses: number[] = []
  const fetch: Fetch = async (url, { method, headers, body }) => {
    seen.push({ url, method, key: headers['idempotency-key'], body: body && JSON.parse(body) })
    const reply = replies.shift() ?? ok()
    if (reply instanceof Error) throw reply
    const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)
    return { status: reply.status, headers: new Headers(reply.headers), text: async () => text }
  }
  const pause = async (milliseconds: number) => void pauses.push(milliseconds)
  const client = new Client({ base: 'http://api.test', key: 'k', fetch, pause, ...options })
  return { client, seen, pauses }
}

test.each(['http://api.test', 'http://api.test/', 'http://api.test/v1', 'http://api.test/v1/'])('the base may be %s', async (base) => {
  const { client, seen } = scripted([ok(7)], { base })
  expect(await client.send('GET', '/me')).toBe(7)
  expect(seen).toEqual([{ url: 'http://api.test/v1/me', method: 'GET', key: undefined, body: undefined }])
})

test('a list is read page by page', async () => {
  const page = (data: number[], next: string | null) => ({ status: 200, body: { data, page: { limit: 100, next } } })
  const { client, seen } = scripted([page([1, 2], 'a+b'), page([3], null)])
  expect(await client.list('/things', { archived: 'all' })).toEqual([1, 2, 3])
  expect(seen.map(({ url }) => url.split('?')[1])).toEqual(['archived=all&limit=100', 'archived=all&limit=100&after=a%2Bb'])
})

test('after a 429 the client waits as long as the API says', async () => {
  const waits: unknown[] = []
  const slow = failed(429, 'RATE_LIMITED', {}, { 'retry-after': '10' })
  const { client, seen, pauses } = scripted([slow, slow, ok('done')], { onWait: (...wait) => waits.push(wait) })
  expect(await client.send('POST', '/things', {})).toBe('done')
  expect(pauses).toEqual([10_000, 10_000])
  expect(client.waited).toBe(20_000)
  expect(waits).toHaveLength(2)
  expect(new Set(seen.map(({ key }) => key)).size).toBe(1)
})

test('while one waits, so do all', async () => {
  const released = Promise.withResolvers<void>()
  const { client, seen } = scripted([failed(429, 'RATE_LIMITED', {}, { 'retry-after': '1' })], { pause: () => released.promise })
  const first = client.send('GET', '/a')
  await new Promise((go) => setTimeout(go, 5))
  const second = client.send('GET', '/b')
  await new Promise((go) => setTimeout(go, 5))
  expect(seen.map(({ url }) => url)).toEqual(['http://api.test/v1/a'])
  released.resolve()
  await Promise.all([first, second])
  expect(seen).toHaveLength(3)
})

test.each([
  ['the database is unavailable', failed(503, 'UNAVAILABLE', {}, { 'retry-after': '2' }), 2000],
  ['a provider failed', failed(502, 'PROVIDER_ERROR'), 500],
  ['something in between gave up', { status: 504, body: '<html>' }, 500],
  ['the connection broke', lost(), 500],
  ['nothing came in time', Object.assign(new Error('late'), { name: 'TimeoutError' }), 500],
  ['its twin is under way', failed(409, 'IDEMPOTENCY_IN_PROGRESS', {}, { 'retry-after': '1' }), 1000],
])('a write is sent again with the same key when %s', async (_, reply, wait) => {
  const { client, seen, pauses } = scripted([ok(), reply, ok('done')])
  await client.send('GET', '/me')
  expect(await client.send('POST', '/things', { a: 1 })).toBe('done')
  expect(pauses).toEqual([wait])
  const [, first, second] = seen
  expect(second).toEqual(first)
  expect(first!.key).toMatch(/^[\w-]{36}$/)
})

test('two writes have two keys', async () => {
  const { client, seen } = scripted([])
  await client.send('POST', '/things', {})
  await client.send('POST', '/things', {})
  expect(seen[0]!.key).not.toBe(seen[1]!.key)
})

describe('an error that stops the import says what to do', () => {
  test.each([
    ['no such address', [lost('ENOTFOUND')], /Nothing answers at http:\/\/api\.test \(ENOTFOUND\).*--base/],
    ['the key', [failed(401, 'UNAUTHENTICATED')], /refused the key: It is UNAUTHENTICATED.*--key/],
    [
      'a scope',
      [failed(403, 'INSUFFICIENT_SCOPE', { details: { required_scopes: ['things:write'] } })],
      /may not do this \(POST \/things\).*things:write/,
    ],
    ['approvals', [{ status: 202, body: { approval_id: 'a1', status: 'pending' } }], /held for approval \(a1/],
    ['another program', [{ status: 200, body: '<html>' }], /answered POST \/things with 200 and is not this API/],
    ['another path', [{ status: 404, body: 'Not found' }], /with 404 and is not this API/],
    ['a bug of the API', [failed(500, 'INTERNAL')], /500 INTERNAL: It is INTERNAL \(request r1\)/],
  ] as [string, Reply[], RegExp][])('%s', async (_, replies, message) => {
    const { client } = scripted(replies)
    await expect(client.send('POST', '/things', {})).rejects.toThrow(message)
  })

  test('an outage that does not end', async () => {
    const { client, seen, pauses } = scripted([ok(), ...Array.from({ length: 9 }, () => lost())])
    await client.send('GET', '/me')
    await expect(client.send('POST', '/things', {})).rejects.toThrow(/stopped answering \(ECONNRESET\)/)
    expect([seen.length, pauses.length]).toEqual([7, 5])
  })
})

test('a refusal contains the reason', async () => {
  const issues = [
    { path: 'name', message: 'must not be empty' },
    { path: 'price', message: 'must be a number' },
  ]
  const { client } = scripted([failed(400, 'VALIDATION_ERROR', { details: { issues } }), failed(409, 'CONFLICT')])
  const refusal = client.send('POST', '/things', {})
  await expect(refusal).rejects.toThrow('The API refused POST /things: name must not be empty; price must be a number')
  await expect(refusal).rejects.toBeInstanceOf(Refused)
  await expect(client.send('POST', '/things', {})).rejects.toThrow('The API refused POST /things: It is CONFLICT')
})

test('once stopped, nothing more is sent', async () => {
  const stopping = new AbortController()
  const { client, seen } = scripted([], { stopping: stopping.signal })
  stopping.abort(new Error('Stopped'))
  await expect(client.send('GET', '/me')).rejects.toThrow('Stopped')
  expect(seen).toEqual([])
})
