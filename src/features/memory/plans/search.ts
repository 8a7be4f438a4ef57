import { asc, desc, eq, sql } from 'drizzle-orm'
import { memories, memoryVectors } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { afterRead, type Plan, read } from '../../../data/plan.ts'
import { mapResult, type Query, rows, typed, type Warning, WithWarnings } from '../../../data/query.ts'
import { vectorWithin } from '../../models/plans/vectors.ts'
import { MAX_COMPARED } from '../rules/memory.ts'
import type { MemoryHit, MemoryQuery } from '../schemas/memory.ts'
import { columns } from './memories.ts'

/**
 * The memories that answer a query best, by words and by meaning. The facts are read first, so that nobody without the right to read has
 * anything embedded.
 */
export function searchMemories(ctx: Ctx, query: MemoryQuery): Plan<WithWarnings<MemoryHit[]>> {
  return afterRead(read(hasVectors(ctx.deployment.embedder?.model ?? '')), async (isEmbedded: boolean) => {
    const { embedder } = ctx.deployment
    const vector = embedder && isEmbedded ? await vectorWithin(embedder, query.query) : undefined
    const hits = await ctx.read(hitsOf(query, embedder?.model ?? '', vector))
    return new WithWarnings(hits, isEmbedded && vector === undefined ? [BY_WORDS] : [])
  })
}

const BY_WORDS: Warning = {
  code: 'SEARCHED_BY_WORDS',
  field: 'query',
  message: 'Similarity is not available now: memories were found by words. Try again later',
}

function hasVectors(model: string): Query<boolean> {
  const found = sql<boolean>`exists (select from ${memoryVectors} where ${memoryVectors.model} = ${model})`.as('found')
  return mapResult(rows(typed<{ found: boolean }>(db.select({ found }).from(sql`(select 1) one`))), ([row]) => row?.found === true)
}

/** The memories that a query finds; without a vector by their words alone. */
export function hitsOf(query: MemoryQuery, model: string, vector: string | undefined): Query<MemoryHit[]> {
  const subject = query.contact_id ?? query.customer_id ?? query.opportunity_id ?? null
  const at = query.include_former ? sql`null` : sql`now()`
  const found = sql`search_memories(${query.query}, ${model}, ${vector ?? null}, ${subject}::uuid, ${at},
    ${MAX_COMPARED}::int, ${query.limit}::int) h`
  const hit = {
    ...columns,
    score: sql<number>`h.score`.as('score'),
    words_score: sql<number | null>`h.words_score`.as('words_score'),
    vector_score: sql<number | null>`h.vector_score`.as('vector_score'),
  }
  const select = db.select(hit).from(found).innerJoin(memories, eq(memories.id, sql`h.id`)).orderBy(desc(sql`h.score`), asc(memories.id))
  return rows(typed<MemoryHit>(select))
}
