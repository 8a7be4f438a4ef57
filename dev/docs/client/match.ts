import { stemOf, synonymsOf, wordsOf } from './synonyms.ts'

/** See SearchEntry in dev/docs/search-index.ts. */
export type Entry = [title: string, url: string, kind: string, place: string, text: string]

const LIMIT = 30
/** What a match of another form, or of another word, counts in comparison with one of the word itself. */
const [STEM, SYNONYM] = [0.9, 0.75]
/** What a match in the title counts in comparison with one elsewhere: words of the title that the query has, of all of them. */
const TITLE = 40
/** The score of a word from which on it counts as found: that of a whole word in the text. Fewer letters of another word count less. */
const SURE = 4

type Form = { text: string; weight: number; inTitle: RegExp }
type Prepared = { title: string; id: string; kind: string; path: string; text: string }

/**
 * The entries that have the words of a query, best first: those with every word, then those that have most of them. Rare words count more
 * than common ones, words of the title and path more than those of the text, the word itself more than another form of it or a synonym.
 */
export function search(entries: Entry[], query: string): Entry[] {
  const words = wordsOf(query)
  if (words.length === 0) return []
  const forms = words.map(formsOf)
  const prepared = entries.map(prepare)
  const scores = prepared.map((entry) => forms.map((variants) => scoreOfWord(entry, variants)))
  const rarity = words.map((_, at) => Math.log(1 + entries.length / (1 + scores.filter((row) => (row[at] as number) > 0).length)))
  return entries
    .map((entry, at) => ({ entry, score: scoreOf(prepared[at] as Prepared, scores[at] as number[], rarity, words, forms) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, LIMIT)
    .map(({ entry }) => entry)
}

const prepare = ([title, url, kind, place, text]: Entry): Prepared => ({
  title: title.toLowerCase(),
  id: (url.split('#')[1] ?? '').toLowerCase(),
  kind: kind.toLowerCase(),
  path: place.toLowerCase(),
  text: ` ${text}`,
})

function formsOf(word: string): Form[] {
  const form = (text: string, weight: number) => ({ text, weight, inTitle: new RegExp(`(^|[^a-z0-9])${escaped(text)}`) })
  const stem = stemOf(word)
  const related = [...new Set([...synonymsOf(word), ...synonymsOf(stem), ...synonymsOf(`${stem}e`)])]
  return [form(word, 1), ...(stem === word ? [] : [form(stem, STEM)]), ...related.map((one) => form(stemOf(one), SYNONYM))]
}

function scoreOf(entry: Prepared, scores: number[], rarity: number[], words: string[], forms: Form[][]): number {
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
  const found = sum(scores.map((score, at) => Math.min(1, score / SURE) * (rarity[at] as number))) / sum(rarity)
  if (found === 0) return 0
  const mean = sum(scores.map((score, at) => score * (rarity[at] as number))) / sum(rarity)
  const phrase = entry.title === words.join(' ') || entry.id === words.join('') ? TITLE : 0
  // Among equals the shorter path is the more general one; deprecated paths come last.
  const total = (mean + TITLE * titleShare(entry.title, forms) + phrase) * found ** 2
  return total / (entry.text.endsWith(' deprecated') ? 4 : 1) - entry.path.length / 1000
}

/** The share of a title's words that the query has, by the weight of the form that matches. */
function titleShare(title: string, forms: Form[][]): number {
  const own = wordsOf(title.replace(/[^\p{L}\p{N}_-]+/gu, ' '))
  const weights = own.map((word) =>
    Math.max(
      0,
      ...forms
        .flat()
        .filter(({ text }) => word.startsWith(text))
        .map(({ weight }) => weight),
    ),
  )
  return own.length === 0 ? 0 : weights.reduce((total, weight) => total + weight, 0) / own.length
}

function scoreOfWord(entry: Prepared, forms: Form[]): number {
  let best = 0
  for (const { text, weight, inTitle } of forms) {
    const score = weight * scoreOfForm(entry, text, inTitle)
    if (score > best) best = score
  }
  return best
}

function scoreOfForm({ title, id, kind, path, text }: Prepared, word: string, inTitle: RegExp): number {
  if (id === word) return 30
  if (inTitle.test(title)) return 12
  if (path.includes(word)) return 10
  if (kind === word) return 8
  if (id.includes(word)) return 6
  if (`${text} `.includes(` ${word} `)) return 4
  if (text.includes(` ${word}`)) return 2
  return text.includes(word) ? 0.5 : 0
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
