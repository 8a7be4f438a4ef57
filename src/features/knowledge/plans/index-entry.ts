import { createHash } from 'node:crypto'
import { loggable } from '../../../lib/text.ts'
import { vectorText } from '../../../lib/vectors.ts'
import { type Embedder, EmbeddingFailure, MAX_TEXTS } from '../../../providers/models/embed-port.ts'
import { type Chunk, chunksOf } from '../rules/chunks.ts'

/** An entry whose chunks are to be stored; `known`: models and digests of chunks whose vectors can stay. */
export type EntryWork = { id: string; title: string; text: string; known: string[] }
type StoredChunk = Chunk & { sha256: string; model: string; embedding?: string }
/** What settle_knowledge_entry stores: an entry, an error, or nothing new. With the digest of its source an entry has a new ETag too. */
export type EntryOutcome = {
  entry?: { title: string; text: string; chunks: StoredChunk[]; source_sha256?: string; etag?: string | null }
  error?: string
  isFinal?: boolean
}

/** Splits an entry's text into chunks, and embeds those that have changed. Never throws for a failure of the provider. */
export async function indexEntry(embedder: Embedder, { title, text, known }: EntryWork): Promise<EntryOutcome> {
  const chunks = storedChunks(embedder, title, text)
  const present = new Set(known)
  const missing = chunks.filter(({ sha256, model }) => !present.has(`${model} ${sha256}`))
  try {
    for (let from = 0; from < missing.length; from += MAX_TEXTS) {
      const part = missing.slice(from, from + MAX_TEXTS)
      const vectors = await embedder.embed(part.map((chunk) => embeddedText(title, chunk)))
      part.forEach((chunk, index) => {
        chunk.embedding = vectorText(vectors[index] as number[])
      })
    }
  } catch (error) {
    if (!(error instanceof EmbeddingFailure)) throw error
    return { error: loggable(error.message, 300), isFinal: !error.isTemporary }
  }
  return { entry: { title, text, chunks } }
}

const storedChunks = ({ model }: Embedder, title: string, text: string): StoredChunk[] =>
  chunksOf(text).map((chunk) => ({ ...chunk, sha256: digestOf(title, chunk), model }))

/** Whether the chunks that are stored are those of the text. */
export function isIndexed(embedder: Embedder, { title, text, known }: EntryWork): boolean {
  const present = new Set(known)
  const current = storedChunks(embedder, title, text).map(({ model, sha256 }) => `${model} ${sha256}`)
  return current.every((one) => present.has(one)) && new Set(current).size === present.size
}

/** The title and the headings belong to what a chunk says. */
const embeddedText = (title: string, { heading_path, text }: Chunk) => [title, ...heading_path, text].join('\n')
const digestOf = (title: string, chunk: Chunk) => createHash('sha256').update(embeddedText(title, chunk)).digest('hex')
