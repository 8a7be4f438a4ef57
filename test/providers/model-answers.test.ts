import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalServer, reply, startLocalServer } from '../../dev/local-server.ts'
import { anthropicModels } from '../../src/providers/models/complete-anthropic.ts'
import { openaiModels } from '../../src/providers/models/complete-openai.ts'
import { embedder } from '../../src/providers/models/embed.ts'
import { DIMENSIONS } from '../../src/providers/models/embed-port.ts'
import type { CompletionRequest } from '../../src/providers/models/port.ts'

/** What a provider may answer that its emulator does not. */
let server: LocalServer
let answer: { status?: number; json?: unknown; events?: unknown[] }
let sent: Record<string, unknown>
beforeAll(async () => {
  server = await startLocalServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    sent = JSON.parse(Buffer.concat(chunks).toString())
    if (answer.json !== undefined) return reply(response, answer.status ?? 200, answer.json)
    response.writeHead(answer.status ?? 200, { 'content-type': 'text/event-stream' })
    for (const event of answer.events ?? []) response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    response.end()
  })
})
afterAll(() => server.close())

const vector = Array.from({ length: DIMENSIONS }, () => 0.1)
const of = (...data: unknown[]) => ({ data })
const at = (index: number, embedding: unknown = vector) => ({ index, embedding })

test.each<[string, unknown, string]>([
  ['one twice', of(at(1), at(1)), 'what is no vector'],
  ['one that is no list', of(at(0), at(1, 'text')), 'what is no vector'],
  ['one of texts', of(at(0), at(1, [...vector.slice(1), '1'])), 'a vector of what are no numbers'],
  ['one with nothing in it', of(at(0), at(1, [...vector.slice(1), null])), 'a vector of what are no numbers'],
  [
    'one of zeros',
    of(
      at(0),
      at(
        1,
        vector.map(() => 0),
      ),
    ),
    'a vector of what are no numbers',
  ],
  ['one too many', of(at(0), at(1), at(2)), '3 vectors for 2 texts'],
  ['another form', { result: of() }, 'no vectors'],
])('vectors are refused of which there is %s', async (_, json, reason) => {
  answer = { json }
  const embed = embedder({ url: server.url, key: 'key', model: 'text-embedding-3-small' })
  await expect(embed.embed(['a', 'b'])).rejects.toMatchObject({ message: expect.stringContaining(reason), isTemporary: false })
})

test('vectors are in the order of their texts, whatever that of the answer', async () => {
  const second = vector.map(() => 0.2)
  answer = { json: of(at(1, second), at(0)) }
  expect(await embedder({ url: server.url, key: 'key', model: 'text-embedding-3-small' }).embed(['a', 'b'])).toEqual([vector, second])
})

test('the reason of a refusal is that of the provider, in either of its forms', async () => {
  const reasonOf = async (model: string, json: unknown) => {
    answer = { status: 400, json }
    const failure = await embedder({ url: server.url, key: 'key', model })
      .embed(['a'])
      .catch((error: Error) => error.message)
    return String(failure).replace('The provider of embeddings answers with ', '')
  }
  expect(await reasonOf('text-embedding-3-small', { error: { message: 'No such model' } })).toBe('400: No such model')
  expect(await reasonOf('@cf/baai/bge-m3', { errors: [{ message: 'Too long' }, { message: 'Other' }] })).toBe('400: Too long')
  expect(await reasonOf('@cf/baai/bge-m3', { errors: [] })).toBe('400')
})

const CLIENTS = { anthropic: anthropicModels, openai: openaiModels }
const ask = (client: keyof typeof CLIENTS, more: Partial<CompletionRequest> = {}) =>
  CLIENTS[client]({ url: server.url, key: 'key', names: { standard: 'large', small: 'small' }, timeoutMs: 5_000 }).complete({
    model: 'standard',
    system: 'You help.',
    messages: [{ role: 'user', text: 'Hi' }],
    tools: [],
    max_tokens: 100,
    ...more,
  })

test.each(['anthropic', 'openai'] as const)('%s: an answer stops where it is longer than any may be, and is cut', async (client) => {
  const text = 'x'.repeat(100_000)
  const event =
    client === 'openai'
      ? { choices: [{ delta: { content: text }, finish_reason: null }] }
      : { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }
  answer = { events: Array.from({ length: 9 }, () => event) }
  const completion = await ask(client)
  expect([completion.text.length, completion.stop, completion.usage]).toEqual([500_000, 'cut', null])
})

test('an error within a stream is repeated if it may pass, and is the end of an answer that has begun', async () => {
  const overloaded = { error: { type: 'overloaded_error', message: 'Busy' } }
  answer = { events: [{ error: {} }] }
  await expect(ask('openai')).rejects.toMatchObject({ temporary: false, message: 'The model provider answers with error: ' })
  answer = {
    events: [{ choices: [{ delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{' } }] } }] }, overloaded],
  }
  expect(await ask('openai')).toMatchObject({ stop: 'cut', calls: [{ id: 'a', name: 'f', arguments: '{' }], usage: null })
  answer = { events: [{ choices: 'another form' }, { choices: [{ delta: { content: 'Hi' } }] }, '[DONE]'] }
  expect(await ask('openai')).toMatchObject({ text: 'Hi', stop: 'end' })
})

test('parts of calls may come without a name, an id or arguments of their own', async () => {
  const part = (tool_call: object) => ({ choices: [{ delta: { tool_calls: [{ index: 0, ...tool_call }] } }] })
  answer = {
    events: [
      part({ id: 'a', function: { name: 'f' } }),
      part({}),
      part({ function: { arguments: '{}' } }),
      { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
      '[DONE]',
    ],
  }
  expect(await ask('openai')).toMatchObject({ stop: 'tools', calls: [{ id: 'a', name: 'f', arguments: '{}' }] })
  answer = {
    events: [
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', name: 'f' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta' } },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      { type: 'message_delta', delta: { stop_reason: null } },
      { type: 'message_stop' },
    ],
  }
  expect(await ask('anthropic')).toMatchObject({ stop: 'tools', text: '', calls: [{ id: 'a', name: 'f', arguments: '' }] })
})

test('what an earlier answer said goes back in the form that each provider takes', async () => {
  const messages = (text: string, ...calls: string[]): CompletionRequest['messages'] => [
    { role: 'user', text: 'Hi' },
    { role: 'assistant', text, calls: calls.map((one, n) => ({ id: `${n}`, name: 'f', arguments: one })) },
    { role: 'user', text: 'And?' },
  ]
  answer = { events: [{ type: 'message_stop' }] }
  await ask('anthropic', { messages: messages('', '{"a":1}', '', '[1]', 'null', '7', '{"a":') })
  const [, { content }] = sent.messages as [unknown, { content: object[] }]
  expect(content).toMatchObject(
    [{ a: 1 }, {}, { value: [1] }, { value: null }, { value: 7 }, { unparsed: '{"a":' }].map((input) => ({ type: 'tool_use', input })),
  )
  expect(content).toHaveLength(6)
  await ask('anthropic', { messages: messages('Hello') })
  expect((sent.messages as unknown[])[1]).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'Hello' }] })
  answer = { events: ['[DONE]'] }
  await ask('openai', { messages: messages('Hello') })
  expect([sent.tools, (sent.messages as unknown[])[2]]).toEqual([undefined, { role: 'assistant', content: 'Hello' }])
  await ask('openai', { messages: messages('', '{}') })
  expect((sent.messages as unknown[])[2]).toMatchObject({ content: null, tool_calls: [{ id: '0', function: { arguments: '{}' } }] })
})
