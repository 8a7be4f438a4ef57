import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddingsEmulator, startEmbeddingsEmulator } from '../../dev/embeddings-emulator.ts'
import { type ModelEmulator, startModelEmulator } from '../../dev/model-emulator.ts'
import { type SpeechEmulator, startSpeechEmulator } from '../../dev/speech-emulator.ts'
import { type StripeEmulator, startStripeEmulator } from '../../dev/stripe-emulator.ts'
import { startVoiceEmulator, type VoiceEmulator } from '../../dev/voice-emulator.ts'
import { SDKS } from '../clients/install.ts'
import { Anthropic, OpenAI, Retell } from '../sdks.ts'

let voice: VoiceEmulator
let models: ModelEmulator
let embeddings: EmbeddingsEmulator
let speech: SpeechEmulator
let payments: StripeEmulator
beforeAll(async () => {
  voice = await startVoiceEmulator()
  models = await startModelEmulator()
  embeddings = await startEmbeddingsEmulator()
  speech = await startSpeechEmulator()
  payments = await startStripeEmulator()
})
afterAll(() => Promise.all([voice, models, embeddings, speech, payments].map((one) => one.close())))

/** What an emulator has answered, the type that its official package gives it, and a field without which it is no such answer. */
type RecordedAnswer = { type: string; value: unknown; required: string }

/** Calls through a package, and keeps what it receives: the body, or each event of a stream. */
async function heard(call: (fetch: typeof globalThis.fetch) => Promise<unknown>): Promise<unknown[]> {
  const texts: Promise<string>[] = []
  await call(async (...request) => {
    const response = await fetch(...request)
    texts.push(response.clone().text())
    return response
  })
  const lines = (text: string) => [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, event]) => JSON.parse(event as string))
  return (await Promise.all(texts)).flatMap((text) => (/^(event|data):/.test(text) ? lines(text) : [JSON.parse(text)]))
}
const typed = (type: string, required: string, values: unknown[]): RecordedAnswer[] => values.map((value) => ({ type, value, required }))

async function ofModels(): Promise<RecordedAnswer[]> {
  const tools = [{ name: 'lookUp', description: 'Looks up', input_schema: { type: 'object' } }]
  const turn = { text: 'Looking.', calls: [{ name: 'lookUp', arguments: { id: 'a' } }] }
  models.script('typed', [turn, turn])
  const messages = [{ role: 'user', content: 'typed' }]
  const { key: apiKey, url } = models
  const anthropic = await heard((fetch) =>
    new Anthropic({ baseURL: url, apiKey, fetch }).messages.stream({ model: 'm', max_tokens: 100, messages, tools }).finalMessage(),
  )
  const openai = await heard((fetch) =>
    new OpenAI({ baseURL: `${url}/v1`, apiKey, fetch }).chat.completions
      .stream({ model: 'm', messages, stream_options: { include_usage: true } })
      .finalChatCompletion(),
  )
  const vectors = await heard((fetch) =>
    new OpenAI({ apiKey: embeddings.key, baseURL: embeddings.url, fetch }).embeddings.create({
      ...{ model: 'text-embedding-3-small', input: ['Opening hours'], encoding_format: 'float' },
    }),
  )
  return [
    // The package passes over the event that keeps a connection open.
    ...typed(
      'Anthropic.RawMessageStreamEvent',
      'type',
      anthropic.filter((event) => (event as { type: string }).type !== 'ping'),
    ),
    ...typed('OpenAI.ChatCompletionChunk', 'choices', openai),
    ...typed('OpenAI.CreateEmbeddingResponse', 'usage', vectors),
  ]
}

async function ofVoices(): Promise<RecordedAnswer[]> {
  const client = (fetch: typeof globalThis.fetch) => new Retell({ apiKey: voice.key, baseURL: voice.url, fetch })
  const [engine] = (await heard((fetch) => client(fetch).llm.create({ general_prompt: 'Hello' }))) as [{ llm_id: string }]
  const response_engine = { type: 'retell-llm', llm_id: engine.llm_id }
  const [agent] = (await heard((fetch) => client(fetch).agent.create({ response_engine, voice_id: '11labs-Adrian' }))) as [
    { agent_id: string },
  ]
  return [
    ...typed('Retell.LlmResponse', 'llm_id', [engine]),
    ...typed('Retell.AgentResponse', 'response_engine', [agent]),
    ...typed('Retell.AgentListVersionsResponse', 'items', await heard((fetch) => client(fetch).agent.listVersions(agent.agent_id))),
    ...typed('Retell.VoiceResponse', 'provider', (await heard((fetch) => client(fetch).voice.list())).flat()),
  ]
}

async function ofTranscripts(): Promise<RecordedAnswer[]> {
  const listen = async (query: string) => {
    const init = { method: 'POST', headers: { authorization: `Token ${speech.key}`, 'content-type': 'application/json' } }
    const body = JSON.stringify({ url: 'https://files.example.com/call.mp3' })
    return (await fetch(`${speech.url}/v1/listen?model=nova-3&diarize=true&utterances=true${query}`, { ...init, body })).json()
  }
  return [
    ...typed('Deepgram.ListenV1Response', 'results', [await listen('')]),
    ...typed('Deepgram.ListenV1AcceptedResponse', 'request_id', [await listen('&callback=https%3A%2F%2Fapi.example.com%2Fx')]),
  ]
}

/** The emulator of Stripe answers with those fields of a page that the product reads, and no others. */
const PAGE = [
  'id',
  'object',
  'status',
  'payment_status',
  'amount_total',
  'currency',
  'client_reference_id',
  'customer_email',
  'metadata',
  'url',
]

async function ofPayments(): Promise<RecordedAnswer[]> {
  const price_data = { currency: 'aud', unit_amount: 4950, product_data: { name: 'Inspection' } }
  const sessions = await heard((fetch) => {
    const at = { host: '127.0.0.1', port: payments.port, protocol: 'http' as const, httpClient: Stripe.createFetchHttpClient(fetch) }
    return new Stripe(payments.key, at).checkout.sessions.create({
      ...{
        mode: 'payment',
        line_items: [{ quantity: 2, price_data }],
        success_url: 'https://example.com/done',
        metadata: { order_id: 'o1' },
      },
    })
  })
  const fields = PAGE.map((name) => `'${name}'`).join(' | ')
  return typed(`Pick<Stripe.Checkout.Session, ${fields}>`, 'payment_status', sessions)
}

const HEAD = `import type { Anthropic } from '@anthropic-ai/sdk'
import type { Deepgram } from '@deepgram/sdk'
import type { OpenAI } from 'openai'
import type { Retell } from 'retell-sdk'
import type Stripe from 'stripe'
declare function answer<Type>(): <Value extends Type>(value: Value) => void
`
const OPTIONS = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2024',
    types: [],
  },
  files: ['answers.ts'],
}

test('what the emulators answer has the types of the official packages, and would not without a required field', async () => {
  const answers = [...(await ofModels()), ...(await ofVoices()), ...(await ofTranscripts()), ...(await ofPayments())]
  expect(new Set(answers.map(({ type }) => type)).size).toBe(10)
  const line = ({ type }: RecordedAnswer, value: unknown) => `answer<${type}>()(${JSON.stringify(value)})`
  const without = ({ value, required }: RecordedAnswer) =>
    Object.fromEntries(Object.entries(value as object).filter(([name]) => name !== required))
  const text = answers.map((one) => `${line(one, one.value)}\n// @ts-expect-error\n${line(one, without(one))}\n`).join('')
  writeFileSync(join(SDKS, 'answers.ts'), HEAD + text)
  writeFileSync(join(SDKS, 'tsconfig.json'), JSON.stringify(OPTIONS))
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', SDKS, '--pretty', 'false'], { encoding: 'utf8' })
  const lines = readFileSync(join(SDKS, 'answers.ts'), 'utf8').split('\n')
  const shown = stdout.replace(/^.*answers\.ts\((\d+),\d+\): /gm, (_, at) => `${lines[Number(at) - 1]?.slice(0, 200)}\n  `)
  expect(shown).toBe('')
  expect(status).toBe(0)
})
