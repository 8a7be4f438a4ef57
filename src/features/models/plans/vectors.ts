import { vectorText } from '../../../lib/vectors.ts'
import { type Embedder, EmbeddingFailure } from '../../../providers/models/embed-port.ts'
import { VECTOR_PATIENCE } from '../rules/vectors.ts'

type Embedded = { results: { model: string; embedding: string; error: null } }

/** The vector of a text as the outcome of background work. */
export async function embedText(embedder: Embedder, text: string): Promise<Embedded | { failure: string }> {
  try {
    const [vector] = await embedder.embed([text])
    return { results: { model: embedder.model, embedding: vectorText(vector as number[]), error: null } }
  } catch (error) {
    if (!(error instanceof EmbeddingFailure)) throw error
    return { failure: error.message }
  }
}

/** The vector of a text, as PostgreSQL reads it; undefined if there is none in time. */
export async function vectorWithin(embedder: Embedder, text: string, milliseconds = VECTOR_PATIENCE): Promise<string | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds)
  })
  const embedded = embedder.embed([text]).then(
    ([vector]) => vector && vectorText(vector),
    (error) => {
      if (!(error instanceof EmbeddingFailure)) throw error
      return undefined
    },
  )
  return Promise.race([embedded, late]).finally(() => clearTimeout(timer))
}
