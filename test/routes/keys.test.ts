import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashKey, newKey } from '../../src/lib/keys.ts'
import { type Harness, start } from '../harness.ts'
import { sendAs } from './raw-keys.ts'

let app: Harness
beforeAll(async () => {
  app = await start({ own: true })
})
afterAll(() => app.close())

const as = sendAs(() => app)

test('GET /me returns the workspace, the user and the permissions of a key', async () => {
  const ws = await app.workspace()
  const { status, body } = await ws.get('/me')
  expect(status).toBe(200)
  expect(body.data).toMatchObject({
    workspace: { id: ws.id, timezone: 'Australia/Sydney' },
    user: { id: ws.userId, role: 'client_admin' },
    key: { id: ws.keyId, scopes: ['*:*'], level: 'execute' },
  })
})

test('a new key works at once, can only do what its scopes allow, and is shown once', async () => {
  const ws = await app.workspace()
  const made = await ws.post('/api-keys', { name: 'Form', scopes: ['contacts:write', 'contacts:write'] })
  expect(made.status).toBe(201)
  expect(made.body.data).toMatchObject({
    name: 'Form',
    scopes: ['contacts:write'],
    level: 'execute',
    expires_at: null,
    revoked_at: null,
    user_id: ws.userId,
  })
  const { key, public_id, id } = made.body.data
  expect(key).toMatch(new RegExp(`^wck_${public_id}_[0-9A-Za-z]{49}$`))
  expect((await as(key, '/contacts', { method: 'POST', body: '{"first_name":"Ana"}' })).status).toBe(201)
  const refused = await as(key, '/contacts')
  expect(refused.status).toBe(403)
  expect(await refused.json()).toMatchObject({ error: { code: 'INSUFFICIENT_SCOPE', details: { required_scopes: ['contacts:read'] } } })
  expect((await ws.get(`/api-keys/${id}`)).body.data).not.toHaveProperty('key')
  expect(JSON.stringify((await ws.get('/api-keys')).body)).not.toContain(key)
  expect(JSON.stringify((await app.owner.query('select * from api_keys, changes')).rows)).not.toContain(key)
})

test('a key can be sent as X-API-Key', async () => {
  const ws = await app.workspace()
  expect((await app.fetch('/v1/me', { headers: { 'x-api-key': ws.apiKey } })).status).toBe(200)
})

test('a mistyped key is refused without a question to the database', async () => {
  const ws = await app.workspace()
  await app.drain()
  const before = app.proxy.trips
  const mistyped = ws.apiKey.slice(0, -1) + (ws.apiKey.endsWith('a') ? 'b' : 'a')
  for (const key of [mistyped, 'nonsense', '', `${ws.apiKey}x`]) {
    const answer = await as(key, '/me')
    expect(answer.status).toBe(401)
    expect(await answer.json()).toMatchObject({
      error: { code: 'UNAUTHENTICATED', message: expect.stringContaining('Authorization: Bearer wck_…') },
    })
  }
  expect(app.proxy.trips).toBe(before)
  expect((await as(newKey().key, '/me')).status).toBe(401)
})

test('revoked, expired, and replaced keys are dead on the next request', async () => {
  const ws = await app.workspace()
  const make = async () => (await ws.post('/api-keys', { name: 'k', scopes: ['contacts:read'] })).body.data
  const [revoked, expired, rotated] = [await make(), await make(), await make()]
  expect((await ws.post(`/api-keys/${revoked.id}/revoke`)).body.data.revoked_at).toMatch(/Z$/)
  await ws.patch(`/api-keys/${expired.id}`, { expires_at: '2020-01-01T00:00:00Z' })
  const fresh = (await ws.post(`/api-keys/${rotated.id}/rotate`)).body.data
  for (const { key } of [revoked, expired, rotated]) expect((await as(key, '/contacts')).status).toBe(401)
  expect(fresh.id).toBe(rotated.id)
  expect((await as(fresh.key, '/contacts')).status).toBe(200)
  expect(await ws.post(`/api-keys/${revoked.id}/rotate`)).toMatchObject({
    status: 409,
    body: { error: { code: 'INVALID_STATE', details: { state: 'revoked' } } },
  })
  expect((await ws.patch(`/api-keys/${revoked.id}`, { name: 'x' })).status).toBe(409)
  expect((await ws.post(`/api-keys/${revoked.id}/revoke`)).status).toBe(200)
})

test.each([
  [['contacts:*'], '/contacts', 200],
  [['*:read'], '/contacts', 200],
  [['*:*'], '/contacts', 200],
  [['*:write'], '/contacts', 403],
  [['companies:*'], '/contacts', 403],
  [['contacts:read', 'opportunities:read'], '/contacts/01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d/deals', 404],
  [['contacts:read'], '/contacts/01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d/deals', 403],
])('a key with %j asking for %s gets %i', async (scopes, path, status) => {
  const ws = await app.workspace({ scopes })
  expect((await ws.get(path)).status).toBe(status)
})

test('narrowed scopes hold from the next request on', async () => {
  const ws = await app.workspace()
  const { id, key } = (await ws.post('/api-keys', { name: 'k', scopes: ['contacts:*'] })).body.data
  await ws.patch(`/api-keys/${id}`, { scopes: ['contacts:read'] })
  expect((await as(key, '/contacts', { method: 'POST', body: '{"first_name":"x"}' })).status).toBe(403)
})

test('a key cannot grant more than it has', async () => {
  const ws = await app.workspace({ scopes: ['api-keys:*', 'contacts:*'] })
  for (const scopes of [['*:*'], ['contacts:*', 'companies:read'], ['*:read']]) {
    expect(await ws.post('/api-keys', { name: 'k', scopes })).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } })
  }
  const { id } = (await ws.post('/api-keys', { name: 'k', scopes: ['contacts:read'] })).body.data
  expect((await ws.patch(`/api-keys/${id}`, { scopes: ['users:write'] })).status).toBe(403)
  expect((await ws.patch(`/api-keys/${id}`, { scopes: ['contacts:delete'] })).status).toBe(200)
})

test('an expiring key neither outlives its expiry nor removes it, itself or by a twin', async () => {
  const ws = await app.workspace()
  const [soon, later] = [1, 2].map((days) => new Date(Date.now() + days * 86_400_000).toISOString()) as [string, string]
  const made = (await ws.post('/api-keys', { name: 'Agent', scopes: ['*:*'], expires_at: soon })).body.data
  const lasting = (await ws.post('/api-keys', { name: 'Lasting', scopes: ['contacts:read'] })).body.data
  const agent = (method: string, path: string, body: object = {}) => as(made.key, path, { method, body: JSON.stringify(body) })
  const refused = async (answer: ReturnType<typeof agent>) => {
    const response = await answer
    const { error } = (await response.json()) as { error: { code: string; details: { latest: string } } }
    expect([response.status, error?.code, error?.details?.latest]).toEqual([403, 'FORBIDDEN', soon])
  }
  for (const expires_at of [null, later]) {
    await refused(agent('PATCH', `/api-keys/${made.id}`, { expires_at }))
    await refused(agent('POST', '/api-keys', { name: 'Twin', scopes: ['contacts:read'], expires_at }))
  }
  await refused(agent('POST', '/api-keys', { name: 'Twin', scopes: ['contacts:read'] }))
  await refused(agent('POST', `/api-keys/${lasting.id}/rotate`))
  expect((await agent('POST', '/api-keys', { name: 'Twin', scopes: ['contacts:read'], expires_at: soon })).status).toBe(201)
  expect((await agent('POST', `/api-keys/${made.id}/rotate`)).status).toBe(200)
})

test('a key is not created already expired', async () => {
  const ws = await app.workspace()
  const answer = await ws.post('/api-keys', { name: 'k', scopes: ['contacts:read'], expires_at: '2020-01-01T00:00:00Z' })
  expect([answer.status, answer.body.error.details.issues]).toMatchObject([400, [{ path: 'expires_at' }]])
})

test('a client_admin renews a key for at most its first lifetime', async () => {
  const ws = await app.workspace()
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const { id } = (await ws.post('/api-keys', { name: 'k', scopes: ['contacts:read'], expires_at: inDays(30) })).body.data
  await app.owner.query(
    `update api_keys set created_at = created_at - interval '20 days', first_expires_at = first_expires_at - interval '20 days'
      where id = $1`,
    [id],
  )
  expect((await ws.patch(`/api-keys/${id}`, { expires_at: inDays(5) })).status).toBe(200)
  expect((await ws.patch(`/api-keys/${id}`, { expires_at: inDays(29.9) })).status).toBe(200)
  for (const expires_at of [inDays(31), null])
    expect(await ws.patch(`/api-keys/${id}`, { expires_at })).toMatchObject({
      status: 403,
      body: { error: { details: { field: 'expires_at' } } },
    })
})

test('a narrow key neither receives the secret of a broader one nor widens it', async () => {
  const ws = await app.workspace()
  const broad = (await ws.post('/api-keys', { name: 'Broad', scopes: ['*:*'], level: 'approval' })).body.data
  const narrow = await ws.key({ scopes: ['api-keys:write', 'contacts:read'] })
  expect(await narrow.post(`/api-keys/${broad.id}/rotate`)).toMatchObject({
    status: 403,
    body: { error: { code: 'FORBIDDEN', details: { missing_scopes: ['*:*'] } } },
  })
  expect((await narrow.patch(`/api-keys/${broad.id}`, { level: 'execute' })).status).toBe(403)
  expect((await narrow.patch(`/api-keys/${broad.id}`, { scopes: ['companies:read'] })).status, 'narrowing').toBe(200)
  expect((await narrow.patch(`/api-keys/${broad.id}`, { level: 'execute' })).status).toBe(403)
  expect((await narrow.patch(`/api-keys/${broad.id}`, { scopes: ['contacts:read'], level: 'execute' })).status).toBe(200)
  expect((await narrow.post(`/api-keys/${broad.id}/rotate`)).status).toBe(200)
})

test.each([
  ['contact:read', 'contacts:read'],
  ['opportunites:*', 'opportunities:*'],
  ['Contacts:Read', 'contacts:read'],
])('the scope %s is refused, and %s suggested', async (scope, suggestion) => {
  const ws = await app.workspace()
  for (const [path, body] of [
    ['/api-keys', { name: 'k', scopes: [scope] }],
    ['/roles', { name: 'r', scopes: [scope] }],
  ] as const) {
    const answer = await ws.post(path, body)
    expect(answer.body.error.details.issues).toEqual([
      { path: 'scopes.0', message: expect.stringContaining(`did you mean ${suggestion}?`) },
    ])
  }
})

test('keys are shown to admins only, whatever the scopes of an editor’s key', async () => {
  const ws = await app.workspace()
  const editor = await ws.key({ role: 'client_editor', scopes: ['*:*'] })
  for (const path of ['/api-keys', `/api-keys?user_id=${editor.userId}`, `/api-keys/${ws.keyId}`, `/api-keys/${editor.keyId}`]) {
    const { status, body } = await editor.get(path)
    expect([status, body.error?.code, body.data], path).toEqual([403, 'FORBIDDEN', undefined])
    expect((await ws.get(path)).status).toBe(200)
  }
  expect((await editor.get(`/api-keys/${ws.keyId}/history`)).status).toBe(403)
  expect((await editor.get('/me')).body.data.key.id).toBe(editor.keyId)
})

test('keys are created by admins with a key of level execute, never through an approval', async () => {
  const ws = await app.workspace()
  const body = { name: 'k', scopes: ['contacts:read'] }
  const editor = await ws.key({ role: 'client_editor' })
  const held = await ws.key({ level: 'approval' })
  for (const other of [editor, held])
    expect(await other.post('/api-keys', body)).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } })
  expect((await ws.post('/api-keys', { ...body, require_approval: true })).status).toBe(400)
})

test('the owner’s role and the key’s level limit what a key can write', async () => {
  const ws = await app.workspace()
  for (const other of [await ws.key({ role: 'client_viewer' }), await ws.key({ level: 'read_only' })]) {
    expect((await other.get('/contacts')).status).toBe(200)
    expect(await other.post('/contacts', { first_name: 'x' })).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } })
  }
})

test('a repeated creation makes one key, and does not show it again', async () => {
  const ws = await app.workspace()
  const headers = { 'idempotency-key': 'make-one' }
  const first = await ws.post('/api-keys', { name: 'k', scopes: ['contacts:read'] }, headers)
  const again = await ws.post('/api-keys', { name: 'k', scopes: ['contacts:read'] }, headers)
  expect(again.body.data).toEqual({ ...first.body.data, key: null })
  expect(again.body._warnings).toMatchObject([{ code: 'KEY_SHOWN_ONCE' }])
  expect((await ws.get('/api-keys')).body.data).toHaveLength(2)
})

test.each([
  [{ name: 'k' }, 'scopes'],
  [{ name: 'k', scopes: [] }, 'scopes'],
  [{ name: 'k', scopes: ['contacts'] }, 'scopes.0'],
  [{ name: 'k', scopes: ['contacts:read'], level: 'root' }, 'level'],
  [{ name: '', scopes: ['contacts:read'] }, 'name'],
  [{ name: 'k', scopes: ['contacts:read'], expires_at: 'tomorrow' }, 'expires_at'],
  [{ name: 'k', scopes: ['contacts:read'], expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
  [{ name: 'k', scopes: ['contacts:read'], user_id: '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d' }, 'user_id'],
])('a key %j is refused, naming %s', async (body, path) => {
  const ws = await app.workspace()
  const answer = await ws.post('/api-keys', body)
  expect(answer.status).toBe(400)
  expect(answer.body.error.details.issues.map((issue: { path: string }) => issue.path)).toContain(path)
})

test('the hash of a key is in no history, event or log entry, whatever happens to the key', async () => {
  const ws = await app.workspace()
  const { id, key } = (await ws.post('/api-keys', { name: 'k', scopes: ['contacts:read'] })).body.data
  const rotated = (await ws.post(`/api-keys/${id}/rotate`)).body.data.key
  expect((await ws.patch(`/api-keys/${id}`, { name: 'renamed' })).status).toBe(200)
  expect((await ws.post(`/api-keys/${id}/revoke`)).status).toBe(200)
  await app.drain()
  const history = JSON.stringify((await ws.get(`/api-keys/${id}/history`)).body.data)
  expect(history).toContain('renamed')
  const { rows } = await app.owner.query(
    `select to_jsonb(c)::text as text from changes c where entity_id = $1 union all select to_jsonb(o)::text
      from outbox o where entity_id = $1
      union all select to_jsonb(r)::text from requests r where workspace_id = $2`,
    [id, ws.id],
  )
  expect(rows.length).toBeGreaterThan(8)
  const stored = history + rows.map(({ text }) => text).join()
  expect(stored).not.toContain('key_hash')
  for (const secret of [key, rotated]) {
    const hash = Buffer.from(await hashKey(secret))
    for (const form of [secret, hash.toString('hex'), hash.toString('base64')]) expect(stored).not.toContain(form)
  }
})
