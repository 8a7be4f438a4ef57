import { storableText } from '../../lib/text.ts'

/** The length of every vector: columns of this size store them. */
export const DIMENSIONS = 1024
/** The most texts of one call, and the most characters of one text. */
export const MAX_TEXTS = 64
export const MAX_TEXT = 8_000

/** Turns texts into vectors that are near each other when the texts are about the same. */
export type Embedder = {
  /** The model. Vectors of different models cannot be compared. */
  model: string
  /** The vectors of at most MAX_TEXTS texts, in their order. @throws EmbeddingFailure */
  embed(texts: string[]): Promise<number[][]>
}

/** Why there are no vectors. A temporary failure may end by itself: an overload, an outage, a broken connection. */
export class EmbeddingFailure extends Error {
  readonly isTemporary: boolean

  constructor(message: string, isTemporary: boolean) {
    super(storableText(message))
    this.isTemporary = isTemporary
  }
}
