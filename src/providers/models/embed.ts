import * as v from 'valibot'
import { DIMENSIONS, type Embedder, EmbeddingFailure, MAX_TEXT, MAX_TEXTS } from './embed-port.ts'

/**
 * `url`: https://api.openai.com/v1 or a service with the same format, and for a model of Workers AI (`@cf/…`)
 * https://api.cloudflare.com/client/v4/accounts/<account>/ai.
 */
export type Options = { url: string; key: string; model: string; timeoutMs?: number }
type Format = {
  path: string
  body(texts: string[]): unknown
  vectors(reply: unknown): unknown[] | undefined
}

const MAX_ATTEMPTS = 2
const OpenAiReply = v.object({ data: v.array(v.object({ index: v.pipe(v.number(), v.integer(), v.minValue(0)), embedding: v.unknown() })) })
const WorkersAiReply = v.object({ result: v.object({ data: v.array(v.unknown()) }) })
const Failure = v.union([
  v.pipe(
    v.object({ error: v.object({ message: v.string() }) }),
    v.transform(({ error }) => error.message),
  ),
  v.pipe(
    v.object({ errors: v.pipe(v.array(v.object({ message: v.string() })), v.minLength(1)) }),
    v.transform(({ errors }) => errors[0]!.message),
  ),
])

/** https://platform.openai.com/docs/api-reference/embeddings/create */
const openAi = (model: string): Format => ({
  path: '/embeddings',
  body: (input) => ({ model, input, dimensions: DIMENSIONS, encoding_format: 'float' }),
  vectors(reply) {
    const parsed = v.safeParse(OpenAiReply, reply)
    if (!parsed.success) return undefined
    const vectors: unknown[] = []
    for (const { index, embedding } of parsed.output.data) vectors[index] = embedding
    return vectors
  },
})

/** https://developers.cloudflare.com/workers-ai/models/bge-m3: its vectors have 1,024 dimensions. */
const workersAi = (model: string): Format => ({
  path: `/run/${model}`,
  body: (text) => ({ text }),
  vectors(reply) {
    const parsed = v.safeParse(WorkersAiReply, reply)
    return parsed.success ? parsed.output.result.data : undefined
  },
})

/** A client for embeddings of OpenAI's format or of Workers AI. */
export function embedder({ url, key, model, timeoutMs = 15_000 }: Options): Embedder {
  const format = model.startsWith('@cf/') ? workersAi(model) : openAi(model)

  async function ask(texts: string[]): Promise<unknown> {
    const response = await fetch(url + format.path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify(format.body(texts)),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    const reply = parsed(text)
    if (!response.ok) throw new EmbeddingFailure(reasonOf(response.status, reply), response.status === 429 || response.status >= 500)
    if (reply === undefined) throw unusable('what is no JSON')
    return reply
  }

  return {
    model,
    async embed(texts) {
      if (texts.length > MAX_TEXTS) throw new Error(`At most ${MAX_TEXTS} texts can be embedded together`)
      if (texts.length === 0) return []
      const sent = texts.map((text) => text.slice(0, MAX_TEXT).toWellFormed())
      for (let attempt = 1; ; attempt++) {
        try {
          return checked(format.vectors(await ask(sent)), texts.length)
        } catch (error) {
          const failure = failureOf(error)
          if (!failure.isTemporary || attempt >= MAX_ATTEMPTS) throw failure
        }
      }
    },
  }
}

/** The vectors, if there is a usable one for each text. */
function checked(vectors: unknown[] | undefined, count: number): number[][] {
  if (!vectors) throw unusable('no vectors')
  if (vectors.length !== count) throw unusable(`${vectors.length} vectors for ${count} texts`)
  return Array.from(vectors, (vector) => {
    if (!Array.isArray(vector)) throw unusable('what is no vector')
    if (vector.length !== DIMENSIONS) throw unusable(`a vector of ${vector.length} instead of ${DIMENSIONS} dimensions`)
    const isUsable = vector.every((value) => Number.isFinite(value)) && vector.some((value) => value !== 0)
    if (!isUsable) throw unusable('a vector of what are no numbers')
    return vector
  })
}

const unusable = (what: string) => new EmbeddingFailure(`The provider of embeddings answers with ${what}`, false)

function failureOf(error: unknown): EmbeddingFailure {
  if (error instanceof EmbeddingFailure) return error
  return new EmbeddingFailure(`The provider of embeddings could not be reached: ${error instanceof Error ? error.message : error}`, true)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function reasonOf(status: number, reply: unknown): string {
  const failure = v.safeParse(Failure, reply)
  return `The provider of embeddings answers with ${status}${failure.success ? `: ${failure.output.slice(0, 300)}` : ''}`
}
