import { afterAll, beforeAll, expect, test } from 'vitest'
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
