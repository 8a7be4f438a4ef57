import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { crc32 } from '../../src/lib/crc.ts'
import { newKey } from '../../src/lib/keys.ts'
import { type Harness, start } from '../harness.ts'

let app: Harness
beforeAll(async () => {
  app = await start({ rateLimit: true })
})
afterAll(() => app.close())

test('a key has 100 requests in 10 seconds; the next gets Retry-After, and other keys are not affected', async () => {
  const ws = await app.workspace()
  const other = await ws.key()
  const answers = await Promise.all(Array.from({ length: 140 }, () => ws.get('/me')))
  const refused = answers.filter(({ status }) => status === 429)
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(100)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused[0]!.body.error.code).toBe('RATE_LIMITED')
  expect(refused[0]!.headers.get('retry-after')).toBe('10')
  expect(refused[0]!.headers.get('ratelimit-policy')).toBe('"default";q=100;w=10')
  expect((await other.get('/me')).status).toBe(200)
  await app.drain()
  const entry = await other.get(`/requests/${refused[0]!.headers.get('x-request-id')}`)
  expect(entry.body.data).toMatchObject({ status: 429, outcome: 'refused', error_code: 'RATE_LIMITED', key_id: ws.keyId })
})

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A well-formed key with another's public id, which is no secret. */
function forged(publicId: string): string {
  const secret = Array.from(randomBytes(43), (byte) => ALPHABET.charAt(byte % 62)).join('')
  const body = `wck_${publicId}_${secret}`
  let [rest, checksum] = [crc32(body), '']
  for (let place = 0; place < 6; place++) [checksum, rest] = [ALPHABET.charAt(rest % 62) + checksum, Math.floor(rest / 62)]
  return body + checksum
}

const callFrom = (address: string, key: string) =>
  app.fetch('/v1/me', { headers: { authorization: `Bearer ${key}`, 'cf-connecting-ip': address } })

test("forged keys with the public id of a real one are stopped by their address, and do not use up the real key's requests", async () => {
  const ws = await app.workspace()
  const publicId = ws.apiKey.slice(4, 12)
  const guess = (n: number) => Promise.all(Array.from({ length: n }, () => callFrom('203.0.113.7', forged(publicId))))
  const first = await guess(10)
  expect(first.map(({ status }) => status)).toEqual(first.map(() => 401))
  await guess(100)
  const trips = app.proxy.trips
  const [last] = await guess(1)
  expect(last!.status).toBe(429)
  expect(last!.headers.get('ratelimit-policy')).toBe('"address";q=20;w=10')
  expect(app.proxy.trips).toBe(trips)
  expect((await callFrom('203.0.113.8', ws.apiKey)).status).toBe(200)
  // Once this isolate has seen that the key is valid, its address no longer matters.
  expect((await callFrom('203.0.113.7', ws.apiKey)).status).toBe(200)
})

test('a key that was refused is refused for a minute without the database', async () => {
  const { key } = newKey()
  expect((await callFrom('203.0.113.9', key)).status).toBe(401)
  await app.drain()
  const trips = app.proxy.trips
  expect((await callFrom('203.0.113.9', key)).status).toBe(401)
  expect(app.proxy.trips).toBe(trips)
})

test('callers without any key are limited by their address, too', async () => {
  const accept = () =>
    app.fetch('/v1/invitations/accept', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'cf-connecting-ip': '203.0.113.10' },
      body: JSON.stringify({ token: 'f'.repeat(64) }),
    })
  const statuses = (await Promise.all(Array.from({ length: 50 }, accept))).map(({ status }) => status)
  expect(statuses.filter((status) => status === 404).length).toBeGreaterThanOrEqual(20)
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0)
})

test('a key sends 20 invitations in 10 seconds; other requests of the key go on', async () => {
  const ws = await app.workspace()
  const invite = (_: unknown, n: number) => ws.post('/company/users/invite', { email: `sent-${n}@example.com` })
  const answers = await Promise.all(Array.from({ length: 50 }, invite))
  const refused = answers.filter(({ status }) => status === 429)
  expect(answers.filter(({ status }) => status === 201 || status === 200).length).toBeGreaterThanOrEqual(20)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused[0]!.body.error).toMatchObject({ code: 'RATE_LIMITED', details: { limit: 'sends' } })
  expect(refused[0]!.headers.get('ratelimit-policy')).toBe('"sends";q=20;w=10')
  expect((await ws.get('/me')).status).toBe(200)
})
