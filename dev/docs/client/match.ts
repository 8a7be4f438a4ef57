/** See SearchEntry in dev/docs/search-index.ts. */
export type Entry = [title: string, url: string, kind: string, place: string, text: string]

const LIMIT = 30

/** The entries that contain every word, best first: words of the title and path count more than those of the text. */
export function search(entries: Entry[], query: string): Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, LIMIT)
    .map(({ entry }) => entry)
}

function scoreOf([title, url, kind, place, text]: Entry, words: string[]): number {
  const heading = title.toLowerCase()
  const id = (url.split('#')[1] ?? '').toLowerCase()
  const path = place.toLowerCase()
  let total = 0
  for (const word of words) {
    const score = scoreOfWord(word, heading, id, kind.toLowerCase(), path, text)
    if (score === 0) return 0
    total += score
  }
  // Among equals the shorter path is the more general one; deprecated paths come last.
  const phrase = heading === words.join(' ') || id === words.join('') ? 40 : 0
  return (total + phrase) / (text.endsWith(' deprecated') ? 4 : 1) - path.length / 1000
}

function scoreOfWord(word: string, heading: string, id: string, kind: string, path: string, text: string): number {
  if (kind === word) return 8
  if (id === word) return 30
  if (new RegExp(`(^|[^a-z0-9])${escaped(word)}`).test(heading)) return 12
  if (path.includes(word)) return 10
  if (id.includes(word) || heading.includes(word)) return 6
  if (` ${text}`.includes(` ${word}`)) return 3
  return text.includes(word) ? 1 : 0
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
