import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'

let app: Harness
beforeAll(async () => {
  app = await start({ unreachable: 'REQUESTS' })
})
afterAll(() => app.close())

test('a response does not depend on the request log; a write logs itself', async () => {
  const ws = await app.workspace()
  const made = await ws.post('/contacts', { first_name: 'Ana' })
  expect(made.status).toBe(201)
  const read = await ws.get('/contacts')
  expect(read.status).toBe(200)
  expect((await ws.get('/contacts?zork=1')).status).toBe(400)
  await app.drain()
  expect(await ws.get(`/requests/${made.headers.get('x-request-id')}`)).toMatchObject({ status: 200, body: { data: { outcome: 'done' } } })
  expect((await ws.get(`/requests/${read.headers.get('x-request-id')}`)).status).toBe(404)
  expect(app.logs.some((line) => line.includes('requests were not logged') && line.includes(read.headers.get('x-request-id')!))).toBe(true)
})
