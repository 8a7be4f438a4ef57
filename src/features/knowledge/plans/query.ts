import { and, desc, eq, inArray, sql } from 'drizzle-orm'
import { knowledgeBases, knowledgeChunks, knowledgeEntries } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { afterRead, type Plan, read } from '../../../data/plan.ts'
import { mapResult, type Query, rows, typed } from '../../../data/query.ts'
import { AppError } from '../../../errors.ts'
import { vectorText } from '../../../lib/vectors.ts'
import { type Embedder, EmbeddingFailure } from '../../../providers/models/embed-port.ts'
import type { KnowledgeHit, KnowledgeQuestion } from '../schemas/knowledge.ts'
import { embedderIn } from './entries.ts'

/**
 * The passages that answer a question best, by words and by meaning. First the bases are read, so that nobody without the right to read
 * them has anything embedded. @throws CHANNEL_NOT_CONFIGURED, PROVIDER_ERROR
 */
export function queryKnowledge(ctx: Ctx, question: KnowledgeQuestion): Plan<KnowledgeHit[]> {
  const embedder = embedderIn(ctx)
  const { knowledge_base_ids: bases } = question
  return afterRead(read(assertBases(bases)), () => findPassages(embedder, ctx.read, question))
}

/** The passages themselves. @throws PROVIDER_ERROR */
export async function findPassages(embedder: Embedder, read: Ctx['read'], question: KnowledgeQuestion): Promise<KnowledgeHit[]> {
  const [vector] = await embedder.embed([question.query]).catch((error) => {
    if (!(error instanceof EmbeddingFailure)) throw error
    throw new AppError('PROVIDER_ERROR', error.message, { provider: 'embeddings', reason: error.message })
  })
  return read(hitsOf(question, embedder.model, vectorText(vector as number[])))
}

/** Refuses ids of bases that are not in the workspace. */
function assertBases(bases: string[] = []): Query<null> {
  const found = db
    .select({ id: knowledgeBases.id })
    .from(knowledgeBases)
    .where(inArray(knowledgeBases.id, bases.length > 0 ? bases : [NONE]))
  return mapResult(rows(found), (present) => {
    const known = new Set(present.map(({ id }) => id))
    const unknown = bases.flatMap((id, index) =>
      known.has(id) ? [] : [{ path: `knowledge_base_ids.${index}`, message: 'does not exist in this workspace' }],
    )
    if (unknown.length > 0) throw new AppError('VALIDATION_ERROR', 'Unknown knowledge base', { issues: unknown })
    return null
  })
}
const NONE = '00000000-0000-0000-0000-000000000000'

/** The passages by their words, and with a vector by their meaning too. */
export function hitsOf(
  { query, knowledge_base_ids: bases, limit }: KnowledgeQuestion,
  model: string,
  vector: string | null,
): Query<KnowledgeHit[]> {
  const ids = bases === undefined ? sql`null` : sql`${`{${bases.join(',')}}`}`
  const hit = {
    chunk_id: knowledgeChunks.id,
    entry_id: knowledgeChunks.entry_id,
    knowledge_base_id: knowledgeEntries.knowledge_base_id,
    title: knowledgeEntries.title,
    source: knowledgeEntries.source,
    url: knowledgeEntries.url,
    heading_path: knowledgeChunks.heading_path,
    quote: knowledgeChunks.text,
    score: sql<number>`h.score`.as('score'),
    words_score: sql<number | null>`h.words_score`.as('words_score'),
    vector_score: sql<number | null>`h.vector_score`.as('vector_score'),
    updated_at: knowledgeEntries.updated_at,
  }
  const select = db
    .select(hit)
    .from(sql`search_knowledge(${ids}::uuid[], ${query}, ${model}, ${vector}, ${limit}::int) h`)
    .innerJoin(knowledgeChunks, eq(knowledgeChunks.id, sql`h.id`))
    .innerJoin(
      knowledgeEntries,
      and(eq(knowledgeEntries.workspace_id, knowledgeChunks.workspace_id), eq(knowledgeEntries.id, knowledgeChunks.entry_id)),
    )
    .orderBy(desc(sql`h.score`), knowledgeChunks.id)
  return rows(typed<KnowledgeHit>(select))
}
