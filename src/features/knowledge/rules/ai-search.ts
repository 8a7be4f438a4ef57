/** What a search over everything finds: passages of knowledge bases, memories, and records that the question names. */
export const AI_TYPES = ['passage', 'memory', 'contact', 'company', 'opportunity', 'document'] as const
export type AiType = (typeof AI_TYPES)[number]

/** The most names that are looked up for a question, and the most words of a name. */
export const MAX_NAMES = 4
const MAX_WORDS = 6

const CAPITALISED = /\p{Lu}[\p{L}\p{N}’'&.-]*(?:\s+(?:\p{Lu}[\p{L}\p{N}’'&.-]*|&|de|la|van|von|der|al|bin))*/gu
const EXACT =
  /[^\s@<>"'(),;]{1,64}@[^\s@<>"'(),;]{1,255}\.\p{L}{2,24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\+?\d[\d ().-]{6,30}\d/giu

/**
 * The names, addresses, numbers and ids in a question by which records are looked up: what is written with capitals, except the word that
 * begins the question, and a short question as a whole.
 */
export function namesIn(question: string): string[] {
  const text = question.trim().replace(/[\s?!.]{1,20}$/u, '')
  const exact = text.match(EXACT) ?? []
  const whole = text.split(/\s+/).length <= MAX_WORDS ? [text] : []
  const capitalised = [...text.matchAll(CAPITALISED)].flatMap(({ 0: name, index }) => {
    const words = name.trim().split(/\s+/)
    const others = words.slice(1)
    return index > 0 ? [words.join(' ')] : others.length > 0 ? [words.join(' '), others.join(' ')] : []
  })
  const names = [...exact, ...whole, ...capitalised].map((name) =>
    name
      .replace(/[.’'-]{1,20}$|[’']s$/u, '')
      .slice(0, 120)
      .trim(),
  )
  return [...new Set(names.filter((name) => name.length > 1))].slice(0, MAX_NAMES)
}

/**
 * Merges rankings by rank: what is first in one of them comes before what is second in another. Of equal ranks the earlier ranking comes
 * first. What is in several of them has its best rank.
 */
export function mergeRankings<Hit extends { id: string }>(rankings: Hit[][], limit: number): (Hit & { score: number })[] {
  return rankings
    .flatMap((hits, of) => hits.map((hit, at) => ({ hit: { ...hit, score: 1 / (60 + at + 1) }, of })))
    .toSorted((a, b) => b.hit.score - a.hit.score || a.of - b.of)
    .map(({ hit }) => hit)
    .filter(({ id }, at, all) => all.findIndex((other) => other.id === id) === at)
    .slice(0, limit)
}
