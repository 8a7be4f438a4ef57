import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import { failed, found, refused } from '../routes/crm.ts'
import type { TestWorkspace } from '../workspace.ts'

let app: Harness
let ws: TestWorkspace
beforeAll(async () => {
  app = await start()
})
afterAll(() => app.close())
beforeEach(async () => {
  ws = await app.workspace()
})

const PAGE = 'https://app.example.com'
const from = (origin: string) => ({ origin })
const allowed = ({ headers }: { headers: { get(name: string): string | null } }) => headers.get('access-control-allow-origin')

test('a page of another host is refused, until the workspace allows its origin', async () => {
  const refusal = await ws.post('/contacts', { first_name: 'Ana' }, from(PAGE))
  expect(refusal).toMatchObject({ ...failed(403, 'FORBIDDEN'), body: { error: { details: { origin: PAGE } } } })
  expect(allowed(refusal)).toBeNull()
  expect((await ws.get('/contacts')).body.data).toEqual([])

  found(await ws.patch('/company', { allowed_origins: [PAGE, 'http://localhost:5173'] }))
  const answer = await ws.post('/contacts', { first_name: 'Ana' }, from(PAGE))
  expect([answer.status, allowed(answer), answer.headers.get('vary')]).toEqual([201, PAGE, 'Origin'])
  expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  for (const name of ['X-Request-Id', 'ETag', 'RateLimit', 'RateLimit-Policy'])
    expect(answer.headers.get('access-control-expose-headers')?.split(', ')).toContain(name)
  for (const other of ['https://app.example.com.evil.test', 'http://app.example.com', 'null'])
    expect(allowed(await ws.get('/contacts', from(other))), other).toBeNull()
})

test('a page that is allowed can read errors too', async () => {
  found(await ws.patch('/company', { allowed_origins: [PAGE] }))
  const answers = [
    await ws.post('/contacts', { firstname: 'Ana' }, from(PAGE)),
    await ws.get('/contacts/nobody', from(PAGE)),
    await ws.get('/nowhere', from(PAGE)),
  ]
  expect(answers.slice(0, 2).map((answer) => [answer.status, allowed(answer)])).toEqual([
    [400, PAGE],
    [400, PAGE],
  ])
})

test('an origin counts for its own workspace only', async () => {
  found(await ws.patch('/company', { allowed_origins: [PAGE] }))
  const other = await app.workspace()
  expect(await other.get('/contacts', from(PAGE))).toMatchObject(failed(403, 'FORBIDDEN'))
})

test('a preflight request needs no key; programs and pages of the API itself need no permission', async () => {
  const preflight = await app.fetch('/v1/contacts/some-id', {
    method: 'OPTIONS',
    headers: { origin: PAGE, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'authorization' },
  })
  expect([preflight.status, allowed(preflight)]).toEqual([204, '*'])
  expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH')
  expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization')
  const own = await ws.get('/contacts', from('http://api.test'))
  expect([own.status, allowed(own)]).toEqual([200, null])
  expect(allowed(await app.fetch('/v1/openapi.json'))).toBe('*')
})

test('origins are complete, safe, and at most twenty', async () => {
  const origins = ['https://APP.example.com/', 'https://app.example.com', 'http://127.0.0.1:3000']
  expect(found(await ws.patch('/company', { allowed_origins: origins })).allowed_origins).toEqual([PAGE, 'http://127.0.0.1:3000'])
  const wrong = [
    'http://example.com',
    'https://example.com/path',
    'https://*.example.com',
    '*',
    'null',
    'example.com',
    'https://a@b.co',
    '',
  ]
  for (const origin of wrong)
    expect(await ws.patch('/company', { allowed_origins: [origin] }), origin).toMatchObject(refused('allowed_origins.0'))
  const many = Array.from({ length: 21 }, (_, n) => `https://a${n}.example.com`)
  expect(await ws.patch('/company', { allowed_origins: many })).toMatchObject(refused('allowed_origins'))
})

test('every answer names the limits of its caller', async () => {
  const key = '"default";q=100;w=10, "workspace";q=1000;w=10'
  for (const answer of [await ws.get('/contacts'), await ws.get('/contacts/nobody'), await ws.post('/contacts', {})])
    expect(answer.headers.get('ratelimit-policy')).toBe(key)
  const preflight = await app.fetch('/v1/contacts', { method: 'OPTIONS' })
  expect([preflight.status, preflight.headers.get('ratelimit-policy')]).toEqual([204, key])
  const answers = [await app.fetch('/v1/contacts'), await app.fetch('/v1/nowhere'), await app.fetch('/v1/contacts', { method: 'PUT' })]
  expect(answers.map(({ status }) => status)).toEqual([401, 404, 405])
  for (const { headers } of answers) expect(headers.get('ratelimit-policy')).toBe('"address";q=20;w=10')
})
