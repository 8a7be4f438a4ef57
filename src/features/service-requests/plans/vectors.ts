import { type Embedder, EmbeddingFailure } from '../../../providers/models/embed-port.ts'
import { vectorText } from '../rules/search.ts'

/** The vector of a text, as PostgreSQL reads it; undefined if there is none in time. */
export async function vectorWithin(embedder: Embedder, text: string, milliseconds: number): Promise<string | undefined> {
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
