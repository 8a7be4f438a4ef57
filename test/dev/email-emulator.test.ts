import { afterAll, afterEach, expect, test } from 'vitest'
import { startEmailEmulator } from '../../dev/email-emulator.ts'

const emulator = await startEmailEmulator()
afterEach(emulator.clear)
afterAll(emulator.close)

const MESSAGE = { From: 'Acme <hello@acme.test>', To: 'ana@example.com', Subject: 'News', TextBody: 'Hi' }

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(emulator.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-postmark-server-token': emulator.token, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(200),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> & { ErrorCode: number }[] }
}

const get = async (path: string) =>
  (await fetch(emulator.url + path, { headers: { 'x-postmark-server-token': emulator.token } })).json() as Promise<Record<string, unknown>>

test('a message is stored and its id returned', async () => {
  const { status, body } = await post('/email', MESSAGE)
  expect([status, body]).toEqual([200, expect.objectContaining({ ErrorCode: 0, Message: 'OK', To: 'ana@example.com' })])
  expect(await get('/__sent')).toEqual([expect.objectContaining({ ...MESSAGE, MessageID: (body as Record<string, unknown>).MessageID })])
})

test('a batch returns a result for each message in order, and sends the valid ones', async () => {
  emulator.inactive.add('gone@example.com')
  const batch = [
    MESSAGE,
    { ...MESSAGE, To: 'Gone <GONE@example.com>' },
    { ...MESSAGE, To: 'nobody' },
    { ...MESSAGE, To: '"Ortiz, B" <b@example.com>' },
  ]
  const { status, body } = await post('/email/batch', batch)
  expect([status, body.map((result) => result.ErrorCode)]).toEqual([200, [0, 406, 300, 0]])
  expect(emulator.sent.map((message) => message.To)).toEqual([MESSAGE.To, '"Ortiz, B" <b@example.com>'])
})

test.each([
  ['another token', MESSAGE, { 'x-postmark-server-token': 'wrong' }, 401, 10],
  ['no JSON', '{', {}, 422, 402],
  ['no JSON type', MESSAGE, { 'content-type': 'text/plain' }, 422, 409],
  ['no sender', { ...MESSAGE, From: '' }, {}, 422, 300],
  ['no body', { ...MESSAGE, TextBody: '' }, {}, 422, 300],
  ['too many recipients', { ...MESSAGE, Bcc: Array(50).fill('x@example.com').join() }, {}, 422, 300],
])('%s is refused', async (_, message, headers, status, code) => {
  const answer = await post('/email', message, headers as Record<string, string>)
  expect([answer.status, (answer.body as Record<string, unknown>).ErrorCode]).toEqual([status, code])
  expect(emulator.sent).toEqual([])
})

test('a batch of more than 500 is refused whole', async () => {
  expect((await post('/email/batch', Array(501).fill(MESSAGE))).body).toMatchObject({ ErrorCode: 410 })
})

test.each([
  ['401', 401],
  ['405', 422],
  ['406', 422],
  ['422', 422],
  ['429', 429],
  ['500', 500],
  ['503', 503],
])('mode %s fails as often as asked', async (mode, status) => {
  await post('/__fail', { mode, times: 2 })
  const answers = [await post('/email', MESSAGE), await post('/email', MESSAGE), await post('/email', MESSAGE)]
  expect(answers.map((answer) => answer.status)).toEqual([status, status, 200])
  expect(emulator.sent).toHaveLength(1)
})

test.each(['timeout', 'drop'] as const)('mode %s leaves the caller in doubt', async (mode) => {
  emulator.fail(mode)
  await expect(post('/email', MESSAGE)).rejects.toThrow()
  emulator.fail(mode, 1, true)
  await expect(post('/email', { ...MESSAGE, Metadata: { recipient_id: 'r9' } })).rejects.toThrow()
  expect(await get('/messages/outbound?count=50&offset=0&metadata_recipient_id=r9')).toMatchObject({ TotalCount: 1 })
  expect(await get('/messages/outbound?recipient=someone@example.com')).toMatchObject({ TotalCount: 0, Messages: [] })
})

test('a search fails as often as asked, and finds nothing while a message is not listed', async () => {
  await post('/email', MESSAGE)
  await post('/__fail', { mode: 'unlisted', search: true })
  emulator.failSearch('503')
  const search = () => get('/messages/outbound?count=1&offset=0&messagestream=outbound&subject=News')
  expect(await search()).toMatchObject({ TotalCount: 0, Messages: [] })
  expect(await search()).toMatchObject({ ErrorCode: 503 })
  emulator.failSearch('drop')
  await expect(search()).rejects.toThrow()
  expect(await search()).toMatchObject({ TotalCount: 1 })
})
