import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type EmbeddingFailMode, type EmbeddingsEmulator, startEmbeddingsEmulator } from '../../dev/embeddings-emulator.ts'
import { embedder } from '../../src/providers/models/embed.ts'
import type { Embedder } from '../../src/providers/models/embed-port.ts'
import { OpenAI } from '../sdks.ts'

const OPENAI = 'text-embedding-3-small'
const BGE = '@cf/baai/bge-m3'
let emulator: EmbeddingsEmulator
let provider: Embedder
const clientFor = (model: string) =>
  embedder({ url: model === BGE ? emulator.workersAiUrl : emulator.url, key: emulator.key, model, timeoutMs: 1_500 })
beforeAll(async () => {
  emulator = await startEmbeddingsEmulator()
  provider = clientFor(OPENAI)
})
afterAll(() => emulator.close())
beforeEach(() => emulator.clear())

const cosine = (a: number[], b: number[]) => a.reduce((sum, value, index) => sum + value * b[index]!, 0)

test.each([OPENAI, BGE])('%s: a vector of 1,024 dimensions for each text, nearer to texts with the same words', async (model) => {
  const [first, near, far] = await clientFor(model).embed([
    'How do I reset my password?',
    'Resetting a password',
    'Delivery to islands takes a week',
  ])
  expect([first, near, far].map((one) => one?.length)).toEqual([1024, 1024, 1024])
  expect(cosine(first!, near!)).toBeGreaterThan(cosine(first!, far!) + 0.1)
  expect(emulator.calls).toHaveLength(1)
})

test('the official client of OpenAI reads the emulator as this one does', async () => {
  const client = new OpenAI({ apiKey: emulator.key, baseURL: emulator.url, maxRetries: 0 })
  const text = 'Opening hours of the workshop'
  const official = await client.embeddings.create({ model: OPENAI, input: [text], dimensions: 1024 })
  const [own] = await provider.embed([text])
  // The official client asks for single precision.
  expect(official.data[0]!.embedding.map((value: number) => Math.fround(value))).toEqual(own!.map((value) => Math.fround(value)))
  expect(official.usage.total_tokens).toBeGreaterThan(0)
  emulator.fail('429')
  await expect(client.embeddings.create({ model: OPENAI, input: text })).rejects.toThrow(OpenAI.RateLimitError)
})

test.each(['429', '500', '503', 'drop', 'timeout'] as EmbeddingFailMode[])(
  'after %s it asks once more, and no third time',
  async (mode) => {
    emulator.fail(mode)
    expect(await provider.embed(['one'])).toHaveLength(1)
    emulator.fail(mode, 2)
    await expect(provider.embed(['one'])).rejects.toMatchObject({ name: 'Error', isTemporary: true })
    expect(emulator.calls).toHaveLength(1)
  },
)

test.each([
  ['short', 'a vector of 1023 instead of 1024 dimensions'],
  ['nan', 'what is no JSON'],
  ['missing', '1 vectors for 2 texts'],
  ['broken', 'what is no JSON'],
  ['401', '401: The model is overloaded'],
] as [EmbeddingFailMode, string][])('%s is refused, and not asked for again', async (mode, reason) => {
  emulator.fail(mode)
  await expect(provider.embed(['one', 'two'])).rejects.toMatchObject({
    message: `The provider of embeddings answers with ${reason}`,
    isTemporary: false,
  })
  expect(await provider.embed(['one'])).toHaveLength(1)
})

test('more texts than a call may have are refused before it', async () => {
  await expect(provider.embed(new Array(65).fill('one'))).rejects.toThrow('At most 64 texts')
  expect(await provider.embed([])).toEqual([])
  expect(emulator.calls).toEqual([])
})
