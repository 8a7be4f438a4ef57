import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import { sendAs } from './raw-keys.ts'

let app: Harness
beforeAll(async () => {
  app = await start()
})
afterAll(() => app.close())

const as = sendAs(() => app)

const from = (address: string) => ({ headers: { 'cf-connecting-ip': address } })

test('an old secret works for the overlap of a rotation, is shown, and ends with the next rotation or the key', async () => {
  const ws = await app.workspace()
  const { id, key: first } = (await ws.post('/api-keys', { name: 'Sync', scopes: ['contacts:read'] })).body.data
  const rotate = async (body: object) => (await ws.post(`/api-keys/${id}/rotate`, body)).body.data
  const works = async (key: string) => (await as(key, '/contacts')).status === 200
  const { key: second, previous_expires_at } = await rotate({ overlap_minutes: 60 })
  expect(Date.parse(previous_expires_at) - Date.now()).toBeGreaterThan(59 * 60_000)
  expect([await works(first), await works(second)]).toEqual([true, true])
  expect((await ws.get(`/api-keys/${id}`)).body.data.previous_expires_at).toBe(previous_expires_at)
  await app.owner.query("update api_keys set previous_expires_at = now() - interval '1 second' where id = $1", [id])
  expect([await works(first), await works(second)]).toEqual([false, true])
  expect((await ws.get(`/api-keys/${id}`)).body.data.previous_expires_at).toBeNull()

  const { key: third } = await rotate({ overlap_minutes: 1440 })
  expect([await works(second), await works(third)]).toEqual([true, true])
  const { key: fourth, previous_expires_at: none } = await rotate({})
  expect([await works(second), await works(third), await works(fourth), none]).toEqual([false, false, true, null])
  const { key: fifth } = await rotate({ overlap_minutes: 5 })
  expect(await works(fourth)).toBe(true)
  await ws.post(`/api-keys/${id}/revoke`)
  expect([await works(fourth), await works(fifth)]).toEqual([false, false])
  expect((await ws.post(`/api-keys/${id}/rotate`, { overlap_minutes: 1441 })).status).toBe(400)
})

test('a key that is limited to addresses is refused from others, and from an unknown one', async () => {
  const ws = await app.workspace()
  const body = { name: 'Office', scopes: ['contacts:read'], allowed_ranges: ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'] }
  const { key, allowed_ranges } = (await ws.post('/api-keys', body)).body.data
  expect(allowed_ranges).toEqual(body.allowed_ranges)
  for (const address of ['203.0.113.9', '2001:db8:1::5', '198.51.100.7'])
    expect((await as(key, '/contacts', from(address))).status).toBe(200)
  for (const address of ['203.0.114.9', '2001:db9::5', '198.51.100.8', 'nonsense']) {
    const refused = await as(key, '/contacts', from(address))
    expect([refused.status, await refused.json()]).toMatchObject([403, { error: { code: 'FORBIDDEN', details: { address } } }])
  }
  expect((await as(key, '/contacts', { headers: { 'x-forwarded-for': '203.0.113.9' } })).status).toBe(403)
  expect((await as(key, '/contacts')).status).toBe(403)
})

test('ranges are checked, and bounded', async () => {
  const ws = await app.workspace()
  const send = async (allowed_ranges: string[]) =>
    (await ws.post('/api-keys', { name: 'Office', scopes: ['*:read'], allowed_ranges })).status
  for (const wrong of [
    '',
    'x',
    '1.2.3',
    '1.2.3.256',
    '1.2.3.4/33',
    '1.2.3.4/',
    '::/129',
    '1::2::3',
    '12345::',
    '1:2:3:4:5:6:7:8:9',
    '01.2.3.4',
  ])
    expect([wrong, await send([wrong])]).toEqual([wrong, 400])
  for (const right of ['0.0.0.0/0', '::/0', '::1', '1::', 'FE80::1/64', '1:2:3:4:5:6:7:8'])
    expect([right, await send([right])]).toEqual([right, 201])
  expect(await send(Array.from({ length: 51 }, (_, i) => `10.0.0.${i}`))).toBe(400)
})

test('a key that is limited to addresses gives no key more than these', async () => {
  const ws = await app.workspace()
  const office = { name: 'Office', scopes: ['*:*'], allowed_ranges: ['203.0.113.0/24'] }
  const { key, id } = (await ws.post('/api-keys', office)).body.data
  const send = (method: string, path: string, body: object) => as(key, path, { method, body: JSON.stringify(body), ...from('203.0.113.9') })
  const refused = async (sent: ReturnType<typeof send>) => {
    const answer = await sent
    return [answer.status, ((await answer.json()) as { error?: { details?: unknown } }).error?.details]
  }
  const details = { field: 'allowed_ranges', allowed_ranges: office.allowed_ranges }
  const fields = { name: 'Other', scopes: ['contacts:read'] }
  expect(await refused(send('POST', '/api-keys', fields))).toMatchObject([403, details])
  expect(await refused(send('POST', '/api-keys', { ...fields, allowed_ranges: ['203.0.0.0/16'] }))).toMatchObject([403, details])
  expect((await send('POST', '/api-keys', { ...fields, allowed_ranges: ['203.0.113.128/25'] })).status).toBe(201)
  expect(await refused(send('PATCH', `/api-keys/${id}`, { allowed_ranges: [] }))).toMatchObject([403, details])
  expect(await refused(send('POST', `/api-keys/${ws.keyId}/rotate`, {}))).toMatchObject([403, details])
  expect((await ws.patch(`/api-keys/${id}`, { allowed_ranges: [] })).status).toBe(200)
})

test('the last use of a key is stored, at most once in five minutes', async () => {
  const ws = await app.workspace()
  const { key, id } = (await ws.post('/api-keys', { name: 'Sync', scopes: ['contacts:read'] })).body.data
  const used = async () => {
    await app.drain()
    return (await ws.get(`/api-keys/${id}`)).body.data
  }
  const { last_used_at: never, version } = await used()
  expect(never).toBeNull()
  await as(key, '/contacts')
  const first = (await used()).last_used_at
  expect(Math.abs(Date.parse(first) - Date.now())).toBeLessThan(60_000)
  await as(key, '/contacts?limit=1')
  expect(await used()).toMatchObject({ last_used_at: first, version })
  await app.owner.query("update api_key_uses set last_used_at = last_used_at - interval '6 minutes' where key_id = $1", [id])
  await as(key, '/contacts?limit=2')
  expect(Date.parse((await used()).last_used_at)).toBeGreaterThanOrEqual(Date.parse(first))
  expect((await ws.get('/api-keys')).body.data.find((one: { id: string }) => one.id === id).last_used_at).not.toBeNull()
})
