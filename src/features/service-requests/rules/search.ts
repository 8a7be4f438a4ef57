/** The most vectors that are compared with one, the latest: the comparison is exact. */
export const MAX_COMPARED = 20_000
/** The most requests that a new one is answered with, and the cosine similarity from which they are. */
export const MAX_SIMILAR = 5
export const LEAST_SIMILARITY = 0.5
/** The most results of a search. */
export const MAX_HITS = 20
/** The most requests without a vector that a warning counts. */
export const MAX_COUNTED = 1_000

export type RequestTexts = { title: string; description: string | null }

/** What the vector of a request stands for. */
export const embeddedText = ({ title, description }: RequestTexts): string => (description === null ? title : `${title}\n${description}`)

/**
 * At most `limit` of the requests that are similar to the query, and of those without a vector that have its words, both best first. The
 * latter have at least a quarter of the places (rounded down), because nobody knows how similar they are.
 */
export function mergeHits<Hit>(similar: Hit[], byWords: Hit[], limit: number): Hit[] {
  const reserved = Math.min(byWords.length, Math.max(Math.floor(limit / 4), limit - similar.length))
  return [...similar.slice(0, limit - reserved), ...byWords.slice(0, reserved)]
}
