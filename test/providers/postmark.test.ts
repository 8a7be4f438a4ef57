import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { type FailMode, startEmailEmulator } from '../../dev/email-emulator.ts'
import { startLocalServer } from '../../dev/local-server.ts'
import type { Email } from '../../src/features/email/provider/port.ts'
import { postmark } from '../../src/features/email/provider/postmark.ts'

const emulator = await startEmailEmulator()
afterEach(emulator.clear)
afterAll(emulator.close)

const client = postmark({ url: emulator.url, token: emulator.token, timeoutMs: 300 })
const EMAIL: Email = {
  from: 'Acme <hello@acme.test>',
  to: 'ana@example.com',
  subject: 'News',
  text: 'Hi',
  html: '<p>Hi</p>',
  tag: 'invitation',
  metadata: { attempt_id: 'a-1' },
}

test('a message is sent with all of its fields, and its id is returned', async () => {
  const delivery = await client.send(EMAIL)
  const [sent] = emulator.sent
  expect(delivery).toEqual({ outcome: 'sent', message_id: sent!.MessageID })
  expect(sent).toMatchObject({
    From: 'Acme <hello@acme.test>',
    To: 'ana@example.com',
    Subject: 'News',
    TextBody: 'Hi',
    HtmlBody: '<p>Hi</p>',
    Tag: 'invitation',
    Metadata: { attempt_id: 'a-1' },
    MessageStream: 'outbound',
  })
})

test.each<[FailMode, string, string]>([
  ['406', 'refused', '406 You tried to send to a recipient that has been marked as inactive.'],
  ['422', 'refused', '300 '],
  ['401', 'unavailable', '10 '],
  ['429', 'unavailable', '429 '],
  ['500', 'unclear', '500 '],
  ['503', 'unclear', '503 '],
  ['timeout', 'unclear', 'TimeoutError'],
  ['drop', 'unclear', 'TypeError'],
])('an answer of %s means %s', async (mode, outcome, reason) => {
  emulator.fail(mode)
  expect(await client.send(EMAIL)).toEqual({ outcome, reason: expect.stringContaining(reason) })
  expect(emulator.sent).toEqual([])
})

test('a refusal is attributed to the recipient or to the message', async () => {
  emulator.inactive.add('gone@example.com')
  expect(await client.send({ ...EMAIL, to: 'gone@example.com' })).toMatchObject({ outcome: 'refused' })
  expect(await client.send({ ...EMAIL, to: 'nobody' })).toMatchObject({ outcome: 'refused' })
})

describe('codes in the body and the status', () => {
  const answering = (status: number, body: string) => ({ status, body })
  test.each([
    ['a sender that is not confirmed', answering(422, '{"ErrorCode":401,"Message":"no"}'), 'unavailable'],
    ['no credits', answering(422, '{"ErrorCode":405,"Message":"no"}'), 'unavailable'],
    ['an account that may not send', answering(422, '{"ErrorCode":413,"Message":"no"}'), 'unavailable'],
    ['an unknown code', answering(422, '{"ErrorCode":999,"Message":"?"}'), 'unavailable'],
    ['an inactive recipient', answering(422, '{"ErrorCode":406,"Message":"no"}'), 'refused'],
    ['a forbidden attachment', answering(422, '{"ErrorCode":411,"Message":"no"}'), 'refused'],
    ['no JSON', answering(200, 'OK'), 'unclear'],
    ['a page of a proxy', answering(502, '<html>'), 'unclear'],
    ['no id', answering(200, '{"ErrorCode":0}'), 'unclear'],
  ])('%s', async (_, { status, body }, outcome) => {
    const server = await startLocalServer((_request, response) => response.writeHead(status).end(body))
    const delivery = await postmark({ url: server.url, token: 't' }).send(EMAIL)
    await server.close()
    expect(delivery.outcome).toBe(outcome)
  })
})

test('an unreachable provider is an unclear outcome: a proxy may have accepted the message', async () => {
  expect(await postmark({ url: 'http://127.0.0.1:1', token: 't' }).send(EMAIL)).toMatchObject({ outcome: 'unclear' })
})

test('a message is found by its metadata, and only the one that has it', async () => {
  await client.send(EMAIL)
  emulator.fail('drop', 1, true)
  expect(await client.send({ ...EMAIL, metadata: { attempt_id: 'a-2' } })).toMatchObject({ outcome: 'unclear' })
  expect(await client.find('attempt_id', 'a-2')).toBe(emulator.sent[1]!.MessageID)
  expect(await client.find('attempt_id', 'a-3')).toBeUndefined()
})

test('a search without a response throws, so that it is not mistaken for not found', async () => {
  await expect(postmark({ url: emulator.url, token: 'wrong' }).find('attempt_id', 'a-1')).rejects.toThrow('401')
  await expect(postmark({ url: 'http://127.0.0.1:1', token: 't' }).find('attempt_id', 'a-1')).rejects.toThrow()
})
