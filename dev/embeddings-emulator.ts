import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { hashedVector } from './hashed-vectors.ts'
import { type LocalServer, readText, reply, startLocalServer } from './local-server.ts'

/**
 * How the next calls fail: a number is the status of the response, `slow` responds after a second, `timeout` never does, `drop` closes the
 * connection, `short` has vectors of 1,023 dimensions, `nan` what is no number, `missing` a vector too few, `broken` half of the response.
 */
export const EMBEDDING_FAILURES = [
  '400',
  '401',
  '429',
  '500',
  '503',
  'slow',
  'timeout',
  'drop',
  'short',
  'nan',
  'missing',
  'broken',
] as const
export type EmbeddingFailMode = (typeof EMBEDDING_FAILURES)[number]

export interface EmbeddingsEmulator extends LocalServer {
  /** The address for the format of OpenAI, and that for Workers AI. */
  url: string
  workersAiUrl: string
  key: string
  /** The texts of each call that was answered, oldest first. */
  calls: string[][]
  /** Makes the next calls fail. */
  fail(mode: EmbeddingFailMode, times?: number): void
  clear(): void
}

const SLOW_MS = 1_000
const WORKERS_AI = '/client/v4/accounts/local/ai'
const FULL_SIZE = 1_536
const MAX_INPUTS = 2_048
type Inputs = { texts: string[]; dimensions: number; show(vectors: unknown[], isBase64: boolean): unknown; isBase64: boolean }

/** Serves embeddings in the formats of OpenAI and of Workers AI. A vector depends on its text alone, so results repeat. */
export async function startEmbeddingsEmulator(options: { port?: number } = {}): Promise<EmbeddingsEmulator> {
  const failures: EmbeddingFailMode[] = []
  const key = 'local-embeddings-key'

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname } = new URL(request.url!, 'http://local')
    const text = await readText(request)
    if (pathname === '/__fail') return control(response, text)
    if (request.headers.authorization !== `Bearer ${key}`) return refuse(response, 401, 'Incorrect API key provided')
    const inputs = pathname === '/v1/embeddings' ? ofOpenAi(JSON.parse(text)) : ofWorkersAi(pathname, text)
    if (!inputs) return refuse(response, 404, 'Not found')
    if (typeof inputs === 'string') return refuse(response, 400, inputs)
    const mode = failures.shift()
    if (mode === 'timeout') return
    if (mode === 'drop') return request.socket.destroy()
    if (mode && /^\d/.test(mode)) return refuse(response, Number(mode), 'The model is overloaded', { 'Retry-After': '1' })
    if (mode === 'slow') await sleep(SLOW_MS)
    emulator.calls.push(inputs.texts)
    const vectors = inputs.texts.map((one) => hashedVector(one, mode === 'short' ? inputs.dimensions - 1 : inputs.dimensions))
    if (mode === 'missing') vectors.pop()
    const body = JSON.stringify(inputs.show(vectors, inputs.isBase64))
    const sent = mode === 'nan' ? body.replace(/-?\d\.\d+(e-?\d+)?/, 'NaN') : mode === 'broken' ? body.slice(0, body.length / 2) : body
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(sent)
  }

  function control(response: ServerResponse, text: string) {
    const { mode, times = 1 } = JSON.parse(text)
    if (!EMBEDDING_FAILURES.includes(mode)) return refuse(response, 400, `mode is one of ${EMBEDDING_FAILURES.join(', ')}`)
    emulator.fail(mode, times)
    reply(response, 200, { failures })
  }

  const server = await startLocalServer(answer, {
    port: options.port,
    onError: (response, error) => reply(response, 500, { error: { message: String(error), type: 'server_error' } }),
  })
  const emulator: EmbeddingsEmulator = {
    ...server,
    url: `${server.url}/v1`,
    workersAiUrl: server.url + WORKERS_AI,
    key,
    calls: [],
    fail: (mode, times = 1) => failures.push(...new Array<EmbeddingFailMode>(times).fill(mode)),
    clear() {
      failures.length = 0
      emulator.calls.length = 0
    },
  }
  return emulator
}

/** The variables of a Worker that uses it. */
export const embeddingVars = ({ url, key }: EmbeddingsEmulator) => ({
  EMBEDDINGS_API_URL: url,
  EMBEDDINGS_API_KEY: key,
  EMBEDDINGS_MODEL: 'text-embedding-3-small',
})

function ofOpenAi({ model, input, dimensions = FULL_SIZE, encoding_format }: Record<string, unknown>): Inputs | string {
  const texts = typeof input === 'string' ? [input] : input
  if (typeof model !== 'string') return 'you must provide a model parameter'
  if (!isTexts(texts) || texts.length > MAX_INPUTS) return "'$.input' is invalid"
  const isBase64 = encoding_format === 'base64'
  const show = (vectors: unknown[]) => ({
    object: 'list',
    model,
    data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: isBase64 ? base64Of(vector as number[]) : vector })),
    usage: usageOf(texts),
  })
  return { texts, dimensions: Number(dimensions), isBase64, show }
}

function ofWorkersAi(pathname: string, body: string): Inputs | string | undefined {
  if (!pathname.startsWith(`${WORKERS_AI}/run/@cf/`)) return undefined
  const { text } = JSON.parse(body)
  const texts = typeof text === 'string' ? [text] : text
  if (!isTexts(texts) || texts.length > 100) return 'AiError: Bad input: text must have 1 to 100 items'
  const show = (data: unknown[]) => ({
    result: { shape: [data.length, 1_024], data, pooling: 'cls' },
    success: true,
    errors: [],
    messages: [],
  })
  return { texts, dimensions: 1_024, isBase64: false, show }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && one !== '')
const base64Of = (vector: number[]) => Buffer.from(new Float32Array(vector).buffer).toString('base64')

function usageOf(texts: string[]) {
  const tokens = texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0)
  return { prompt_tokens: tokens, total_tokens: tokens }
}

/** As both providers do: OpenAI has `error`, Workers AI `errors`. */
function refuse(response: ServerResponse, status: number, message: string, headers = {}) {
  const type = status < 500 ? 'invalid_request_error' : 'server_error'
  reply(response, status, { error: { message, type }, success: false, errors: [{ code: status, message }] }, headers)
}
