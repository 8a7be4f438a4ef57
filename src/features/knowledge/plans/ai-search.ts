import { sql } from 'drizzle-orm'
import { knowledgeChunks, memoryVectors } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { afterRead, type Plan, read } from '../../../data/plan.ts'
import { mapResult, type Query, rows, typed, type Warning, WithWarnings } from '../../../data/query.ts'
import { SECTIONS, type Section } from '../../../schemas/search.ts'
import { hitsOf as memoriesOf } from '../../memory/plans/search.ts'
import type { MemoryHit } from '../../memory/schemas/memory.ts'
import { vectorWithin } from '../../models/plans/vectors.ts'
import { recordsOf } from '../../search/plans/search.ts'
import { AI_TYPES, type AiType, mergeRankings, namesIn } from '../rules/ai-search.ts'
import type { AiKnowledgeHit, AiKnowledgeQuery } from '../schemas/ai-search.ts'
import type { KnowledgeHit } from '../schemas/knowledge.ts'
import { hitsOf as passagesOf } from './query.ts'

type Ranked = Omit<AiKnowledgeHit, 'score'>
/** What the caller may read, and whether there is anything to compare a vector with. */
type Facts = { knowledge: boolean; memory: boolean; has_vectors: boolean }
type Found = { hits: Ranked[]; warnings: Warning[] }

const SECTION_OF: Partial<Record<AiType, Section>> = {
  contact: 'contacts',
  company: 'companies',
  opportunity: 'opportunities',
  document: 'documents',
}

/**
 * Searches knowledge bases, memories and records at once. The rights are read first, so that nobody without the right to read has anything
 * embedded. What the caller may not read is left out with a warning.
 */
export function searchKnowledge(ctx: Ctx, { query, types = [...AI_TYPES], limit }: AiKnowledgeQuery): Plan<WithWarnings<AiKnowledgeHit[]>> {
  const { embedder } = ctx.deployment
  const model = embedder?.model ?? ''
  return afterRead(read(factsOf(model)), async (facts: Facts) => {
    const [passages, memories] = [facts.knowledge && types.includes('passage'), facts.memory && types.includes('memory')]
    const isEmbedded = facts.has_vectors && (passages || memories)
    const vector = embedder && isEmbedded ? await vectorWithin(embedder, query) : undefined
    const [known, remembered, records] = await Promise.all([
      passages ? ctx.read(passagesOf({ query, limit }, model, vector ?? null)) : [],
      memories ? ctx.read(memoriesOf({ query, limit, include_former: false }, model, vector)) : [],
      findRecords(ctx, query, types, limit),
    ])
    const hits = mergeRankings([known.map(ofPassage), remembered.map(ofMemory), ...records.map((one) => one.hits)], limit)
    const hidden = [
      !facts.knowledge && types.includes('passage') && HIDDEN.passage,
      !facts.memory && types.includes('memory') && HIDDEN.memory,
    ]
    const warnings = [...hidden.filter((one) => one !== false), ...(records[0]?.warnings ?? [])]
    return new WithWarnings(hits, isEmbedded && vector === undefined ? [...warnings, BY_WORDS] : warnings)
  })
}

/** The records of each name in the question, of which the readable ones. */
function findRecords(ctx: Ctx, query: string, types: AiType[], limit: number): Promise<Found[]> {
  const sections = SECTIONS.filter((section) => types.some((type) => SECTION_OF[type] === section))
  if (sections.length === 0) return Promise.resolve([])
  return Promise.all(
    namesIn(query).map(async (q) => {
      const { data, warnings } = await ctx.read(recordsOf({ q, types: sections, limit }))
      const hits = sections.flatMap((section) => data[section] ?? []).toSorted((a, b) => b.score - a.score)
      return { hits: hits.map(ofRecord), warnings }
    }),
  )
}

function factsOf(model: string): Query<Facts> {
  const facts = {
    knowledge: sql<boolean>`has_scopes('{knowledge:read}')`.as('knowledge'),
    memory: sql<boolean>`has_scopes('{memory:read}')`.as('memory'),
    has_vectors: sql<boolean>`exists (select from ${memoryVectors} where ${memoryVectors.model} = ${model})
      or exists (select from ${knowledgeChunks})`.as('has_vectors'),
  }
  return mapResult(rows(typed<Facts>(db.select(facts).from(sql`(select 1) one`))), ([row]) => row as Facts)
}

const ofPassage = ({ chunk_id: id, title, quote, entry_id, url, heading_path, updated_at }: KnowledgeHit): Ranked => ({
  type: 'passage',
  id,
  title,
  text: quote,
  source: { type: 'knowledge_entry', id: entry_id, url, heading_path, as_of: updated_at },
})
const ofMemory = ({ id, topic, text, source_type, source_id, valid_from }: MemoryHit): Ranked => ({
  type: 'memory',
  id,
  title: topic ?? '',
  text,
  source: { type: source_type, id: source_id, url: null, heading_path: [], as_of: valid_from },
})
type RecordHit = { type: 'contact' | 'company' | 'opportunity' | 'document'; id: string | null; title: string; subtitle: string | null }
const ofRecord = ({ type, id, title, subtitle }: RecordHit): Ranked => ({
  type,
  id: id as string,
  title,
  text: subtitle,
  source: { type, id: id as string, url: null, heading_path: [], as_of: null },
})

const hidden = (scope: string, what: string): Warning => ({
  code: 'INSUFFICIENT_SCOPE',
  field: 'types',
  message: `The API key or its owner’s role lacks the scope ${scope}, so ${what} are left out`,
  details: { required_scopes: [scope] },
})
const HIDDEN = { passage: hidden('knowledge:read', 'knowledge bases'), memory: hidden('memory:read', 'memories') }
const BY_WORDS: Warning = {
  code: 'SEARCHED_BY_WORDS',
  field: 'query',
  message: 'Similarity is not available now: passages and memories were found by words. Try again later',
}
