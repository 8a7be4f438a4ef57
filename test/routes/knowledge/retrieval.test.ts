import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { hashedVector } from '../../../dev/hashed-vectors.ts'
import { vectorText } from '../../../src/lib/vectors.ts'
import { DIMENSIONS } from '../../../src/providers/models/embed-port.ts'
import { proving } from '../../proof.ts'
import { limit } from '../../speed.ts'
import { created, found, type Row, useCrm } from '../crm.ts'

const crm = useCrm()

type Passage = { heading: string; text: string }
/** A question with the numbers of the passages that answer it: see test/data/retrieval/README.md. */
type Question = { text: string; passages: number[]; exact: number[] }
const lines = <Line>(name: string): Line[] =>
  readFileSync(`test/data/retrieval/${name}.jsonl`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const AT_ONCE = 4
const MODEL = 'text-embedding-3-small'
const FIRST = 5
/**
 * In `npm test` every 12th question, with its passages and every fourth of the others. Only all questions in other words are enough to
 * compare with.
 */
const EVERY = proving ? 1 : 12

async function together<In, Out>(items: In[], work: (item: In, index: number) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = []
  for (let from = 0; from < items.length; from += AT_ONCE)
    results.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map((item, index) => work(item, from + index)))))
  return results
}

const RANKINGS = {
  words: ({ words_score }: Row) => words_score,
  vectors: ({ vector_score }: Row) => vector_score,
  merged: ({ score }: Row) => score,
}
type Ranking = keyof typeof RANKINGS
type Shares = Record<Ranking, number>

/** All hits of a question by both rankings. The API shows the best of them. */
async function hitsOf({ text }: Question): Promise<Row[]> {
  const client = await crm.app.owner.connect()
  try {
    await client.query("select set_config('app.workspace_id', $1, false)", [crm.ws.id])
    const { rows } = await client.query(
      `select c.entry_id, h.score, h.words_score, h.vector_score from search_knowledge(null, $1, $2, $3, 200) h
        join knowledge_chunks c using (id) order by 2 desc, c.id`,
      [text, MODEL, vectorText(hashedVector(text, DIMENSIONS))],
    )
    return rows
  } finally {
    await client.query("select set_config('app.workspace_id', '', false)")
    client.release()
  }
}

type Judged = Question & { hits: Row[] }
/** The share of the questions that have one of their passages among the first five hits, by each ranking. */
function sharesOf(questions: Judged[], passageOf: Map<string, number>, labels: 'passages' | 'exact'): Shares {
  const judged = questions.filter((question) => question[labels].length > 0)
  const share = (ranking: Ranking) => {
    const score = RANKINGS[ranking]
    const answered = judged.filter(({ hits, [labels]: passages }) => {
      const ranked = hits.filter((hit) => score(hit) !== null).toSorted((one, other) => score(other) - score(one))
      return ranked.slice(0, FIRST).some(({ entry_id }) => passages.includes(passageOf.get(entry_id) as number))
    })
    return Math.round((answered.length / judged.length) * 1_000) / 1_000
  }
  return { words: share('words'), vectors: share('vectors'), merged: share('merged') }
}

test('the first five hits answer nine rules of ten, and the merged ranking is never worse than its better part', {
  timeout: limit(300_000),
}, async () => {
  const base = created(await crm.ws.post('/knowledge-bases', { name: 'Specification' })).id
  const all = lines<Passage>('passages')
  const sample = (name: string) => lines<Question>(name).filter((_, index) => index % EVERY === 0)
  const questions = { rules: sample('rules'), others: proving ? sample('other-words') : [] }
  const answering = new Set(questions.rules.flatMap(({ exact }) => exact))
  const chosen = all.map((_, number) => number).filter((number) => proving || number % 4 === 0 || answering.has(number))
  const entries = await together(chosen, async (number) => {
    const { heading: title, text } = all[number] as Passage
    return created(await crm.ws.post(`/knowledge-bases/${base}/ingest-text`, { title, text })).id as string
  })
  const passageOf = new Map(entries.map((id, index) => [id, chosen[index] as number]))
  const judged = (questions: Question[]) => together(questions, async (question) => ({ ...question, hits: await hitsOf(question) }))
  const [rules, others] = [await judged(questions.rules), await judged(questions.others)]
  const [first] = rules as [Judged, ...Judged[]]
  const shown = found(await crm.ws.post('/knowledge-bases/query', { query: first.text })) as Row[]
  expect(shown.map(({ entry_id }) => entry_id)).toEqual(first.hits.slice(0, FIRST).map(({ entry_id }) => entry_id))
  const shares: Record<string, Shares> = {
    rules: sharesOf(rules, passageOf, 'passages'),
    'rules, exact labels': sharesOf(rules, passageOf, 'exact'),
    ...(proving && {
      'other words': sharesOf(others, passageOf, 'passages'),
      'other words, exact labels': sharesOf(others, passageOf, 'exact'),
    }),
  }
  console.log(`${chosen.length} passages, ${rules.length} rules, ${others.length} questions in other words:`, shares)
  expect(shares.rules?.merged).toBeGreaterThanOrEqual(0.89)
  // One question of a sample says little.
  const [compared, slack] = proving ? [Object.entries(shares), 0] : [[['rules', shares.rules as Shares] as const], 1 / rules.length]
  for (const [name, { words, vectors, merged }] of compared) expect(merged, name).toBeGreaterThanOrEqual(Math.max(words, vectors) - slack)
})
