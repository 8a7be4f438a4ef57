import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'

let app: Harness
beforeAll(async () => {
  app = await start({ docs: true })
})
afterAll(() => app.close())

const PATHS: [string, number][] = [
  ['/', 200],
  ['/healthz', 200],
  ['/v1/me', 401],
  ['/v1/nothing', 404],
  ['/v1/openapi.json', 200],
  ['/v1/openapi.legacy.json', 200],
  ['/docs/', 200],
  ['/docs/docs.css', 200],
  ['/docs/nothing', 404],
  ['/files/nothing', 403],
  ['/nothing', 404],
]

test.each(PATHS)('%s has the headers of every response', async (path, status) => {
  const response = await app.fetch(path)
  expect(response.status).toBe(status)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'strict-transport-security': 'max-age=31536000',
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
})

test.each(PATHS.filter(([path]) => path.startsWith('/v1')))('%s names the limits of its caller', async (path) => {
  const bearer = { authorization: 'Bearer wck_wrong' }
  for (const init of [{}, { method: 'OPTIONS' }, { method: 'POST', headers: bearer }, { headers: bearer }])
    expect((await app.fetch(path, init)).headers.get('ratelimit-policy')).toMatch(/^"(address|default)";q=\d+;w=10/)
})

test('a browser that is sent to the documentation gets them too, and an unchanged page is not sent again', async () => {
  const { status, headers } = await app.fetch('/', { headers: { accept: 'text/html' }, redirect: 'manual' })
  expect([status, headers.get('location'), headers.get('x-content-type-options')]).toEqual([302, '/docs/', 'nosniff'])
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  const page = await app.fetch('/docs/')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  const again = await app.fetch('/docs/', { headers: { 'if-none-match': page.headers.get('etag')! } })
  expect(again.status).toBe(304)
})

test('a 401 names the way to authenticate', async () => {
  const refused = await app.fetch('/v1/contacts', { headers: { authorization: 'Bearer wck_wrong' } })
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="Workspace CRM"'])
  const ws = await app.workspace()
  expect((await ws.get('/contacts')).headers.get('www-authenticate')).toBeNull()
})

test('a check of health asks the database at most once in five seconds, and a failure is not remembered', async () => {
  await app.restart()
  app.proxy.outage = 'refuse'
  expect((await app.fetch('/healthz')).status).toBe(503)
  app.proxy.outage = 'none'
  const trips = app.proxy.trips
  for (let check = 0; check < 5; check++) expect((await app.fetch('/healthz')).status).toBe(200)
  expect(app.proxy.trips).toBe(trips + 1)
})
